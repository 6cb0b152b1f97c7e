//! The Ed25519 voting key of a signer in a PKCS#11 token: a hardware security module, a smart card, or SoftHSM2.
//!
//! The secret key never leaves the token, and this process has no copy of it. [`Token::find`] loads the module of the token's
//! vendor, [`Token::log_in`] takes the PIN, and [`TokenSession::key`] finds the key by its label. The [`TokenKey`] is an
//! [`ExternalKey`](quorate::guard::ExternalKey): the journal of a
//! [`JournaledGuard`](quorate::guard::JournaledGuard) decides before the token is asked. A token has no memory of votes and
//! signs everything that the process asks for, so the journal is as necessary as with a key file.
//!
//! The module is code of the vendor that runs in this process. It is loaded at run time, only if a token is used.
//!
//! Mechanisms: `CKM_EDDSA` without parameters (RFC 8032) on a key of type `CKK_EC_EDWARDS`, and `CKM_EC_EDWARDS_KEY_PAIR_GEN`
//! for a new one. Tokens do not sign with BLS.

mod error;
mod key;
mod pin;
mod session;

pub use error::TokenError;
pub use key::TokenKey;
pub use pin::{PIN_VARIABLE, Pin};
pub use session::{Token, TokenSession};
