//! How a result is called (NZ 6.3).

use crate::areas::{faces, sorted, total};

/// The call: faces "in order from the lowest number to the highest, followed by the total"; doubles and triples
/// "in a similar fashion". `None` if these are not three dice.
pub(crate) fn of(dice: [u8; 3]) -> Option<String> {
    if !faces(dice) {
        return None;
    }
    let mut words: Vec<String> = Vec::with_capacity(4);
    for face in 1..=6_u8 {
        match sorted(dice).iter().filter(|shown| **shown == face).count() {
            1 => words.push(face.to_string()),
            2 => words.push(format!("double {face}")),
            3 => words.push(format!("triple {face}")),
            _ => {}
        }
    }
    words.push(format!("total {}", total(dice)));
    Some(words.join(", "))
}
