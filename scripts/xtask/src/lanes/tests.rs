use super::*;

#[test]
fn a_lane_comes_after_lanes_that_stand_before_it() {
    for (place, lane) in LANES.iter().enumerate() {
        for name in lane.demand.after {
            let at = LANES.iter().position(|other| other.name == *name);
            assert!(at.is_some_and(|at| at < place), "{} comes after {name}", lane.name);
        }
    }
}

/// The one tool that `release` needs is small, and its script builds it.
#[test]
fn a_lane_of_every_run_comes_after_the_tools_that_it_needs() {
    fn waits(lane: &Lane) -> bool {
        lane.demand.after.iter().any(|name| *name == TOOLS || named(name).is_ok_and(waits))
    }
    for lane in LANES.iter().filter(|lane| lane.plays != Plays::Named) {
        let tool = lane.needs.iter().any(|need| matches!(need, Need::Tool(tool) if *tool != AUDITABLE));
        assert!(!tool || waits(lane), "{}", lane.name);
    }
}

#[test]
fn each_turn_is_that_of_one_lane() {
    let place = |name: &str| named(name).map(|lane| lane.plays).ok();
    for (turn, name) in (1..).zip(in_turn()) {
        assert_eq!(place(name), Some(Plays::InTurn(turn)), "{name}");
    }
    assert_eq!(in_turn().len(), 10);
}

#[test]
fn names_are_different() {
    let mut names: Vec<_> = LANES.iter().map(|lane| lane.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LANES.len());
}

#[test]
fn a_lane_that_is_not_is_refused_with_the_nearest() {
    let refused = |name: &str| named(name).err().unwrap().to_string();
    assert_eq!(refused("matrx"), "no lane `matrx`: is it `matrix`?");
    assert_eq!(refused("powercuts"), "no lane `powercuts`: is it `power-cuts`?");
    assert_eq!(refused("xylophone-solo"), "no lane `xylophone-solo`: scripts/test --help lists them");
    assert!(named("matrix").is_ok());
}
