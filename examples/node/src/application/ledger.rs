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
//! [`Trie`] maps H(ledger-key; KEY) to H(ledger-value; VALUE), and the running hash, zero at first, becomes
//! H(ledger-payloads; running hash ‖ identifier of each payload of the block) at each block that has any.
//!
//! **Limits.** The trie is in memory, about 210 bytes per entry; keys and values are on disk. With
//! [`MAX_ENTRIES`] entries, a `put` of a new key has no effect, so a ledger needs at most about 1.8 GB; the limit is part of
//! the chain's rules. A restart reads and hashes every entry once.

use std::sync::{Arc, LazyLock};

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use super::trie::{Digest, Trie, TrieProof, hash_parts};
use super::{Application, ApplicationError, Changes, Checker, ExecutionBlock, Found, Rejection, State};

/// Maximum length of a key in bytes.
pub const MAX_KEY: usize = 128;
/// Maximum length of a value in bytes.
pub const MAX_VALUE: usize = 4096;
/// Maximum number of entries.
pub const MAX_ENTRIES: u64 = 1 << 23;

/// Key of the summary's counters in the state. Entries have the prefix `ENTRY`.
const SUMMARY: &[u8] = b"s";
const ENTRY: u8 = b'e';

/// The key–value ledger. See the module's documentation.
#[derive(Debug)]
pub struct Ledger {
    trie: Trie,
    summary: Summary,
    state: State,
}

/// A transaction that is a command to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerCommand<'a> {
    /// `put KEY VALUE`
    Put {
        /// The key.
        key: &'a [u8],
        /// Its new value.
        value: &'a [u8],
    },
    /// `delete KEY`
    Delete {
        /// The key.
        key: &'a [u8],
    },
}

/// Proof of the value of a key, or of its absence, under a state root of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerProof {
    summary: Summary,
    trie: TrieProof,
}

/// Input of the hash that is the state root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Summary {
    trie_root: Digest,
    entries: u64,
    payloads: u64,
    payload_hash: Digest,
}

impl<'a> LedgerCommand<'a> {
    /// Parses a command; `None` for a payload.
    ///
    /// # Errors
    /// If the bytes start like a command and violate its rules.
    pub fn parse(transaction: &'a [u8]) -> Result<Option<Self>, Rejection> {
        if let Some(rest) = transaction.strip_prefix(b"put ") {
            let Some(space) = rest.iter().position(|byte| *byte == b' ') else {
                return Err(Rejection::new("NO_VALUE", "missing space after the key; write `put KEY VALUE`"));
            };
            let (key, value) = rest.split_at(space);
            let value = value.get(1..).unwrap_or_default();
            if value.len() > MAX_VALUE {
                return Err(Rejection::new(
                    "VALUE_TOO_LONG",
                    format!("value too long: expected at most {MAX_VALUE} bytes, got {}", value.len()),
                ));
            }
            return Ok(Some(LedgerCommand::Put { key: checked_key(key)?, value }));
        }
        match transaction.strip_prefix(b"delete ") {
            Some(key) => Ok(Some(LedgerCommand::Delete { key: checked_key(key)? })),
            None => Ok(None),
        }
    }
}

impl LedgerProof {
    /// Verifies that the value of `key` under `state_root` is `value`; `None` means that the key has no value.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the proof shows something else.
    pub fn verify(&self, state_root: &[u8; 32], key: &[u8], value: Option<&[u8]>) -> Result<()> {
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

impl Default for Ledger {
    fn default() -> Self {
        Self { trie: Trie::default(), summary: Summary::default(), state: State::empty() }
    }
}

impl Application for Ledger {
    fn checker(&self) -> Arc<dyn Checker> {
        Arc::new(|transaction: &[u8]| LedgerCommand::parse(transaction).map(|_| ()))
    }

    fn restore(&mut self, state: State, _height: u64) -> Result<[u8; 32], ApplicationError> {
        let mut trie = Trie::default();
        state.visit(&[ENTRY], |key, value| {
            trie.insert(trie_path(key.get(1..).unwrap_or_default()), value_hash(value));
            Ok(())
        })?;
        let summary = match state.get(SUMMARY)? {
            None => Summary::default(),
            Some(bytes) => Summary::decode(&bytes, &())
                .map_err(|e| ApplicationError::new(format!("cannot decode the ledger's summary: {e}")))?,
        };
        if (trie.root(), trie.len()) != (summary.trie_root, summary.entries) {
            return Err(ApplicationError::new(
                "the ledger's entries do not add up to its state root: the data directory is damaged; restore it \
                 from a copy, or empty it and let the node catch up from its peers",
            ));
        }
        *self = Self { trie, summary, state };
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
        for (id, transaction) in block.transactions() {
            match LedgerCommand::parse(transaction) {
                Ok(Some(command)) => self.apply(command, changes),
                Ok(None) | Err(_) => {
                    payloads.update(id);
                    self.summary.payloads += 1;
                }
            }
        }
        if self.summary.payloads != before {
            self.summary.payload_hash = *payloads.finalize().as_bytes();
        }
        self.summary.trie_root = self.trie.root();
        self.summary.entries = self.trie.len();
        changes.put(SUMMARY, &self.summary.encode());
        Ok(self.summary.root())
    }

    fn query(&self, key: &[u8]) -> Result<Option<Found>, ApplicationError> {
        if checked_key(key).is_err() {
            return Ok(None);
        }
        let trie = self
            .trie
            .prove(&trie_path(key))
            .ok_or_else(|| ApplicationError::new("a block is half executed"))?;
        let value = self.state.get(&entry(key))?;
        Ok(Some(Found { value, proof: LedgerProof { summary: self.summary, trie }.encode() }))
    }
}

impl Ledger {
    fn apply(&mut self, command: LedgerCommand<'_>, changes: &mut Changes) {
        match command {
            LedgerCommand::Put { key, value } => {
                let path = trie_path(key);
                if self.trie.len() < MAX_ENTRIES || self.trie.contains(&path) {
                    self.trie.insert(path, value_hash(value));
                    changes.put(&entry(key), value);
                }
            }
            LedgerCommand::Delete { key } => {
                if self.trie.remove(&trie_path(key)) {
                    changes.delete(&entry(key));
                }
            }
        }
    }
}

impl Summary {
    fn root(&self) -> Digest {
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
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self> {
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
    fn decode_from(r: &mut Reader<'_>, context: &()) -> Result<Self> {
        Ok(Self { summary: Summary::decode_from(r, context)?, trie: TrieProof::decode_from(r, context)? })
    }
}

fn checked_key(key: &[u8]) -> Result<&[u8], Rejection> {
    if key.is_empty() || key.len() > MAX_KEY || key.contains(&b' ') {
        return Err(Rejection::new("BAD_KEY", format!("key: expected 1 to {MAX_KEY} bytes without a space")));
    }
    Ok(key)
}

fn entry(key: &[u8]) -> Vec<u8> {
    [&[ENTRY], key].concat()
}

fn trie_path(key: &[u8]) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_KEY));
    hash_parts(&CONTEXT, &[key])
}

fn value_hash(value: &[u8]) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_VALUE));
    hash_parts(&CONTEXT, &[value])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Map = BTreeMap<Vec<u8>, Vec<u8>>;

    fn ledger(map: &Map) -> (Ledger, Digest) {
        let mut ledger = Ledger::default();
        let root = ledger.restore(State::new(Arc::new(map.clone())), 0).unwrap();
        (ledger, root)
    }

    /// Executes on a ledger that is restored from `map`, as after a restart before each block.
    fn step(map: &mut Map, height: u64, transactions: &[Vec<u8>]) -> Digest {
        let mut changes = Changes::default();
        let views: Vec<&[u8]> = transactions.iter().map(Vec::as_slice).collect();
        let root = ledger(map)
            .0
            .execute(&ExecutionBlock::from_transactions(height, 0, &views), &mut changes)
            .unwrap();
        changes.apply_to(map);
        assert_eq!(ledger(map).1, root);
        root
    }

    fn transaction() -> impl Strategy<Value = Vec<u8>> {
        let key = "[a-d]{1,2}";
        prop_oneof![
            (key, "[a-z ]{0,4}").prop_map(|(k, v)| format!("put {k} {v}").into_bytes()),
            key.prop_map(|k| format!("delete {k}").into_bytes()),
            proptest::collection::vec(any::<u8>(), 1..8),
        ]
    }

    #[test]
    fn commands_are_parsed_as_documented() {
        let put = |key, value| Ok(Some(LedgerCommand::Put { key, value }));
        assert_eq!(LedgerCommand::parse(b"put alice 10"), put(b"alice", b"10"));
        assert_eq!(LedgerCommand::parse(b"put a two words"), put(b"a", b"two words"));
        assert_eq!(LedgerCommand::parse(b"put a "), put(b"a", b""));
        assert_eq!(LedgerCommand::parse(b"delete a"), Ok(Some(LedgerCommand::Delete { key: b"a" })));
        for payload in [&b"PUT a b"[..], b"put", b"deleted", b"\0"] {
            assert_eq!(LedgerCommand::parse(payload), Ok(None));
        }
        let code = |tx: &[u8]| LedgerCommand::parse(tx).err().map(|e| e.code());
        assert_eq!(code(b"put a"), Some("NO_VALUE"));
        assert_eq!(code(b"put  b"), Some("BAD_KEY"));
        assert_eq!(code(b"delete a b"), Some("BAD_KEY"));
        assert_eq!(code(&[&b"put "[..], &[b'k'; 129], b" v"].concat()), Some("BAD_KEY"));
        assert_eq!(code(&[&b"put k "[..], &[b'v'; 4097]].concat()), Some("VALUE_TOO_LONG"));
    }

    #[test]
    fn payloads_change_the_root_by_content_and_order() {
        let root = |txs: &[&[u8]]| {
            let txs: Vec<_> = txs.iter().map(|tx| tx.to_vec()).collect();
            step(&mut Map::new(), 1, &txs)
        };
        let roots = [root(&[]), root(&[b"x"]), root(&[b"y"]), root(&[b"x", b"y"]), root(&[b"y", b"x"])];
        let distinct: std::collections::BTreeSet<_> = roots.iter().collect();
        assert_eq!(distinct.len(), roots.len());
    }

    /// The rows of the example: height | transactions | A(h) | E(h).
    #[test]
    fn the_specification_shows_these_roots() {
        let page = include_str!("../../../../spec/ledger.md");
        let hexadecimal =
            |cell: &str| -> Digest { hex::decode(cell.trim_matches('`')).unwrap().try_into().unwrap() };
        let (mut map, mut execution, mut height) = (Map::new(), [0; 32], 0);
        for line in page.lines() {
            let cells: Vec<_> = line.split('|').map(|cell| cell.trim_matches(' ')).collect();
            let [_, number, commands, application, executed, _] = cells[..] else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            assert_eq!(number, height);
            let transactions: Vec<_> =
                commands.split('`').skip(1).step_by(2).map(|text| text.as_bytes().to_vec()).collect();
            let root = if height == 0 { ledger(&map).1 } else { step(&mut map, height, &transactions) };
            assert_eq!(root, hexadecimal(application), "A({height})");
            execution = crate::execution::execution_root(&execution, height, &root);
            assert_eq!(execution, hexadecimal(executed), "E({height})");
            height += 1;
        }
        assert_eq!(height, 5);
    }

    #[test]
    fn damaged_entries_are_noticed_on_restore() {
        let mut map = Map::new();
        step(&mut map, 1, &[b"put a 1".to_vec(), b"put b 2".to_vec()]);
        map.insert(b"ea".to_vec(), b"9".to_vec());
        let error = Ledger::default().restore(State::new(Arc::new(map)), 1).unwrap_err();
        assert!(error.to_string().contains("do not add up"), "{error}");
    }

    proptest! {
        #[test]
        fn restarts_before_each_block_do_not_change_the_state(
            blocks in proptest::collection::vec(proptest::collection::vec(transaction(), 0..12), 1..8)
        ) {
            let (mut restarting, mut model) = (Map::new(), Map::new());
            let (mut steady, _) = ledger(&Map::new());
            let mut steady_map = Map::new();
            for (height, block) in (1..).zip(&blocks) {
                let root = step(&mut restarting, height, block);
                let mut changes = Changes::default();
                let views: Vec<&[u8]> = block.iter().map(Vec::as_slice).collect();
                prop_assert_eq!(steady.execute(&ExecutionBlock::from_transactions(height, 0, &views), &mut changes).unwrap(), root);
                changes.apply_to(&mut steady_map);
                for tx in block {
                    match LedgerCommand::parse(tx) {
                        Ok(Some(LedgerCommand::Put { key, value })) => { model.insert(key.to_vec(), value.to_vec()); }
                        Ok(Some(LedgerCommand::Delete { key })) => { model.remove(key); }
                        _ => {}
                    }
                }
                let (reader, _) = ledger(&restarting);
                for key in ["a", "b", "cc", "da", "zz"] {
                    let found = reader.query(key.as_bytes()).unwrap().unwrap();
                    prop_assert_eq!(found.value.as_ref(), model.get(key.as_bytes()));
                    let proof = LedgerProof::decode(&found.proof, &()).unwrap();
                    prop_assert!(proof.verify(&root, key.as_bytes(), found.value.as_deref()).is_ok());
                    prop_assert!(proof.verify(&root, key.as_bytes(), Some(b"not this")).is_err());
                    prop_assert!(proof.verify(&[1; 32], key.as_bytes(), found.value.as_deref()).is_err());
                }
            }
            prop_assert_eq!(steady_map, restarting);
        }
    }
}
