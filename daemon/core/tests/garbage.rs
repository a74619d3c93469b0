//! Nothing outside can make the table panic: inputs of every kind, at any time, in any order, with any numbers.

use crate::world;

use proptest::prelude::*;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::round::ending::VoidReason;
use tumbler_core::units::{Dice, MilliCelsius, Mono, RoundId, Seq};
use tumbler_core::wire::console::{Caller, Command, Exit, Witness};
use world::{World, settings};

fn input() -> impl Strategy<Value = Input> {
    let line = (0usize..12).prop_map(|l| InLine::ALL[l]);
    let name = prop_oneof![Just(String::new()), "[a-z \u{0}é/]{1,40}"];
    let dice = [1u8..=6, 1u8..=6, 1u8..=6].prop_map(|p| Dice::from_pips(p).unwrap());
    let code = (0usize..14).prop_map(|c| Code::ALL[c]);
    let command = prop_oneof![
        name.clone().prop_map(|name| Command::Open { name }),
        (any::<bool>(), name.clone()).prop_map(|(right, name)| Command::Witness { item: Witness::Bell, right, name }),
        name.clone().prop_map(|name| Command::Close { name }),
        (any::<bool>(), name.clone()).prop_map(|(on, name)| Command::Maintenance { on, name }),
        (code, any::<bool>(), name.clone()).prop_map(|(code, rectified, name)| Command::Reset {
            code,
            exit: if rectified { Exit::Rectified } else { Exit::Procedure(name.clone()) },
            name,
        }),
        (dice.clone(), any::<bool>(), name.clone()).prop_map(|(dice, uphold, name)| Command::Amend {
            dice,
            uphold,
            name
        }),
        (any::<[bool; 2]>(), name.clone()).prop_map(|([damaged_dice, not_flat], name)| Command::Void {
            reason: name.clone(),
            damaged_dice,
            not_flat,
            name
        }),
        (any::<u64>(), name.clone()).prop_map(|(round, name)| Command::VoidAfterwards {
            round: RoundId(round),
            reason: name.clone(),
            name
        }),
        (proptest::option::of(dice), name.clone()).prop_map(|(dice, name)| Command::Settle {
            dice,
            reason: name.clone(),
            name
        }),
        name.clone().prop_map(|name| Command::ConfirmDome { reason: name.clone(), name }),
        name.clone().prop_map(|name| Command::EnrolDice { reason: name.clone(), name }),
        (proptest::sample::select(HardwareTest::ALL.to_vec()), name)
            .prop_map(|(test, name)| Command::HardwareTest { test, name }),
        Just(Command::Record),
    ];
    let reply = prop_oneof![
        proptest::collection::vec(prop_oneof![0u16..9, any::<u16>()], 0..40).prop_map(|w| Ok(BusReply::Words(w))),
        any::<u64>().prop_map(|b| Ok(BusReply::Bits(b))),
        Just(Ok(BusReply::Written)),
        Just(Err(BusFailure::Timeout)),
        any::<u8>().prop_map(|e| Err(BusFailure::Exception(e))),
    ];
    prop_oneof![
        8 => (line.clone(), any::<bool>()).prop_map(|(line, active)| Input::Edge { line, active }),
        2 => (line.clone(), any::<bool>()).prop_map(|(line, active)| Input::Level { line, active }),
        1 => line.prop_map(|line| Input::LineGap { line }),
        2 => (0usize..4, any::<bool>()).prop_map(|(l, active)| Input::Readback { line: OutLine::ALL[l], active }),
        1 => Just(Input::LinesLost { reason: "gone".into() }),
        1 => Just(Input::LinesBack),
        6 => (0u32..400, reply).prop_map(|(id, reply)| Input::Bus { id, reply }),
        1 => proptest::option::of(any::<i32>().prop_map(MilliCelsius)).prop_map(|reading| Input::Temperature { reading }),
        3 => prop_oneof![0u64..200, any::<u64>()].prop_map(|seq| Input::Durable { seq: Seq(seq) }),
        1 => Just(Input::JournalFailed { reason: "full".into() }),
        1 => any::<u64>().prop_map(|seq| Input::Relayed { seq: Seq(seq) }),
        3 => (any::<u64>(), any::<[bool; 2]>(), command).prop_map(|(request, [technician, supervisor], command)| Input::Console {
            request,
            caller: Caller { account: "eve".into(), technician, supervisor, manager: supervisor },
            command,
        }),
        4 => Just(Input::Tick),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_makes_the_table_panic(
        reader in any::<bool>(),
        opened in any::<bool>(),
        history in proptest::collection::vec((input(), prop_oneof![0u64..50_000_000, 0u64..20_000_000_000], any::<u32>()), 1..120),
    ) {
        let mut s = settings("nz-div9", "nz-div9-2");
        s.reader = reader;
        let mut world = World::new(s);
        if opened {
            world.pass(2000);
            world.open();
        }
        let mut out = Vec::new();
        let mut now = world.now;
        for (input, later, before) in history {
            now = Mono(now.0.saturating_add(later));
            let at = Mono(now.0.saturating_sub(u64::from(before)));
            let input = world.table.redact(input);
            world.table.handle(at, now, &input, &mut out);
            let shown = world.table.snapshot();
            prop_assert!(shown.lit.len() <= 106 && shown.recent.len() <= 20);
            if out.len() > 100_000 {
                out.clear();
            }
        }
    }
}

/// Every reason has a name of its own, and they are those of the records.
#[test]
fn reasons_are_named_as_in_the_records() {
    for reason in VoidReason::ALL {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.name());
    }
    for code in Code::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        assert_eq!(code.name().parse(), Ok(code));
    }
}
