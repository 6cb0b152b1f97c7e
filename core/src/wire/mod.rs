//! Canonical, bounded encoding of everything that is signed, hashed, stored or sent.
//!
//! Integers are fixed-width little endian. A byte string is its length as `u32` followed by its bytes; a list is its
//! count as `u32` followed by its items; an option is `0`, or `1` followed by the value. Every length has a cap that is
//! checked before anything is allocated, every decoder consumes its input exactly, and every decoded value encodes to
//! the same bytes again. The page `spec/wire.md` lists the rules.
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
mod decode;
pub mod domain;
mod encode;
#[cfg(feature = "serde")]
pub mod serde;

pub use decode::{Decode, Reader};
pub use encode::{Encode, Writer};
