//! Random numbers of the system.

use std::io::{self, Read};

/// So many random bytes.
///
/// # Errors
/// `/dev/urandom` cannot be read.
pub fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// 128 random bits in hexadecimal: a name that nothing else has, or a secret.
///
/// # Errors
/// `/dev/urandom` cannot be read.
pub fn word() -> io::Result<String> {
    Ok(format!("{:032x}", u128::from_be_bytes(bytes()?)))
}
