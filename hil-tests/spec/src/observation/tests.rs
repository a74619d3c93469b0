use super::*;

#[test]
fn a_line_is_known_by_its_name() {
    for (index, line) in Line::ALL.into_iter().enumerate() {
        assert_eq!(line as usize, index);
        assert_eq!(Line::named(line.name()), Some(line));
        assert_eq!(serde_json::to_value(line).unwrap(), line.name());
    }
    assert_eq!(Line::named("motor"), None);
}

#[test]
fn an_observation_survives_json() {
    let seen = [
        Observation::new(5, Seen::Wire { line: Line::CamA, active: true, initial: false }),
        Observation::new(
            6,
            Seen::Bus(Transaction {
                begun_ns: 5,
                unit: 10,
                kind: BusKind::ReadInput,
                address: 0x10,
                count: 3,
                words: Words::new(&[1, 2, 3]),
                bits: 0,
                ok: true,
            }),
        ),
        Observation::new(7, Seen::Truth(Truth::Dice { faces: [1, 2, 3], flat: [true, false, true] })),
        Observation::new(8, Seen::Truth(Truth::Pressed(Key::Digit(4)))),
    ];
    let trace = Trace(seen.to_vec());
    let text = serde_json::to_string(&trace).unwrap();
    assert_eq!(serde_json::from_str::<Trace>(&text).unwrap(), trace);
    assert!(text.contains(r#""line":"cam_a""#), "{text}");
}

#[test]
fn a_transaction_knows_which_addresses_it_touches() {
    let read = |address, count| Transaction {
        begun_ns: 0,
        unit: 10,
        kind: BusKind::ReadInput,
        address,
        count,
        words: Words::default(),
        bits: 0,
        ok: true,
    };
    assert!(!read(0x10, 9).touches(0x100, 0x103));
    assert!(read(0xF0, 0x11).touches(0x100, 0x103));
    assert!(read(0x103, 1).touches(0x100, 0x103));
    assert!(!read(0x104, 1).touches(0x100, 0x103));
    assert!(read(0xFFFF, 0xFFFF).touches(0xFFFF, 0xFFFF));
}

#[test]
fn what_does_not_fit_is_left_out() {
    assert_eq!(Words::new(&[7; 40]).as_slice().len(), 32);
}
