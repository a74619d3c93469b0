//! The rig's program.

use std::process::ExitCode;

fn main() -> ExitCode {
    tumbler_hil::cli::main()
}
