//! All variants of an enumeration, by value.

/// The variants that `strum` lists, as an array. Its length is theirs, or this does not compile.
pub(crate) const fn every<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    assert!(N == variants.len(), "the array is as long as the list");
    let Some(all) = variants.first_chunk() else { unreachable!() };
    *all
}
