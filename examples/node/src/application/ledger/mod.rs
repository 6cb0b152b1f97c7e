//! The default application: a key–value ledger that also records opaque payloads.
//!
//! A transaction is one of
//!
//! | bytes | meaning |
//! |---|---|
//! | `put KEY VALUE` | sets the value of KEY to VALUE |
//! | `delete KEY` | removes the value of KEY, if there is one |
//! | anything else | a payload: counted, and bound into the state root by a running hash of transaction identifiers |
//!
//! KEY is 1 to 128 bytes without a space. VALUE is everything after the one space behind KEY, 0 to 4096 bytes, including
//! spaces. Command names are lower case, and a space is one byte 0x20. A transaction that starts with `put ` or `delete ` and
//! violates these limits is rejected on admission; a block that contains it records it as a payload.
//!
//! **State root** = H(ledger-root; trie root ‖ entries u64 ‖ payloads u64 ‖ running hash), where the
//! [trie](super::trie) maps H(ledger-key; KEY) to H(ledger-value; VALUE), and the running hash, zero at first, becomes
//! H(ledger-payloads; running hash ‖ identifier of each payload of the block) at each block that has any.
//!
//! **On disk.** The state has a record `e` ‖ KEY → VALUE for each entry, `s` → the summary that is the input of the state
//! root, and the records of the [trie](super::trie). In memory are only the hashes of the trie's upper levels, at most
//! 277 MB. A restart reads at most 131,072 hashes, and no entries.
//!
//! **Limit.** With [`MAX_ENTRIES`] entries, a `put` of a new key has no effect. The limit is part of the chain's rules.

mod command;
mod division;
mod execution;
mod parts;
mod proof;
mod records;
#[cfg(test)]
mod tests;
mod upgrade;

pub use command::{LedgerCommand, MAX_KEY, MAX_VALUE};
pub use execution::{Ledger, MAX_ENTRIES};
pub use parts::LedgerParts;
pub use proof::LedgerProof;
