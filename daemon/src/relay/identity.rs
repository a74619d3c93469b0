//! Who is telling.

/// Who is telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Site, one level of the topics.
    pub site: String,
    /// Table, one level of the topics.
    pub table: String,
    /// The kernel's boot id.
    pub boot: String,
    /// Version of the daemon.
    pub build: String,
    /// Hardware backend.
    pub backend: String,
}
