//! All variants of an enumeration, by value.

/// The variants that `strum` lists, as an array. Its length is theirs, or this does not compile.
pub(crate) const fn every<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    match variants.first_chunk() {
        Some(all) if N == variants.len() => *all,
        _ => unreachable!(),
    }
}
