use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use quorate::wire::{Encode, domain};

use super::command::{LedgerCommand, checked_key};
use super::parts::LedgerParts;
use super::proof::{LedgerProof, Summary, trie_path, value_hash};
use super::records::{SUMMARY, entry_key};
use super::upgrade;
use crate::application::trie::{Change, Digest, Shape, StoredTrie, damaged};
use crate::application::{
    Application, ApplicationError, Changes, Checker, ExecutionBlock, Found, State, StateParts, StateWriter,
};

/// Maximum number of entries.
pub const MAX_ENTRIES: u64 = 1 << 26;

/// The key–value ledger. See the module's documentation.
#[derive(Debug)]
pub struct Ledger {
    trie: StoredTrie,
    summary: Summary,
    state: State,
    shape: Shape,
    max_entries: u64,
}

/// The last change of a key in a block.
struct Pending<'a> {
    key: &'a [u8],
    value: Option<&'a [u8]>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new(Shape::LEDGER, MAX_ENTRIES)
    }
}

impl Application for Ledger {
    fn checker(&self) -> Arc<dyn Checker> {
        Arc::new(|transaction: &[u8]| LedgerCommand::parse(transaction).map(|_| ()))
    }

    fn upgrade(&self, state: &State, write: &mut StateWriter<'_>) -> Result<(), ApplicationError> {
        upgrade::complete_records(state, self.shape, write)
    }

    fn restore(&mut self, state: State, _height: u64) -> Result<[u8; 32], ApplicationError> {
        let summary = Summary::restore(&state)?;
        let trie = StoredTrie::restore(&state, self.shape, summary.entries)?;
        if trie.root() != summary.trie_root {
            return Err(damaged());
        }
        *self = Self { trie, summary, state, ..*self };
        Ok(self.summary.root())
    }

    fn execute(
        &mut self,
        block: &ExecutionBlock<'_>,
        changes: &mut Changes,
    ) -> Result<[u8; 32], ApplicationError> {
        static CONTEXT: LazyLock<ContextKey> =
            LazyLock::new(|| hash_derive_key_context(domain::LEDGER_PAYLOADS));
        let mut payloads = blake3::Hasher::new_from_context_key(&CONTEXT);
        payloads.update(&self.summary.payload_hash);
        let before = self.summary.payloads;
        let mut commands = Vec::new();
        for (id, transaction) in block.transactions() {
            match LedgerCommand::parse(transaction) {
                Ok(Some(command)) => commands.push(command),
                Ok(None) | Err(_) => {
                    payloads.update(id);
                    self.summary.payloads += 1;
                }
            }
        }
        if self.summary.payloads != before {
            self.summary.payload_hash = *payloads.finalize().as_bytes();
        }
        if !commands.is_empty() {
            self.apply(&commands, changes)?;
        }
        changes.put(SUMMARY, &self.summary.encode());
        Ok(self.summary.root())
    }

    fn query(&self, key: &[u8]) -> Result<Option<Found>, ApplicationError> {
        if checked_key(key).is_err() {
            return Ok(None);
        }
        let trie = self.trie.prove(&self.state, &trie_path(key))?;
        let value = self.state.get(&entry_key(key))?;
        let proof = LedgerProof { summary: self.summary, trie };
        // The records of the key were not compared with the root since the restart.
        proof.verify(&self.summary.root(), key, value.as_deref()).map_err(|_| damaged())?;
        Ok(Some(Found { value, proof: proof.encode() }))
    }

    fn parts(&self) -> Arc<dyn StateParts> {
        Arc::new(LedgerParts)
    }
}

impl Ledger {
    pub(super) fn new(shape: Shape, max_entries: u64) -> Self {
        let (trie, summary, state) = (StoredTrie::new(shape), Summary::default(), State::empty());
        Self { trie, summary, state, shape, max_entries }
    }

    fn apply(
        &mut self,
        commands: &[LedgerCommand<'_>],
        changes: &mut Changes,
    ) -> Result<(), ApplicationError> {
        let pending = self.last_changes(commands)?;
        let mut changed: Vec<_> = pending
            .iter()
            .map(|(path, &Pending { key, value })| Change {
                path: *path,
                key,
                value: value.map(value_hash),
                existed: false,
            })
            .collect();
        self.trie.apply(&self.state, &mut changed, changes)?;
        for (Pending { key, value }, Change { existed, .. }) in pending.values().zip(&changed) {
            match value {
                Some(value) => changes.put(&entry_key(key), value),
                None if *existed => changes.delete(&entry_key(key)),
                None => {}
            }
        }
        self.summary.trie_root = self.trie.root();
        self.summary.entries = self.trie.len();
        Ok(())
    }

    /// The last effective change of each key, by path.
    fn last_changes<'a>(
        &self,
        commands: &[LedgerCommand<'a>],
    ) -> Result<BTreeMap<Digest, Pending<'a>>, ApplicationError> {
        let mut pending = BTreeMap::new();
        let mut entries = self.trie.len();
        // Only near the limit does an effect depend on the number of entries before it, which takes a read for each command.
        let counts = entries.saturating_add(commands.len() as u64) > self.max_entries;
        for command in commands {
            let (key, value) = match *command {
                LedgerCommand::Put { key, value } => (key, Some(value)),
                LedgerCommand::Delete { key } => (key, None),
            };
            let path = trie_path(key);
            if counts {
                let exists = match pending.get(&path) {
                    Some(Pending { value, .. }) => value.is_some(),
                    None => StoredTrie::contains(&self.state, &path)?,
                };
                match (exists, value) {
                    (false, Some(_)) if entries >= self.max_entries => continue,
                    (false, Some(_)) => entries += 1,
                    (true, None) => entries -= 1,
                    (true, Some(_)) | (false, None) => {}
                }
            }
            pending.insert(path, Pending { key, value });
        }
        Ok(pending)
    }
}
