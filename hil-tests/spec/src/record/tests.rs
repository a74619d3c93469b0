use super::*;

fn fact(kind: &str, data: Value) -> Fact {
    Record::read(json!({"seq": 1, "at": 2, "kind": kind, "data": data})).unwrap().fact
}

#[test]
fn a_record_is_read_and_written_as_it_was() {
    let text = json!({"seq": 12, "at": 345, "round": 3, "kind": "voided",
        "data": {"reason": "not-flat", "clauses": ["NZ9 7.1(a)"], "detail": "die 2"}});
    let record = Record::read(text.clone()).unwrap();
    assert_eq!((record.seq, record.at_ns, record.round), (12, 345, Some(3)));
    assert_eq!(
        record.fact,
        Fact::Voided { reason: "not-flat".into(), clauses: vec!["NZ9 7.1(a)".into()], silent: None }
    );
    assert_eq!(Value::from(record), text);
}

#[test]
fn both_meanings_of_call_are_read() {
    assert_eq!(
        fact("called", json!({"call": "no-more-bets", "in_turn": true})),
        Fact::Called { call: Call::NoMoreBets, in_turn: true }
    );
    assert!(matches!(
        fact("result", json!({"dice": [1, 3, 6], "total": 10, "call": "1, 3, 6, total 10", "areas": ["small"]})),
        Fact::Result { dice: [1, 3, 6], total: 10, .. }
    ));
}

#[test]
fn what_does_not_fit_is_malformed_and_what_is_new_is_unknown() {
    assert!(matches!(fact("settled", json!({"dice": [1, 2]})), Fact::Malformed(_)));
    assert!(matches!(fact("settled", Value::Null), Fact::Malformed(_)));
    assert_eq!(fact("rained", json!({"mm": 3})), Fact::Unknown);
    assert!(Record::read(json!({"at": 2, "kind": "settled"})).is_err());
    assert!(Record::read(json!([1])).is_err());
    assert!(Record::read(json!({"seq": 1, "at": 2, "kind": "stopped", "round": "three"})).is_err());
}
