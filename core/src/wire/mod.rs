//! Canonical, bounded encoding: what everything that is signed, hashed, stored or sent is made of.
//!
//! Integers are fixed-width little endian. A byte string is its length as `u32`, then its bytes; a list is its
//! count as `u32`, then its items; an option is `0`, or `1` and the value. Every length has a cap that is checked
//! before anything is allocated, every decoder consumes its input exactly, and whatever decodes encodes to the
//! same bytes again. The page `spec/wire.md` has the rules.
//!
//! ```
//! use quorate::wire::{Decode, Encode, Reader, Writer};
//!
//! struct Ping { nonce: u64 }
//! impl Encode for Ping {
//!     fn encode_to(&self, w: &mut Writer) { w.u64(self.nonce) }
//! }
//! impl Decode for Ping {
//!     fn decode_from(r: &mut Reader<'_>, _: &()) -> quorate::Result<Self> { Ok(Ping { nonce: r.u64()? }) }
//! }
//! assert_eq!(Ping::decode(&Ping { nonce: 7 }.encode(), &())?.nonce, 7);
//! assert_eq!(Ping::decode(&[0; 9], &()).err().map(|e| e.code()), Some("MALFORMED"));
//! # Ok::<(), quorate::Error>(())
//! ```

#[cfg(any(feature = "dsig", feature = "threshold"))]
pub(crate) mod context;
pub mod domain;
mod reader;
#[cfg(feature = "serde")]
pub mod serde;
mod writer;

use alloc::vec::Vec;

pub use reader::Reader;
pub use writer::Writer;

use crate::Result;

/// A value with one canonical encoding.
pub trait Encode {
    /// Appends the encoding.
    fn encode_to(&self, w: &mut Writer);

    /// The encoding alone.
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new();
        self.encode_to(&mut w);
        w.into_bytes()
    }
}

/// A value that can be read back. `C` is what the decoder must know beforehand: `()` for most things, the
/// [`Committee`](crate::committee::Committee) for what holds a signer bitmap, whose length depends on it.
pub trait Decode<C: ?Sized = ()>: Sized {
    /// Reads one value and leaves the reader behind it.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes; the reader's position is then unspecified.
    fn decode_from(r: &mut Reader<'_>, context: &C) -> Result<Self>;

    /// Decodes a value that fills `bytes` exactly.
    ///
    /// # Errors
    /// As [`decode_from`](Decode::decode_from), and as [`Reader::finish`] if bytes are left over.
    fn decode(bytes: &[u8], context: &C) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let value = Self::decode_from(&mut r, context)?;
        r.finish()?;
        Ok(value)
    }
}
