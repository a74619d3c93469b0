//! Reasons why a fault cannot be injected.

use crate::{BenchError, EnvironmentFault};

/// This machine lacks a tool or a right that the injection needs.
pub(super) fn machine_lacks(what: &str, remedy: &str) -> BenchError {
    BenchError::Unsupported(format!("this machine has no {what}: {remedy}"))
}

/// The virtual bench has no way to inject this fault.
pub(super) fn bench_lacks(fault: EnvironmentFault) -> BenchError {
    BenchError::Unsupported(format!("the virtual bench cannot inject {fault}"))
}
