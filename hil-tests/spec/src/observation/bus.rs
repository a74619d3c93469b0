//! Transactions on the field bus, in Modbus terms (`daemon/docs/registers.md`).

use serde::{Deserialize, Serialize};

/// A transaction on the field bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// When the request was made, in nanoseconds; the observation's own time is when it ended.
    pub begun_ns: u64,
    /// Modbus unit address.
    pub unit: u8,
    /// The kind of request.
    pub kind: BusKind,
    /// First address.
    pub address: u16,
    /// How many registers or bits were requested.
    pub count: u16,
    /// Registers read or written.
    #[serde(default)]
    pub words: Words,
    /// Bits read or written; bit 0 is the first address.
    #[serde(default)]
    pub bits: u64,
    /// Whether a valid reply came. A write without one may have reached the unit all the same.
    pub ok: bool,
}

impl Transaction {
    /// Whether it touches an address from `first` to `last`.
    #[must_use]
    pub const fn touches(&self, first: u16, last: u16) -> bool {
        let begin = self.address as u32;
        let end = begin + self.count as u32;
        begin <= last as u32 && end > first as u32
    }

    /// Whether it is a reading of a block that is read again and again, whatever goes on.
    #[must_use]
    pub const fn is_poll(&self) -> bool {
        match self.kind {
            BusKind::ReadDiscrete => true,
            BusKind::ReadInput => self.address < 0x100,
            _ => false,
        }
    }

    /// The value of one register, if it was among those read or written.
    #[must_use]
    pub fn word(&self, address: u16) -> Option<u16> {
        let offset = address.checked_sub(self.address)?;
        self.words.as_slice().get(usize::from(offset)).copied()
    }
}

/// Kinds of transactions, in Modbus terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusKind {
    /// Function 01.
    ReadCoils,
    /// Function 02.
    ReadDiscrete,
    /// Function 03.
    ReadHolding,
    /// Function 04.
    ReadInput,
    /// Function 05 or 15.
    WriteCoils,
    /// Function 06 or 16.
    WriteHolding,
}

/// Up to 32 registers, stored in place: there are too many transactions for a heap allocation each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u16>", into = "Vec<u16>")]
pub struct Words {
    count: u8,
    words: [u16; Self::MOST],
}

impl Words {
    /// How many fit.
    pub const MOST: usize = 32;

    /// These registers, as many as fit.
    #[must_use]
    pub fn new(from: &[u16]) -> Self {
        let mut words = Self::default();
        for (to, word) in words.words.iter_mut().zip(from) {
            *to = *word;
            words.count = words.count.saturating_add(1);
        }
        words
    }
    /// The registers.
    #[must_use]
    pub fn as_slice(&self) -> &[u16] {
        self.words.get(..usize::from(self.count)).unwrap_or(&[])
    }
}

impl core::fmt::Debug for Words {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl From<Vec<u16>> for Words {
    fn from(words: Vec<u16>) -> Self {
        Self::new(&words)
    }
}

impl From<Words> for Vec<u16> {
    fn from(words: Words) -> Self {
        words.as_slice().to_vec()
    }
}
