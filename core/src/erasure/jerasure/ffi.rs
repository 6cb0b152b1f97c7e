//! The calls into Jerasure, and nothing else: matrices in, schedules of exclusive-ors out, schedules carried out.
//!
//! Jerasure checks nothing: it aborts on words it does not know, writes past buffers that are no multiple of word times
//! packet, and hangs on empty lists of erasures. So only the functions that take no such lists are called, and every
//! function here holds, by its arguments' types or by an assertion, what those functions need. Its tables are static
//! and made at first use without a lock: [`LOCK`] is held during every call.
#![allow(unsafe_code, reason = "Jerasure is C")]

use alloc::vec::Vec;
use core::ffi::{c_char, c_int};
use std::sync::{Mutex, PoisonError};

use jerasure_sys::jerasure as c;

use crate::erasure::Packets;
use crate::{Error, Result};

/// Held while Jerasure runs. What it guards has no state that a panic could leave half done.
static LOCK: Mutex<()> = Mutex::new(());

fn locked<T>(run: impl FnOnce() -> T) -> T {
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    run()
}

/// Exclusive-ors that make some shards of others.
pub(super) struct Schedule {
    operations: *mut *mut c_int,
    from: usize,
    to: usize,
    packets: Packets,
}

// SAFETY: the operations are plain memory of Jerasure's that no other value refers to. They are only read, except
// when they are freed.
unsafe impl Send for Schedule {}
// SAFETY: as above.
unsafe impl Sync for Schedule {}

/// A matrix of bits, row by row: as many rows as a word's bits for each shard that is made, and as many columns for each
/// that it is made of.
pub(super) struct Bits(Vec<c_int>);

/// The bits of the Cauchy matrix that makes `parity` shards of `data`: 1 / (j ⊕ (parity + i)) in row j and column i,
/// improved so that there are fewer ones. The suite has allowed this shape.
pub(super) fn parity_bits(data: usize, parity: usize, word: u8) -> Result<Bits> {
    let (k, m, w) = (int(data)?, int(parity)?, c_int::from(word));
    assert!((2..=16).contains(&w) && k > 0 && m > 0 && k + m <= 1 << w, "the suite has allowed this shape");
    let len = data * parity * usize::from(word) * usize::from(word);
    locked(|| {
        // SAFETY: the field exists for words of 2 to 16 bits, and has k + m elements or more.
        let matrix = Allocated::new(unsafe { c::cauchy_original_coding_matrix(k, m, w) })?;
        // SAFETY: the matrix has k·m elements.
        unsafe { c::cauchy_improve_coding_matrix(k, m, w, matrix.0) };
        // SAFETY: as above; the answer has k·m·w·w elements.
        let bits = Allocated::new(unsafe { c::jerasure_matrix_to_bitmatrix(k, m, w, matrix.0) })?;
        // SAFETY: so many were written.
        Ok(Bits(unsafe { core::slice::from_raw_parts(bits.0, len) }.to_vec()))
    })
}

/// The bits that make the `lost` data shards of those at `sources`. Cost: (k·w)³ steps, some of them side by side.
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
    // Jerasure takes the first k shards that are not erased.
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
    /// A schedule for these bits, which make `to` shards of `from`.
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

    /// Makes `outputs` of `inputs`.
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
        // SAFETY: the operations were made for k and m shards of w packets, end with a mark, and each reads or writes
        // whole packets; all buffers have `size` bytes, a multiple of w packets. Inputs are only read: an operation
        // writes to places from k on, which are the outputs. Packets have a power of two of bytes, so each starts as
        // far from a boundary of 16 bytes as the others of its shard, or is shorter and done byte by byte.
        locked(|| unsafe { c::jerasure_schedule_encode(k, m, w, self.operations, from, to, size, packet) });
        Ok(())
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        // SAFETY: made by Jerasure, freed once.
        unsafe { c::jerasure_free_schedule(self.operations) }
    }
}

/// A matrix of Jerasure's, freed at the end.
struct Allocated(*mut c_int);

impl Allocated {
    fn new(matrix: *mut c_int) -> Result<Self> {
        if matrix.is_null() { Err(unexpected()) } else { Ok(Self(matrix)) }
    }
}

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: made by Jerasure, freed once.
        unsafe { c::jerasure_free_matrix(self.0) }
    }
}

fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| Error::TooLarge { what: "shard", limit: c_int::MAX as u64 })
}

/// Memory ran out, or a matrix has no inverse that must have one.
fn unexpected() -> Error {
    Error::BadShape { rule: "Jerasure has no matrix for these shards" }
}
