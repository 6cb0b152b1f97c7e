//! Bindings to Jerasure: matrices, and schedules of exclusive-ors made from them and run.
//!
//! Jerasure validates nothing: it aborts on unknown word sizes, writes past buffers whose length is no multiple of
//! word times packet, and hangs on empty lists of erasures. So only functions without such lists are called, and
//! every function here ensures their preconditions by its argument types or by an assertion. Jerasure's tables are
//! static and created at first use without a lock, so [`LOCK`] is held during every call.
#![allow(unsafe_code, reason = "Jerasure is C")]

use alloc::vec::Vec;
use core::ffi::{c_char, c_int};
use std::sync::{Mutex, PoisonError};

use jerasure_sys::jerasure as c;

use crate::erasure::Packets;
use crate::{Error, Result};

/// Held while Jerasure runs. It guards no state that a panic could leave inconsistent.
static LOCK: Mutex<()> = Mutex::new(());

fn locked<T>(run: impl FnOnce() -> T) -> T {
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    run()
}

/// A sequence of exclusive-ors that computes shards from other shards.
pub(super) struct Schedule {
    operations: *mut *mut c_int,
    from: usize,
    to: usize,
    packets: Packets,
}

// SAFETY: the operations are plain memory allocated by Jerasure with no other reference to it. They are only read,
// except when they are freed.
unsafe impl Send for Schedule {}
// SAFETY: as above.
unsafe impl Sync for Schedule {}

/// A bit matrix in row order: one row per bit of a word for each output shard, and one column per bit for each input
/// shard.
pub(super) struct Bits(Vec<c_int>);

/// Returns the bits of the Cauchy matrix that computes `parity` shards from `data` shards: 1 / (j ⊕ (parity + i)) in
/// row j and column i, optimised to have fewer ones. The suite must allow this shape.
pub(super) fn parity_bits(data: usize, parity: usize, word: u8) -> Result<Bits> {
    let (k, m, w) = (int(data)?, int(parity)?, c_int::from(word));
    assert!((2..=16).contains(&w) && k > 0 && m > 0 && k + m <= 1 << w, "the suite has allowed this shape");
    let len = data * parity * usize::from(word) * usize::from(word);
    locked(|| {
        // SAFETY: the field exists for words of 2 to 16 bits, and has k + m elements or more.
        let matrix = Allocated::new(unsafe { c::cauchy_original_coding_matrix(k, m, w) })?;
        // SAFETY: the matrix has k·m elements.
        unsafe { c::cauchy_improve_coding_matrix(k, m, w, matrix.0) };
        // SAFETY: as above; the result has k·m·w·w elements.
        let bits = Allocated::new(unsafe { c::jerasure_matrix_to_bitmatrix(k, m, w, matrix.0) })?;
        // SAFETY: Jerasure wrote that number of elements.
        Ok(Bits(unsafe { core::slice::from_raw_parts(bits.0, len) }.to_vec()))
    })
}

/// Returns the bits that compute the `lost` data shards from those at `sources`. Cost: (k·w)³ steps, partly in
/// parallel.
pub(super) fn restoring_bits(
    parity: &Bits,
    data: usize,
    word: u8,
    sources: &[usize],
    lost: &[usize],
) -> Result<Bits> {
    let (k, w) = (int(data)?, c_int::from(word));
    let rows = data * usize::from(word) * usize::from(word);
    let shards = parity.0.len() / rows + data;
    let m = int(shards - data)?;
    assert!(
        sources.len() == data && sources.is_sorted_by(|a, b| a < b) && sources.iter().all(|s| *s < shards),
        "as many sources as data shards, ascending"
    );
    // Jerasure uses the first k shards that are not erased.
    let mut erased: Vec<c_int> = alloc::vec![1; shards];
    for source in sources {
        if let Some(is) = erased.get_mut(*source) {
            *is = 0;
        }
    }
    let mut bits = parity.0.clone();
    let (mut inverse, mut ids) = (alloc::vec![0; data * rows], alloc::vec![0; data]);
    let (bits, erased) = (bits.as_mut_ptr(), erased.as_mut_ptr());
    // SAFETY: the matrix has rows for all m parity shards and `erased` an element for all shards, k of which are zero;
    // k·k·w·w elements are written to the inverse, k to the identifiers.
    let outcome = locked(|| unsafe {
        c::jerasure_make_decoding_bitmatrix(k, m, w, bits, erased, inverse.as_mut_ptr(), ids.as_mut_ptr())
    });
    if outcome != 0 {
        return Err(unexpected());
    }
    let wanted =
        lost.iter().map(|shard| inverse.get(shard * rows..(shard + 1) * rows).ok_or_else(unexpected));
    Ok(Bits(wanted.collect::<Result<Vec<_>>>()?.concat()))
}

impl Schedule {
    /// Creates a schedule for these bits, which compute `to` shards from `from` shards.
    pub(super) fn new(bits: &Bits, from: usize, to: usize, packets: Packets) -> Result<Self> {
        let word = usize::from(packets.word());
        assert!(from > 0 && to > 0 && bits.0.len() == from * to * word * word, "a matrix of this size");
        let (k, m, w) = (int(from)?, int(to)?, c_int::from(packets.word()));
        let mut bits = bits.0.clone();
        // SAFETY: the matrix has m·w rows and k·w columns. It is only read, but the declaration does not say so.
        let operations =
            locked(|| unsafe { c::jerasure_smart_bitmatrix_to_schedule(k, m, w, bits.as_mut_ptr()) });
        if operations.is_null() { Err(unexpected()) } else { Ok(Self { operations, from, to, packets }) }
    }

    /// Computes `outputs` from `inputs`.
    pub(super) fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        let unit = usize::from(self.packets.word()) * self.packets.packet();
        let len = inputs.first().map_or(0, |input| input.len());
        let equal = inputs.iter().all(|i| i.len() == len) && outputs.iter().all(|o| o.len() == len);
        assert!(
            equal && (inputs.len(), outputs.len()) == (self.from, self.to) && len.is_multiple_of(unit),
            "as many shards as the schedule has, of whole packets"
        );
        let (k, m, size) = (int(self.from)?, int(self.to)?, int(len)?);
        let (w, packet) = (c_int::from(self.packets.word()), int(self.packets.packet())?);
        let mut from: Vec<*mut c_char> = inputs.iter().map(|i| i.as_ptr().cast_mut().cast()).collect();
        let mut to: Vec<*mut c_char> = outputs.iter_mut().map(|o| o.as_mut_ptr().cast()).collect();
        let (from, to) = (from.as_mut_ptr(), to.as_mut_ptr());
        // SAFETY: the operations were made for k and m shards of w packets, end with a marker, and each reads or
        // writes whole packets; all buffers have `size` bytes, a multiple of w packets. Inputs are only read:
        // operations write to indices from k on, which are the outputs. Packet sizes are powers of two, so all
        // packets of a shard have the same alignment to 16 bytes, or are shorter and processed byte by byte.
        locked(|| unsafe { c::jerasure_schedule_encode(k, m, w, self.operations, from, to, size, packet) });
        Ok(())
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        // SAFETY: allocated by Jerasure, freed once.
        unsafe { c::jerasure_free_schedule(self.operations) }
    }
}

/// A matrix allocated by Jerasure, freed on drop.
struct Allocated(*mut c_int);

impl Allocated {
    fn new(matrix: *mut c_int) -> Result<Self> {
        if matrix.is_null() { Err(unexpected()) } else { Ok(Self(matrix)) }
    }
}

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: allocated by Jerasure, freed once.
        unsafe { c::jerasure_free_matrix(self.0) }
    }
}

fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| Error::TooLarge { what: "shard", limit: c_int::MAX as u64 })
}

/// Returned if memory runs out, or if a matrix that must be invertible is not.
fn unexpected() -> Error {
    Error::BadShape { rule: "Jerasure has no matrix for these shards" }
}
