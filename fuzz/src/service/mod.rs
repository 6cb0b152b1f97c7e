//! Inputs of the servers of [`quorate_service`] and of their engines, the audited key-value store and the exchange: messages,
//! commands, answers and receipts from untrusted sources, their execution, the replay of a log, and the files of clients.

pub(crate) mod audited_kv;
mod commands;
pub(crate) mod exchange;
mod fixture;
mod input;
pub(crate) mod replay;
pub(crate) mod wire;
