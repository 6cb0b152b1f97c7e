//! Threshold cryptography: operations that need t of n members.

mod bls;
mod coin;
mod common;
mod dleq;
mod ecdsa;
mod seal;
mod secret;
mod tdh2;
