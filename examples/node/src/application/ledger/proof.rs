use std::sync::LazyLock;

use blake3::hazmat::{ContextKey, hash_derive_key_context};
use quorate::Error;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};

use super::records::SUMMARY;
use crate::application::trie::{Digest, TrieProof, hash_parts};
use crate::application::{ApplicationError, State};

/// Proof of the value of a key, or of its absence, under a state root of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerProof {
    pub(super) summary: Summary,
    pub(super) trie: TrieProof,
}

impl LedgerProof {
    /// Verifies that the value of `key` under `state_root` is `value`; `None` means that the key has no value.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the proof shows something else.
    pub fn verify(&self, state_root: &[u8; 32], key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
        if self.summary.root() != *state_root {
            return Err(Error::WrongContext { what: "state root" });
        }
        let found = self.trie.verify(&self.summary.trie_root, &trie_path(key))?;
        if found != value.map(value_hash) {
            return Err(Error::WrongContext { what: "value" });
        }
        Ok(())
    }
}

/// Input of the hash that is the state root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) trie_root: Digest,
    pub(super) entries: u64,
    pub(super) payloads: u64,
    pub(super) payload_hash: Digest,
}

impl Summary {
    /// Reads the summary of a state.
    pub(super) fn restore(state: &State) -> Result<Self, ApplicationError> {
        match state.get(SUMMARY)? {
            None => Ok(Self::default()),
            Some(bytes) => Self::decode(&bytes, &())
                .map_err(|e| ApplicationError::new(format!("cannot decode the ledger's summary: {e}"))),
        }
    }

    pub(super) fn root(&self) -> Digest {
        domain::hash(domain::LEDGER_ROOT, &self.encode())
    }
}

impl Encode for Summary {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.trie_root);
        w.u64(self.entries);
        w.u64(self.payloads);
        w.raw(&self.payload_hash);
    }
}

impl Decode for Summary {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self, Error> {
        Ok(Self { trie_root: r.array()?, entries: r.u64()?, payloads: r.u64()?, payload_hash: r.array()? })
    }
}

impl Encode for LedgerProof {
    fn encode_to(&self, w: &mut Writer) {
        self.summary.encode_to(w);
        self.trie.encode_to(w);
    }
}

impl Decode for LedgerProof {
    fn decode_from(r: &mut Reader<'_>, context: &()) -> Result<Self, Error> {
        Ok(Self { summary: Summary::decode_from(r, context)?, trie: TrieProof::decode_from(r, context)? })
    }
}

pub(super) fn trie_path(key: &[u8]) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_KEY));
    hash_parts(&CONTEXT, &[key])
}

pub(super) fn value_hash(value: &[u8]) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_VALUE));
    hash_parts(&CONTEXT, &[value])
}
