//! The chain: each row's hash covers the row and the hash before it, so that no row can be changed, left out or put in unseen.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A SHA-256.
pub(super) type Hash = [u8; 32];

/// The journal's last record and the chain's hash there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The last record's number; the number before the first one in an empty journal.
    pub(super) seq: u64,
    /// The hash there; the genesis in an empty journal.
    pub(super) hash: Hash,
}

/// A row of the journal without its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) seq: u64,
    /// Monotonic nanoseconds.
    pub(super) at: u64,
    /// Milliseconds since 1970.
    pub(super) wall: i64,
    pub(super) wall_quality: String,
    pub(super) boot: String,
    pub(super) round: Option<u64>,
    /// The relay's cursor.
    pub(super) relayed: u64,
    pub(super) kind: String,
    pub(super) body: String,
}

/// The hash from which the first record's is reckoned.
pub(super) fn genesis(stream: &str, first: u64, after: Option<&Hash>) -> Hash {
    let after = after.map_or_else(|| "-".to_owned(), hex);
    Sha256::digest(format!("tumblerd journal\n{stream}\n{first}\n{after}\n")).into()
}

/// The hash of a row that follows the row with hash `previous`.
pub(super) fn link(previous: &Hash, row: &Row) -> Hash {
    let mut text = String::with_capacity(row.body.len() + 160);
    let round = row.round.map_or_else(|| "-".to_owned(), |r| r.to_string());
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
        row.seq, row.at, row.wall, row.wall_quality, row.boot, round, row.relayed, row.kind, row.body
    );
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(text.as_bytes());
    hasher.finalize().into()
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &Hash) -> String {
    let mut text = String::with_capacity(64);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The hash that these 64 hexadecimal digits are.
pub(super) fn unhex(text: &str) -> Option<Hash> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            seq: 7,
            at: 5,
            wall: 1_700_000_000_000,
            wall_quality: "synchronised".into(),
            boot: "b".into(),
            round: None,
            relayed: 3,
            kind: "stopped".into(),
            body: "{}".into(),
        }
    }

    #[test]
    fn the_chain_is_what_the_page_says() {
        // printf 'tumblerd journal\ns\n1\n-\n' | sha256sum
        let genesis = genesis("s", 1, None);
        let text = "7\n5\n1700000000000\nsynchronised\nb\n-\n3\nstopped\n{}";
        let mut bytes = genesis.to_vec();
        bytes.extend_from_slice(text.as_bytes());
        assert_eq!(link(&genesis, &row()), <Hash>::from(Sha256::digest(bytes)));
        assert_eq!(hex(&genesis), hex(&Sha256::digest("tumblerd journal\ns\n1\n-\n").into()));
    }

    #[test]
    fn every_field_counts() {
        let start = [0; 32];
        let first = link(&start, &row());
        let changes: [fn(&mut Row); 9] = [
            |r| r.seq += 1,
            |r| r.at += 1,
            |r| r.wall += 1,
            |r| r.wall_quality.push('x'),
            |r| r.boot.push('x'),
            |r| r.round = Some(0),
            |r| r.relayed += 1,
            |r| r.kind.push('x'),
            |r| r.body.push(' '),
        ];
        for change in changes {
            let mut other = row();
            change(&mut other);
            assert_ne!(link(&start, &other), first);
        }
        assert_ne!(link(&[1; 32], &row()), first);
    }

    #[test]
    fn hexadecimal_there_and_back() {
        let hash = genesis("s", 1, None);
        assert_eq!(unhex(&hex(&hash)), Some(hash));
        assert_eq!(unhex("12"), None);
        assert_eq!(unhex(&"g".repeat(64)), None);
        assert_eq!(unhex(&"ä".repeat(32)), None);
    }
}
