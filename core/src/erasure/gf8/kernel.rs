use alloc::vec::Vec;

use super::field::Factor;

/// A vector kernel. It computes a group of outputs together, so that each input is loaded once for all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    /// Width of a vector in bytes.
    pub(super) width: usize,
    /// Maximum number of outputs in a group.
    pub(super) group: usize,
    /// Combines the bytes `from..to`, both multiples of the width; all slices have at least `to` bytes. `rows` has
    /// one row per output, at most `group`, and each row one factor per input.
    pub(super) run: Run,
}

type Run = fn(rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]], from: usize, to: usize);

/// The factors of each output.
pub(super) type Rows<'a> = [Vec<&'a Factor>];
