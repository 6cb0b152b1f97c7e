//! What t of n members can do together, and fewer cannot.

mod bls;
mod coin;
mod common;
mod dleq;
mod ecdsa;
mod seal;
mod secret;
mod tdh2;
