//! The command line of the table.
fn main() {}
