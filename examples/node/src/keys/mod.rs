//! The validator's secret keys on disk.
//!
//! A key file is a short text file that only its owner can read:
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
//!
//! An [encrypted](EncryptedKeys) key file is a JSON object instead, with a keystore of EIP-2335 for each of the two secrets:
//!
//! ```text
//! { "format": "quorate-keys 2", "scheme": "bls", "identity": { … }, "voting": { … } }
//! ```
//!
//! A file is never overwritten: the old keys may be in a genesis, and a validator that loses them cannot return.

mod key_file;
mod keystore;
mod node_keys;
mod password;
mod private_file;

pub use key_file::{EncryptedKeys, KeyFile};
pub use keystore::{KeyDerivation, Keystore};
pub use node_keys::NodeKeys;
pub(crate) use password::prompt;
pub use password::{NEW_PASSWORD_VARIABLE, PASSWORD_VARIABLE, Password};
pub use private_file::{load_private, load_shares, save_private, save_shares};
