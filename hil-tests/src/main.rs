//! The rig.
fn main() {}
