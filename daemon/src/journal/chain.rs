//! The chain: each row's link covers the row and the link before it, so that no row can be changed, left out or put in unseen.
//! What it covers is told to the broker with every record, so that anybody can compute it again: `docs/mqtt.md` says how.

use hex::FromHex;
use sha2::{Digest, Sha256};

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

/// The format of the rows that this version writes: of the chain's header and of the body, which change together.
pub(super) const FORMAT: u32 = tumbler_core::record::VERSION;

/// A row of the journal without its link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// 1 as tumblerd 0.1 wrote it, or [`FORMAT`].
    pub(super) format: u32,
    pub(super) seq: u64,
    /// Monotonic nanoseconds.
    pub(super) at: u64,
    /// Milliseconds since 1970.
    pub(super) wall: i64,
    pub(super) wall_quality: String,
    pub(super) boot: String,
    pub(super) round: Option<u64>,
    /// The relay's cursor: the table's own, and since format 2 no part of the chain.
    pub(super) relayed: u64,
    pub(super) kind: String,
    pub(super) body: String,
}

/// The link that the first record's is reckoned from.
pub(super) fn genesis(stream: &str, first: u64, after: Option<&Hash>) -> Hash {
    let after = after.map_or_else(|| "-".to_owned(), hex::encode);
    Sha256::digest(format!("tumblerd journal\n{stream}\n{first}\n{after}\n")).into()
}

/// What identifies a row, as the chain covers it: lines of fixed number and order, each ended by a line feed.
pub(super) fn header(row: &Row) -> String {
    let Row { format, seq, at, wall, wall_quality, boot, relayed, kind, .. } = row;
    let round = row.round.map_or_else(|| "-".to_owned(), |r| r.to_string());
    if *format == 1 {
        return format!("{seq}\n{at}\n{wall}\n{wall_quality}\n{boot}\n{round}\n{relayed}\n{kind}\n");
    }
    format!("tumblerd record {format}\n{seq}\n{at}\n{boot}\n{wall}\n{wall_quality}\n{round}\n{kind}\n")
}

/// The hash of a row's body, which stands for it in the chain.
pub(super) fn body_hash(row: &Row) -> Hash {
    Sha256::digest(&row.body).into()
}

/// The link of a row that follows the row with link `previous`. In format 1 it covered the body itself, so that whoever was not
/// told the body could prove nothing.
pub(super) fn link(previous: &Hash, row: &Row) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(header(row));
    if row.format == 1 {
        hasher.update(&row.body);
    } else {
        hasher.update(body_hash(row));
    }
    hasher.finalize().into()
}

/// Covers the relay's cursor beside a row, so that damage to it is noticed although the chain leaves it out: a cursor that is too
/// high would keep records from the broker for good.
pub(super) fn cursor_sum(link: &Hash, relayed: u64) -> [u8; 8] {
    let mut hasher = Sha256::new();
    hasher.update(link);
    hasher.update(format!("tumblerd relayed\n{relayed}\n"));
    let [a, b, c, d, e, f, g, h, ..]: Hash = hasher.finalize().into();
    [a, b, c, d, e, f, g, h]
}

/// The hash that these 64 hexadecimal digits are.
pub(super) fn unhex(text: &str) -> Option<Hash> {
    Hash::from_hex(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(format: u32) -> Row {
        Row {
            format,
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
        assert_eq!(hex::encode(genesis), hex::encode(Sha256::digest("tumblerd journal\ns\n1\n-\n")));
        let mut bytes = genesis.to_vec();
        bytes.extend_from_slice(b"tumblerd record 2\n7\n5\nb\n1700000000000\nsynchronised\n-\nstopped\n");
        bytes.extend_from_slice(&Sha256::digest("{}"));
        assert_eq!(link(&genesis, &row(2)), <Hash>::from(Sha256::digest(bytes)));
    }

    #[test]
    fn rows_of_0_1_keep_their_links() {
        let mut bytes = vec![9; 32];
        bytes.extend_from_slice(b"7\n5\n1700000000000\nsynchronised\nb\n-\n3\nstopped\n{}");
        assert_eq!(link(&[9; 32], &row(1)), <Hash>::from(Sha256::digest(bytes)));
    }

    #[test]
    fn every_field_counts() {
        let start = [0; 32];
        let changes: [fn(&mut Row); 9] = [
            |r| r.seq += 1,
            |r| r.at += 1,
            |r| r.wall += 1,
            |r| r.wall_quality.push('x'),
            |r| r.boot.push('x'),
            |r| r.round = Some(0),
            |r| r.kind.push('x'),
            |r| r.body.push(' '),
            |r| r.format = 3 - r.format,
        ];
        for format in [1, 2] {
            let first = link(&start, &row(format));
            for change in changes {
                let mut other = row(format);
                change(&mut other);
                assert_ne!(link(&start, &other), first);
            }
            assert_ne!(link(&[1; 32], &row(format)), first);
        }
    }

    /// Since format 2 the cursor is not in the chain, and has a sum of its own.
    #[test]
    fn the_relays_cursor_is_covered_beside_the_chain() {
        let (mut old, mut new) = (row(1), row(2));
        let before = (link(&[0; 32], &old), link(&[0; 32], &new));
        (old.relayed, new.relayed) = (4, 4);
        assert_ne!(link(&[0; 32], &old), before.0);
        assert_eq!(link(&[0; 32], &new), before.1);
        assert_ne!(cursor_sum(&before.1, 3), cursor_sum(&before.1, 4));
        assert_ne!(cursor_sum(&before.1, 3), cursor_sum(&before.0, 3));
    }

    #[test]
    fn hexadecimal_there_and_back() {
        let hash = genesis("s", 1, None);
        assert_eq!(unhex(&hex::encode(hash)), Some(hash));
        assert_eq!(unhex("12"), None);
        assert_eq!(unhex(&"g".repeat(64)), None);
        assert_eq!(unhex(&"ä".repeat(32)), None);
    }
}
