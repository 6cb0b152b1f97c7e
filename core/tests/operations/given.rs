//! A random number generator that returns the bytes of a case.

use std::convert::Infallible;

use rand::{TryCryptoRng, TryRng};

/// A random number generator that returns given bytes.
pub(crate) struct Given(pub(crate) Vec<u8>);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> std::result::Result<u32, Infallible> {
        unreachable!("only bytes are drawn")
    }

    fn try_next_u64(&mut self) -> std::result::Result<u64, Infallible> {
        unreachable!("only bytes are drawn")
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> std::result::Result<(), Infallible> {
        to.copy_from_slice(&self.0.drain(..to.len()).collect::<Vec<_>>());
        Ok(())
    }
}

impl TryCryptoRng for Given {}
