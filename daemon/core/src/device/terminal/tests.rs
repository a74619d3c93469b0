use super::*;

fn block(held: u16, first: u16, codes: &[u16], display: u16) -> Vec<u16> {
    let mut words = vec![held, first, u16::try_from(codes.len()).unwrap()];
    words.extend(codes);
    words.resize(11, 0);
    words.push(display);
    words
}

fn poll(t: &mut Terminal, words: &[u16], hidden: bool, ms: u64) -> Vec<Key> {
    t.poll(words, hidden, at(&mut Context::default(), ms)).unwrap().iter().collect()
}

/// The context at this millisecond.
fn at(ctx: &mut Context, ms: u64) -> &mut Context {
    ctx.advance(Mono::from_millis(ms));
    ctx
}

fn digit(pips: u8) -> Key {
    Key::Digit(DieFace::new(pips).unwrap())
}

#[test]
fn a_repeated_reply_gives_no_key_twice() {
    let mut t = Terminal::default();
    assert_eq!(poll(&mut t, &block(0, 65_534, &[3], map::BLANK), false, 0), [], "pressed before anybody listened");
    let words = block(0, 65_535, &[1, 7], map::BLANK);
    assert_eq!(poll(&mut t, &words, false, 100), [digit(1), Key::Entry]);
    assert_eq!(poll(&mut t, &words, false, 300), []);
    assert_eq!(poll(&mut t, &block(0, 0, &[7, 2], map::BLANK), false, 600), [digit(2)], "numbers wrap");
}

/// registers.md, Restart: keys from before the first poll are ignored, however many there are; a reply has eight of them.
#[test]
fn a_queue_from_before_the_first_poll_is_ignored_whole() {
    let mut t = Terminal::default();
    let early = block(0, 1, &[2, 4, 1, 5, 3, 5, 6, 1], map::BLANK);
    assert_eq!(poll(&mut t, &early, false, 1000), []);
    assert_eq!(poll(&mut t, &early, false, 1020), [], "not acknowledged yet");
    assert_eq!(poll(&mut t, &block(0, 9, &[2, 5, 6, 6, 3, 7, 1, 1], map::BLANK), false, 1040), []);
    assert_eq!(poll(&mut t, &block(0, 17, &[6, 6, 3, 7], map::BLANK), false, 1060), [], "the rest of the queue");
    assert_eq!(poll(&mut t, &block(0, 21, &[4], map::BLANK), false, 1200), [digit(4)]);
}

#[test]
fn a_terminal_that_restarted_is_heard_again() {
    let mut t = Terminal::default();
    poll(&mut t, &block(0, 500, &[], map::BLANK), false, 0);
    assert_eq!(poll(&mut t, &block(0, 0, &[4], map::BLANK), false, 200), [digit(4)]);
}

/// faults.md terminal.chatter: five presses a press, and no digit is entered twice.
#[test]
fn chatter_is_one_press_also_when_a_poll_in_its_midst_was_hit() {
    let mut t = Terminal::default();
    poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
    assert_eq!(poll(&mut t, &block(1, 0, &[5, 5], map::BLANK), false, 500), [digit(5)]);
    // The master waited 50 ms for the reply that was hit, and asked again 20 ms later.
    assert_eq!(poll(&mut t, &block(1, 2, &[5, 5, 5], map::BLANK), false, 572), []);
    assert_eq!(poll(&mut t, &block(0, 5, &[], map::BLANK), false, 592), []);
    // The same, with a good poll before the one that was hit.
    assert_eq!(poll(&mut t, &block(1, 5, &[6], map::BLANK), false, 612), [digit(6)]);
    assert_eq!(poll(&mut t, &block(1, 6, &[6], map::BLANK), false, 632), []);
    assert_eq!(poll(&mut t, &block(1, 7, &[6], map::BLANK), false, 704), []);
    assert_eq!(poll(&mut t, &block(1, 8, &[5], map::BLANK), false, 760), [digit(5)], "pressed again on purpose");
}

/// faults.md terminal.chatter, bus.noise_1pct; NZ 4.4: the entry of a result says "all paid" only where it was surely pressed again.
#[test]
fn chatter_of_a_press_is_told_from_another_press_however_many_polls_were_hit() {
    for hit in 0..10 {
        let mut t = Terminal::default();
        poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
        let entry = map::ENTRY;
        assert_eq!(poll(&mut t, &block(64, 0, &[entry; 3], map::BLANK), false, 500), [Key::Entry]);
        let next = 520 + hit * 73;
        assert_eq!(poll(&mut t, &block(0, 3, &[entry; 2], map::BLANK), false, next), [], "{hit} polls hit");
        assert_eq!(poll(&mut t, &block(0, 5, &[], map::BLANK), false, next + 60), []);
        assert_eq!(
            poll(&mut t, &block(64, 5, &[entry], map::BLANK), false, next + 80),
            [Key::Entry],
            "{hit} polls hit"
        );
    }
}

/// faults.md terminal.chatter, bus.noise_30pct: a reply holds eight presses, and what is left comes late with the next.
#[test]
fn presses_that_a_full_reply_left_behind_are_no_other_presses() {
    let mut t = Terminal::default();
    poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
    assert_eq!(poll(&mut t, &block(16, 0, &[5, 5, 5], map::BLANK), false, 400), [digit(5)]);
    assert_eq!(poll(&mut t, &block(1, 0, &[5, 5, 5, 5, 5, 1, 1], map::BLANK), false, 615), [digit(1)]);
    // Full, with the sixth and later presses of a key that chatters behind it.
    assert_eq!(poll(&mut t, &block(0, 0, &[5, 5, 5, 5, 5, 1, 1, 1], map::BLANK), false, 698), []);
    assert_eq!(poll(&mut t, &block(0, 8, &[1, 1], map::BLANK), false, 801), []);
    poll(&mut t, &block(0, 10, &[], map::BLANK), false, 880);
    assert_eq!(poll(&mut t, &block(0, 10, &[1], map::BLANK), false, 900), [digit(1)], "pressed again on purpose");
}

#[test]
fn chatter_is_one_press() {
    let mut t = Terminal::default();
    poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
    assert_eq!(t.bounced(), 0);
    assert_eq!(poll(&mut t, &block(1, 0, &[5, 5, 5, 5, 5], map::BLANK), false, 500), [digit(5)]);
    assert_eq!(t.bounced(), 4, "the technician's test tells how much a key bounces");
    poll(&mut t, &block(0, 5, &[], map::BLANK), false, 680);
    assert_eq!(poll(&mut t, &block(0, 5, &[5], map::BLANK), false, 700), [digit(5)], "pressed again on purpose");
}

/// faults.md terminal.key_stuck: 5 s held, whether the keys may be known meanwhile or not.
#[test]
fn a_key_held_across_the_reveal_is_timed_from_its_press() {
    let (mut t, mut ctx) = (Terminal::default(), Context::default());
    let polls = [(0, true, 0), (0b100, true, 1000), (0b100, false, 4000), (0b100, true, 5000)];
    for (held, hidden, ms) in polls {
        let mut words = block(held, 0, &[], map::BLANK);
        if hidden {
            mask(&mut words);
        }
        t.poll(&words, hidden, at(&mut ctx, ms)).unwrap();
    }
    assert_eq!(ctx.next_deadline(), Some(Mono::from_millis(1000 + u64::from(ctx.p().terminal_stuck))));
    t.poll(&block(0, 0, &[], map::BLANK), false, at(&mut ctx, 5500)).unwrap();
    assert!(!ctx.is_set(Timer::TerminalHeld), "let go");
}

/// faults.md terminal.ghost: two keys at once, and no digit is entered twice.
#[test]
fn two_keys_that_make_contact_by_turns_are_each_one_press() {
    let mut t = Terminal::default();
    poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
    assert_eq!(poll(&mut t, &block(6, 0, &[2, 3, 2, 3], map::BLANK), false, 500), [digit(2), digit(3)]);
    assert_eq!(poll(&mut t, &block(6, 4, &[2, 3], map::BLANK), false, 520), []);
    poll(&mut t, &block(0, 6, &[], map::BLANK), false, 680);
    assert_eq!(poll(&mut t, &block(0, 6, &[2], map::BLANK), false, 700), [digit(2)], "pressed again on purpose");
}

#[test]
fn the_masked_block_does_the_same_while_hidden() {
    let (mut real, mut masked) = (Terminal::default(), Terminal::default());
    for (i, (held, codes)) in [(0, vec![]), (4, vec![3]), (8, vec![4, 7]), (0, vec![])].into_iter().enumerate() {
        let first = [0, 0, 1, 3][i];
        let words = block(held, first, &codes, map::BLANK);
        let mut hidden = words.clone();
        mask(&mut hidden);
        let ms = 250 * i as u64;
        assert_eq!(poll(&mut real, &words, true, ms), poll(&mut masked, &hidden, true, ms));
        assert_eq!(real, masked);
    }
}

#[test]
fn nothing_is_decided_on_a_block_that_cannot_be_one() {
    let mut t = Terminal::default();
    let mut ctx = Context::default();
    for words in [vec![], vec![0; 11], vec![0; 13], block(0, 0, &[8], 0), {
        let mut w = block(0, 0, &[], 0);
        w[2] = 9;
        w
    }] {
        assert!(t.poll(&words, false, &mut ctx).is_none(), "{words:?}");
    }
    assert_eq!(t, Terminal::default());
}

/// NZ9 3.3(a)(iii): the display shows the last three numbers.
#[test]
fn the_display_shows_the_last_three() {
    let mut t = Terminal::default();
    let mut ctx = Context::default();
    for (pips, shown) in [(1, 0xFF1), (2, 0xF12), (3, 0x123), (6, 0x236)] {
        t.key(DieFace::new(pips).unwrap(), &mut ctx);
        assert_eq!(t.display_due(), Some(Request::Display(shown)));
    }
}
