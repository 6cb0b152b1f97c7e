//! The framed submission stream. [`protocol`] defines its bytes.

mod connection;
mod context;
mod open;
pub mod protocol;
mod server;

pub(super) use context::Context;
pub(super) use server::serve;
