//! `tumbler-hil schema`.

use super::say;
use crate::report;
use crate::schema::Of;
use clap::Args;

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The kind of file.
    #[arg(value_name = "KIND")]
    of: Of,
}

pub(super) fn schema(args: &SchemaArgs) -> anyhow::Result<u8> {
    say::line(&args.of.text());
    Ok(report::PASSED)
}
