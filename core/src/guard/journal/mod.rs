//! A guard with a journal in a directory, see [`JournaledGuard`].

pub(in crate::guard) mod disk;
pub(in crate::guard) mod file;
mod signer;
pub(in crate::guard) mod store;
#[cfg(all(test, feature = "toy"))]
pub(in crate::guard) mod tests;

pub use file::JournalFile;
pub use signer::JournaledGuard;
