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

#[test]
fn each_turn_is_that_of_one_lane() {
    let place = |name: &str| named(name).map(|lane| lane.plays).ok();
    for (turn, name) in (1..).zip(in_turn()) {
        assert_eq!(place(name), Some(Plays::InTurn(turn)), "{name}");
    }
    assert_eq!(in_turn().len(), 5);
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
