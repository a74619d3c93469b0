//! The table's parts by themselves, at the edges of what each is told: contacts, dome, outputs, lamps, bus, temperature,
//! and the sequence of what is recorded, durable and released.

use crate::world::durable::durable;
use tumbler_core::context::{Coils, Context, Transaction};
use tumbler_core::device::bus::{Bus, Job, Unit};
use tumbler_core::device::contact::Contact;
use tumbler_core::device::dome::{Dome, Place};
use tumbler_core::device::lamps::{Constancy, Lamps, Request};
use tumbler_core::device::reader;
use tumbler_core::device::temperature::Temperature;
use tumbler_core::effect::Effect;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::outbox::Outbox;
use tumbler_core::record::Event;
use tumbler_core::sequence::{Action, Sequence};
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::timer::{Timer, Timers};
use tumbler_core::units::{MilliCelsius, Millis, Mono, RoundId, Seq};

const DEBOUNCE: Millis = Millis(20);

/// The context at this moment, at which also whatever is in hand happened and was read.
fn at(ctx: &mut Context, now: Mono) -> &mut Context {
    ctx.hand_in(now);
    ctx.take(now);
    ctx
}

fn effects(ctx: &mut Context) -> Vec<Effect> {
    let mut out = Vec::new();
    ctx.drain(&mut out);
    out
}

/// A table whose dome has a debounce time of its own.
fn context() -> Context {
    let parameters = Parameters { dome_debounce: DEBOUNCE.0, ..Parameters::default() };
    Context::new(Settings { parameters, ..Settings::default() }, Mono(0))
}

fn ms(at: u64) -> Mono {
    Mono::from_millis(at)
}

#[test]
fn a_contact_counts_when_raw_and_debounced_agree() {
    let (mut contact, mut ctx) = (Contact::default(), Context::default());
    assert!(!contact.is_active() && !contact.is_inactive(), "nothing is known of it yet");
    contact.level(InLine::Seal, false, &mut ctx);
    assert!(!contact.is_active() && contact.is_inactive());
    contact.edge(InLine::Seal, true, DEBOUNCE, at(&mut ctx, ms(5)));
    assert_eq!(ctx.next_deadline(), Some(ms(25)));
    assert!(!contact.is_active() && !contact.is_inactive(), "it bounces");
    contact.edge(InLine::Seal, false, DEBOUNCE, at(&mut ctx, ms(7)));
    assert_eq!((ctx.next_deadline(), contact.debounced()), (None, None), "it is back");
    contact.edge(InLine::Seal, true, DEBOUNCE, at(&mut ctx, ms(9)));
    assert_eq!((ctx.next_deadline(), contact.debounced()), (Some(ms(29)), Some(true)));
    assert!(contact.is_active() && !contact.is_inactive());
    contact.forget(InLine::Seal, &mut ctx);
    assert_eq!((ctx.next_deadline(), contact), (None, Contact::default()));
}

/// design.md, Wires: both or neither of the dome's contacts beyond the travel time is a fault, and nothing less is.
#[test]
fn a_dome_is_where_both_contacts_say_and_a_contradiction_is_a_fault_after_its_travel() {
    let (mut dome, mut ctx) = (Dome::default(), context());
    assert_eq!(dome.contradict(), None, "contacts that were not read contradict nothing");
    assert_eq!(dome.level(InLine::DomeClosed, true, at(&mut ctx, ms(0))), None);
    assert_eq!(dome.contradict(), None);
    assert_eq!(dome.level(InLine::DomeOpen, false, at(&mut ctx, ms(0))), Some(Place::Closed));
    assert!(dome.covers() && !ctx.is_set(Timer::DomeTravel));
    dome.edge(InLine::DomeClosed, false, at(&mut ctx, ms(10)));
    assert!(!dome.covers(), "by its raw level");
    dome.edge(InLine::DomeClosed, true, at(&mut ctx, ms(11)));
    assert!(dome.covers() && ctx.next_deadline().is_none());
    dome.edge(InLine::DomeOpen, true, at(&mut ctx, ms(12)));
    assert!(!dome.covers());
    // The time runs from the first contradiction, whatever bounces within it.
    assert_eq!((ctx.is_set(Timer::DomeTravel), ctx.next_deadline()), (true, Some(ms(32))));
    ctx.clear(Timer::Debounce(InLine::DomeOpen));
    assert_eq!(ctx.next_deadline(), Some(ms(312)));
    assert_eq!(dome.debounced(InLine::DomeOpen), Some(Place::Travelling));
    assert_eq!(dome.debounced(InLine::DomeOpen), None, "it is there already");
    assert_eq!((dome.contradict(), dome.place()), (Some(Place::Fault), Place::Fault));
    assert_eq!(dome.contradict(), None, "it is said once");
    assert_eq!((dome.debounced(InLine::DomeOpen), dome.place()), (None, Place::Fault), "a bounce mends no contact");
    dome.edge(InLine::DomeClosed, false, at(&mut ctx, ms(400)));
    assert!(!ctx.is_set(Timer::DomeTravel));
    assert_eq!((dome.debounced(InLine::DomeClosed), dome.contradict()), (Some(Place::Open), None));
    dome.forget(&mut ctx);
    assert_eq!((dome.place(), ctx.next_deadline()), (Place::Unknown, None));
    let names = [Place::Unknown, Place::Closed, Place::Open, Place::Travelling, Place::Fault].map(Place::name);
    assert_eq!(names, ["unknown", "closed", "open", "travelling", "fault"]);
}

/// faults.md dome.cable_cut: contacts that break at once say at no moment that the dome is away, whichever settles first.
#[test]
fn contacts_that_break_at_once_do_not_reveal_the_dice() {
    let (mut dome, mut ctx) = (Dome::default(), context());
    dome.level(InLine::DomeClosed, true, at(&mut ctx, ms(0)));
    // Stuck: the other contact says open as well.
    dome.level(InLine::DomeOpen, true, at(&mut ctx, ms(0)));
    dome.edge(InLine::DomeClosed, false, at(&mut ctx, ms(10)));
    dome.edge(InLine::DomeOpen, false, at(&mut ctx, ms(10)));
    dome.debounced(InLine::DomeClosed);
    assert_ne!(dome.place(), Place::Open);
    // It comes back before its own debounce is over, and is looked at once that has passed.
    dome.edge(InLine::DomeOpen, true, at(&mut ctx, ms(11)));
    assert!(ctx.is_set(Timer::Debounce(InLine::DomeOpen)));
    assert_eq!(dome.debounced(InLine::DomeOpen), Some(Place::Open));
}

/// design.md rule 4: published is what is, after the readback. A pin that reads wrong again and again is given its time once.
#[test]
fn a_pin_that_reads_wrong_has_its_time_once() {
    let mut ctx = Context::default();
    let line = OutLine::MotorEnable;
    let shown = |ctx: &Context| {
        let due = ctx.is_set(Timer::Readback(line)).then(|| ctx.next_deadline()).flatten();
        (ctx.pins().commanded(line), ctx.pins().read(line), due)
    };
    ctx.energise(line, ms(0), durable());
    assert_eq!(shown(&ctx), (true, None, Some(ms(100))));
    at(&mut ctx, ms(1)).read_back(line, true);
    assert_eq!(shown(&ctx), (true, Some(true), None));
    at(&mut ctx, ms(10)).read_back(line, false);
    at(&mut ctx, ms(90)).read_back(line, false);
    assert_eq!(shown(&ctx), (true, Some(false), Some(ms(110))));
    ctx.forget_pins();
    assert_eq!(shown(&ctx), (true, None, None));
    // The dead-man line changes every 10 ms: nothing of it is waited for.
    ctx.beat(true, ms(200));
    at(&mut ctx, ms(201)).read_back(OutLine::MotorAlive, false);
    assert_eq!(ctx.next_deadline(), None);
    let driven = effects(&mut ctx).into_iter().map(|effect| match effect {
        Effect::Set(drive) => (drive.line(), drive.is_active()),
        other => panic!("{other:?}"),
    });
    assert_eq!(driven.collect::<Vec<_>>(), [(line, true), (OutLine::MotorAlive, true)]);
}

/// faults.md lamp.*: areas are proved by the current that flows, board by board; what differs is named.
#[test]
fn lamps_are_proved_by_the_current_that_flows() {
    let (mut lamps, mut ctx) = (Lamps::new(106), Context::default());
    let coils = |bits| Coils::lit(bits, &durable());
    let light = |bits| Some(Request::Light(coils(bits)));
    let wired = [0, 1, 2].map(|board| lamps.op(board, Request::Sense));
    assert_eq!((lamps.boards(), wired), (2, [64, 42, 0].map(|count| Transaction::read_discrete(0, count))));
    let wanted = 1_u128 << 63 | 1 << 64 | 1 << 105;
    lamps.light(wanted, durable(), at(&mut ctx, ms(0)));
    assert_eq!((lamps.lit(), ctx.next_deadline()), (wanted, Some(ms(500))));
    lamps.light(wanted, durable(), at(&mut ctx, ms(100)));
    assert_eq!(ctx.next_deadline(), Some(ms(500)), "the same again is no new command");
    let [low, high] = [1 << 63, 1 | 1 << 41];
    assert_eq!((lamps.write_due_on(0), lamps.write_due_on(1)), (light(low), light(high)));
    assert!(!lamps.sense_due_on(0), "it is not written yet");
    lamps.written(0, coils(low));
    lamps.written(1, coils(high));
    assert_eq!((lamps.write_due_on(0), lamps.sense_due_on(0), lamps.is_proved()), (None, true, false));
    assert_eq!(lamps.wrong(), wanted, "dark until sensed");
    assert_eq!(lamps.sense(0, low, at(&mut ctx, ms(110))), Constancy::Steady);
    assert!(!lamps.sense_due_on(0) && lamps.sense_due_on(1) && !lamps.is_proved());
    assert_eq!(lamps.sense(1, high | 2, at(&mut ctx, ms(120))), Constancy::Steady);
    assert_eq!((lamps.wrong(), lamps.sensed()), (1 << 65, wanted | 1 << 65));
    assert_eq!(lamps.sense(1, high, at(&mut ctx, ms(130))), Constancy::Steady);
    assert_eq!((lamps.is_proved(), lamps.wrong(), ctx.next_deadline()), (true, 0, None));
    // They go out by themselves: once may be anything, twice within the time for a proof is a flicker.
    assert_eq!(lamps.sense(1, 0, at(&mut ctx, ms(200))), Constancy::Relapsed);
    assert_eq!(ctx.next_deadline(), Some(ms(700)));
    assert_eq!(lamps.sense(1, high, at(&mut ctx, ms(210))), Constancy::Steady);
    assert_eq!(ctx.next_deadline(), Some(ms(700)), "the time runs on");
    assert_eq!(lamps.sense(1, 0, at(&mut ctx, ms(220))), Constancy::Flickers);
    lamps.lose(1);
    assert_eq!((lamps.write_due_on(1), lamps.sense_due_on(1), lamps.is_proved()), (light(high), false, false));
}

/// faults.md bus.*: an answer that nobody waits for is none; a unit that failed is asked again soon, a lost one in its turn.
#[test]
fn the_bus_has_one_transaction_and_knows_its_units() {
    const SENSE: Job = Job::poll(Unit::Board(1), false);
    let mut bus = Bus::new(2, true);
    let units: Vec<u8> = bus.fitted().map(|(unit, _)| unit.address()).collect();
    assert_eq!(units, [1, 10, 2, 3]);
    assert_eq!(Bus::new(1, false).fitted().map(|(unit, _)| unit.address()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((bus.is_busy(), bus.outstanding()), (false, None));
    let first = bus.begin(SENSE);
    assert_eq!((bus.is_busy(), bus.outstanding()), (true, Some((first, SENSE))));
    assert_eq!(bus.end(first.wrapping_add(1)), None);
    assert_eq!((bus.is_busy(), bus.end(first), bus.is_busy()), (true, Some(SENSE), false));
    assert_ne!(bus.begin(Job::Reader(reader::Request::Faces)), first);

    let board = Job::Board(1, Request::Light(Coils::OFF)).unit();
    assert_eq!((board, board.address()), (Unit::Board(1), 3));
    bus.schedule(board, ms(900));
    assert!(!bus.reply(board), "it was not lost");
    assert_eq!(bus.unit(board).replies(), 1);
    bus.fail(board, ms(100), Millis(50));
    assert_eq!((bus.unit(board).replies(), bus.unit(board).due(), bus.unit(board).not_before()), (0, ms(150), ms(150)));
    assert!(bus.lose(board), "news");
    assert!(!bus.lose(board), "no news");
    bus.schedule(board, ms(900));
    bus.fail(board, ms(200), Millis(50));
    assert_eq!((bus.unit(board).due(), bus.unit(board).not_before()), (ms(900), ms(250)));
    assert!(bus.reply(board), "it is back");
    assert!(!bus.unit(board).is_lost());
}

/// faults.md motor.hot, sensor.temp_absurd: the limits themselves are still good, and three good readings prove.
#[test]
fn a_temperature_is_good_up_to_its_limit_and_a_jump_up_to_its_own() {
    let ctx = Context::default();
    let read = |sensor: &mut Temperature, milli: i32| sensor.read(MilliCelsius(milli), &ctx);
    let mut sensor = Temperature::default();
    assert!(!sensor.is_good(&ctx) && !sensor.is_proved(), "nothing was read");
    for (count, milli) in [(1, 70_000), (2, 80_000), (3, 70_000)] {
        assert_eq!((read(&mut sensor, milli), sensor.is_good(&ctx)), (None, true), "{milli}");
        assert_eq!(sensor.is_proved(), count == 3);
    }
    assert_eq!((read(&mut sensor, 80_000), sensor.last()), (None, Some(MilliCelsius(80_000))));
    assert_eq!(read(&mut sensor, 80_001).unwrap(), "the motor has 80.0 C, above the limit of 80 C");
    assert!(!sensor.is_good(&ctx) && !sensor.is_proved());
    assert_eq!(read(&mut sensor, 70_001), None);
    assert_eq!(read(&mut sensor, 60_000).unwrap(), "the sensor jumped from 70.0 C to 60.0 C");
    assert_eq!(read(&mut sensor, 70_001).unwrap(), "the sensor jumped from 60.0 C to 70.0 C");
    sensor.lose();
    assert_eq!((sensor.last(), sensor.is_good(&ctx)), (None, false));
    for (milli, lies) in [(-55_000, false), (-55_001, true), (127_938, false), (127_939, true)] {
        let said = read(&mut Temperature::default(), milli);
        assert_eq!(said.is_some_and(|said| said.contains("cannot measure")), lies, "{milli}");
    }
    let said = read(&mut Temperature::default(), -60_250).unwrap();
    assert_eq!(said, "the sensor reads -60.2 C, which it cannot measure");
}

/// A data line that is stuck makes registers of zeros alone or of ones alone: that is not believed for long, and a cold room is.
#[test]
fn a_sensor_that_reads_as_behind_a_stuck_line_is_not_believed_for_long() {
    for (values, said) in [
        (vec![0], "the sensor has read 0.0 C and nothing else for 10 min, as behind a data line that is stuck"),
        (vec![-500], "the sensor has read -0.5 C and nothing else for 10 min, as behind a data line that is stuck"),
        (vec![-125], "the sensor has read -0.125 C and nothing else for 10 min, as behind a data line that is stuck"),
        // Twelve bits of ones, in thousandths.
        (vec![-62], "the sensor has read -0.062 C and nothing else for 10 min, as behind a data line that is stuck"),
        (vec![0, 500, 0, -500], ""),
        (vec![500], ""),
        (vec![25_000], ""),
    ] {
        let (mut sensor, mut ctx) = (Temperature::default(), Context::default());
        for (n, milli) in (0..=1200).zip(values.iter().cycle()) {
            let told = sensor.read(MilliCelsius(*milli), at(&mut ctx, ms(n * 500)));
            assert_eq!(told.unwrap_or_default(), if n < 1200 { "" } else { said }, "{values:?} {n}");
        }
        assert_eq!(sensor.is_proved(), said.is_empty());
        let told = sensor.read(MilliCelsius(1000), at(&mut ctx, ms(601_000)));
        assert!(told.is_none_or(|told| told.contains("jumped")), "it is believed again");
    }
}

/// design.md rule 2: de-energise at once; make durable; then energise, light and publish.
#[test]
fn an_action_is_released_once_everything_recorded_before_it_is_durable() {
    let (mut sequence, mut ctx) = (Sequence::new(Seq(10), Seq(4), false), Context::default());
    assert!(sequence.is_durable() && !sequence.is_permitted());
    sequence.hurry();
    sequence.flush(true, at(&mut ctx, ms(0)));
    assert!(effects(&mut ctx).is_empty(), "there is nothing to commit");
    // A record that nothing depends on waits for company, from the first on.
    sequence.record(ms(0), None, Vec::new(), None, Event::KeyTurned);
    assert_eq!(sequence.last(), Seq(11));
    sequence.flush(false, at(&mut ctx, ms(0)));
    sequence.flush(false, at(&mut ctx, ms(50)));
    assert_eq!((effects(&mut ctx).len(), ctx.next_deadline(), sequence.is_durable()), (0, Some(ms(200)), false));
    let spin = Action::Spin(RoundId(1));
    sequence.record(ms(60), Some(RoundId(1)), Vec::new(), None, Event::SpinBegan);
    sequence.hold(spin);
    sequence.flush(false, at(&mut ctx, ms(60)));
    let Some(Effect::Journal { records, relayed, permit }) = effects(&mut ctx).pop() else {
        unreachable!("it was urgent")
    };
    assert_eq!((records.len(), relayed, permit, ctx.next_deadline()), (2, Seq(4), None, None));
    let released = |sequence: &mut Sequence| sequence.release().map(|(action, _)| action);
    assert_eq!((released(&mut sequence), sequence.is_held(|action| *action == spin)), (None, true));
    sequence.durable(Seq(13));
    assert_eq!((sequence.last_durable(), released(&mut sequence)), (Seq(10), None), "it was never sent");
    sequence.durable(Seq(11));
    assert_eq!((sequence.last_durable(), released(&mut sequence), sequence.is_durable()), (Seq(11), None, false));
    sequence.durable(Seq(12));
    sequence.durable(Seq(11));
    assert_eq!((sequence.last_durable(), sequence.is_durable()), (Seq(12), true));
    assert_eq!((released(&mut sequence), released(&mut sequence)), (Some(spin), None));
}

/// design.md rules 2 and 8: nothing energises on a journal that fails, and permission counts from when it is durable.
#[test]
fn permission_is_durable_and_a_failed_journal_gives_none() {
    let (mut sequence, mut ctx) = (Sequence::new(Seq(10), Seq(4), false), Context::default());
    let opened = sequence.record(ms(0), None, Vec::new(), None, Event::Opened { by: "Mei".into() });
    sequence.permit(true);
    sequence.flush(false, at(&mut ctx, ms(0)));
    assert!(matches!(effects(&mut ctx).pop(), Some(Effect::Journal { permit: Some(true), .. })));
    assert!(!sequence.is_permitted());
    assert!(sequence.confirm(&opened).is_none());
    sequence.durable(Seq(11));
    let turned = sequence.record(ms(1), None, Vec::new(), None, Event::KeyTurned);
    assert!(sequence.is_permitted() && sequence.confirm(&opened).is_some() && sequence.confirm(&turned).is_none());
    sequence.permit(true);
    sequence.hold(Action::Bell(RoundId(1)));
    sequence.flush(false, at(&mut ctx, ms(1)));
    assert!(matches!(effects(&mut ctx).pop(), Some(Effect::Journal { permit: None, .. })), "it is said already");
    sequence.fail();
    assert!(sequence.has_failed() && !sequence.is_permitted() && !sequence.is_held(|_| true));
    assert!(sequence.confirm(&opened).is_none(), "durable, and nothing starts on it");
    sequence.durable(Seq(12));
    assert!(!sequence.has_failed() && sequence.is_permitted(), "the journal caught up");
    sequence.record(ms(2), None, Vec::new(), None, Event::KeyTurned);
    sequence.permit(false);
    assert!(!sequence.is_permitted(), "taken away at once");
    sequence.hold(Action::Bell(RoundId(2)));
    sequence.hold(Action::Spin(RoundId(2)));
    sequence.drop_held(|action| matches!(action, Action::Bell(_)));
    assert!(sequence.is_held(|action| matches!(action, Action::Spin(_))));
    assert!(!sequence.is_held(|action| matches!(action, Action::Bell(_))));
}

/// design.md, Outbox: an acknowledgement of what was never durable, or of what was acknowledged before, moves nothing.
#[test]
fn the_cursor_goes_forward_up_to_what_is_durable() {
    let mut outbox = Outbox::from(Seq(4));
    for (acknowledged, cursor) in [(3, 4), (4, 4), (9, 4), (8, 8), (5, 8)] {
        outbox.acknowledge(Seq(acknowledged), Seq(8));
        assert_eq!(outbox.cursor(), Seq(cursor), "{acknowledged}");
    }
}

/// A deadline at the end of all time is one, also after a daemon that stood still was given its time again.
#[test]
fn no_deadline_is_lost_at_the_end_of_time() {
    let mut timers = Timers::default();
    timers.set(Timer::SettleLimit, Mono(u64::MAX));
    assert!(timers.is_set(Timer::SettleLimit) && timers.next().is_some());
    timers.wake(ms(1), u64::MAX);
    assert!(timers.is_set(Timer::SettleLimit) && timers.next().is_some());
}
