//! The validator's secret keys on disk.
//!
//! A key file is a few lines of text, readable by its owner alone:
//!
//! ```text
//! quorate-keys 1
//! scheme bls
//! identity <64 hexadecimal digits>
//! voting <64 hexadecimal digits>
//! identity-public <64 hexadecimal digits>
//! ```
//!
//! `identity` is an Ed25519 secret (links, blocks), `voting` the secret of the voting key in the named scheme. The
//! last line guards against a damaged file. Lines that begin with `#` are comments.

use zeroize::Zeroizing;

use crate::genesis::SchemeName;

/// A validator's secrets. They are wiped when dropped and cannot be printed or cloned.
pub struct NodeKeys {
    pub(crate) scheme: SchemeName,
    pub(crate) identity: Zeroizing<[u8; 32]>,
    pub(crate) voting: Zeroizing<[u8; 32]>,
}

impl NodeKeys {
    /// The scheme of the voting key.
    pub fn scheme(&self) -> SchemeName {
        self.scheme
    }
}
