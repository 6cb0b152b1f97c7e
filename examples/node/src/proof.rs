//! Proofs for clients who know nothing but the genesis: that a transaction is committed, and what the state says.
//!
//! A [`TransactionProof`] leads from a transaction to the committee's signatures:
//!
//! ```text
//! transaction ─ hash ─▶ leaf ─ Merkle path ─▶ root in the batch's header ─ part of ─▶ block
//!       block ◀─ parent ─ … ◀─ parent ─ last link, whose view follows on its parent's ◀─ quorum certificate
//! ```
//!
//! What leads from the block to the signatures is the protocol's [finality](Protocol::Finality); drawn is Jolteon's.
//!
//! A [`RootProof`] shows which state the committee agreed on after a height: a committed block states an
//! [execution root](crate::execution), and the application's roots from that height on hash to it. With a proof of the
//! application against its root it makes a [`StateProof`].
//!
//! All of them are checked against the committees that the genesis names (`Genesis::committees`), cost one
//! certificate verification, a few signatures and hashes, and accept no other bytes than those the node sent: a
//! change anywhere is refused. They say "at that height", never "now".

use std::sync::Arc;

use quorate::merkle::Path;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_protocol::batch::MAX_BATCH_BYTES;
use serde::{Deserialize, Serialize};

use crate::application::{LedgerProof, MAX_KEY, MAX_VALUE};
use crate::execution::execution_root;
use crate::genesis::Hex;
use crate::handle::Digest;
use crate::protocol::{BatchSummary, Block, Protocol};

/// The most heights between a state and the block that states it.
pub const MAX_ROOTS: usize = 1024;

/// Proof that a transaction is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionProof<P: Protocol> {
    /// The transaction.
    pub transaction: Vec<u8>,
    /// From its leaf to the root of its batch.
    pub path: Path,
    /// Which of the block's batches.
    pub batch: u16,
    /// The block that names the batch.
    pub block: Arc<P::Block>,
    /// Why the block is committed.
    pub finality: P::Finality,
}

/// Proof of the application's root after a height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootProof<P: Protocol> {
    /// The height.
    pub height: u64,
    /// The execution root of the height before; zero for height 0.
    pub previous: [u8; 32],
    /// The application's roots from that height up to the one that the block states.
    pub roots: Vec<[u8; 32]>,
    /// A block that states an execution root.
    pub block: Arc<P::Block>,
    /// Why the block is committed.
    pub finality: P::Finality,
}

/// Proof of what a key of the ledger has after a height: a value, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateProof<P: Protocol> {
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    ledger: LedgerProof,
    root: RootProof<P>,
}

/// What a [`TransactionProof`] proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProvenTransaction {
    /// The transaction's identity.
    pub id: Digest,
    /// Height of the block that commits it.
    pub height: u64,
    /// Identity of that block.
    pub block: Digest,
    /// Identity of its batch.
    pub batch: Digest,
    /// Its place in the batch.
    pub position: u32,
}

impl<P: Protocol> TransactionProof<P> {
    /// The batch that holds the transaction, as the block names it.
    pub fn batch(&self) -> Option<BatchSummary> {
        self.block.payload().get(usize::from(self.batch)).copied()
    }

    /// Checks the whole proof.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a link that does not hold, [`Error::BadSignature`], or what is wrong with the
    /// certificate.
    pub fn verify(&self, context: &P::Context) -> Result<ProvenTransaction> {
        let named = self.batch().ok_or(Error::WrongContext { what: "batch of the transaction" })?;
        if self.path.count() != named.count {
            return Err(Error::WrongContext { what: "number of transactions in the batch" });
        }
        let id = P::TRANSACTIONS.leaf(&self.transaction);
        P::TRANSACTIONS.verify(&named.root, &id, &self.path)?;
        P::check_committed(&self.block, &self.finality, context)?;
        Ok(ProvenTransaction {
            id: Digest(id),
            height: self.block.height(),
            block: Digest(self.block.digest()),
            batch: Digest(named.digest),
            position: self.path.index(),
        })
    }

    /// The proof as JSON: an object of hexadecimal strings and numbers.
    ///
    /// # Errors
    /// None in practice; what `serde_json` says.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&TransactionProofJson {
            transaction: Hex(self.transaction.clone()),
            index: self.path.index(),
            count: self.path.count(),
            siblings: self.path.siblings().iter().map(|hash| Digest(*hash)).collect(),
            batch: self.batch,
            block: Hex(self.block.encode()),
            finality: Hex(self.finality.encode()),
        })
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is not such an object, or what is wrong with its parts.
    pub fn from_json(text: &str, context: &P::Context) -> Result<Self> {
        let json: TransactionProofJson = serde_json::from_str(text)
            .map_err(|_| Error::Malformed { what: "JSON of a transaction proof" })?;
        let mut w = Writer::new();
        w.u32(json.index);
        w.u32(json.count);
        json.siblings.iter().for_each(|hash| w.raw(&hash.0));
        Ok(Self {
            transaction: json.transaction.0,
            path: Path::decode(&w.into_bytes(), &())?,
            batch: json.batch,
            block: Arc::new(P::Block::decode(&json.block.0, context)?),
            finality: P::Finality::decode(&json.finality.0, context)?,
        })
    }
}

impl<P: Protocol> RootProof<P> {
    /// Checks the proof and gives the application's root after [`height`](Self::height).
    ///
    /// # Errors
    /// As [`TransactionProof::verify`].
    pub fn verify(&self, context: &P::Context) -> Result<[u8; 32]> {
        let mut root = self.previous;
        let mut next = self.height;
        for application in &self.roots {
            root = execution_root(&root, next, application);
            next = next.checked_add(1).ok_or(Error::Malformed { what: "height" })?;
        }
        let first = self.roots.first().ok_or(Error::Malformed { what: "proof without roots" })?;
        let stated = self.block.executed();
        if stated.height.checked_add(1) != Some(next) || stated.state_root != root {
            return Err(Error::WrongContext { what: "state root of the block" });
        }
        P::check_committed(&self.block, &self.finality, context)?;
        Ok(*first)
    }
}

impl<P: Protocol> StateProof<P> {
    /// Puts a proof together from its parts. Nothing is checked.
    pub fn new(key: Vec<u8>, value: Option<Vec<u8>>, ledger: LedgerProof, root: RootProof<P>) -> Self {
        Self { key, value, ledger, root }
    }

    /// Checks the whole proof and gives what `key` has after which height.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the proof is for another key, and as [`RootProof::verify`].
    pub fn verify(&self, context: &P::Context, key: &[u8]) -> Result<(u64, Option<&[u8]>)> {
        if self.key != key {
            return Err(Error::WrongContext { what: "key" });
        }
        let root = self.root.verify(context)?;
        self.ledger.verify(&root, key, self.value.as_deref())?;
        Ok((self.root.height, self.value.as_deref()))
    }
}

impl<P: Protocol> Encode for TransactionProof<P> {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.transaction);
        self.path.encode_to(w);
        w.u16(self.batch);
        self.block.encode_to(w);
        self.finality.encode_to(w);
    }
}

impl<P: Protocol> Decode<P::Context> for TransactionProof<P> {
    fn decode_from(r: &mut Reader<'_>, context: &P::Context) -> Result<Self> {
        Ok(Self {
            transaction: r.bytes("transaction", MAX_BATCH_BYTES)?.to_vec(),
            path: Path::decode_from(r, &())?,
            batch: r.u16()?,
            block: Arc::new(P::Block::decode_from(r, context)?),
            finality: P::Finality::decode_from(r, context)?,
        })
    }
}

impl<P: Protocol> Encode for RootProof<P> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        w.raw(&self.previous);
        w.count(self.roots.len());
        self.roots.iter().for_each(|root| w.raw(root));
        self.block.encode_to(w);
        self.finality.encode_to(w);
    }
}

impl<P: Protocol> Decode<P::Context> for RootProof<P> {
    fn decode_from(r: &mut Reader<'_>, context: &P::Context) -> Result<Self> {
        let (height, previous) = (r.u64()?, r.array()?);
        let n = r.count("roots", MAX_ROOTS)?;
        Ok(Self {
            height,
            previous,
            roots: (0..n).map(|_| r.array()).collect::<Result<_>>()?,
            block: Arc::new(P::Block::decode_from(r, context)?),
            finality: P::Finality::decode_from(r, context)?,
        })
    }
}

impl<P: Protocol> Encode for StateProof<P> {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.key);
        w.u8(u8::from(self.value.is_some()));
        if let Some(value) = &self.value {
            w.bytes(value);
        }
        self.ledger.encode_to(w);
        self.root.encode_to(w);
    }
}

impl<P: Protocol> Decode<P::Context> for StateProof<P> {
    fn decode_from(r: &mut Reader<'_>, context: &P::Context) -> Result<Self> {
        let key = r.bytes("key", MAX_KEY)?.to_vec();
        let value = match r.u8()? {
            0 => None,
            1 => Some(r.bytes("value", MAX_VALUE)?.to_vec()),
            _ => return Err(Error::Malformed { what: "option tag" }),
        };
        let ledger = LedgerProof::decode_from(r, &())?;
        Ok(Self { key, value, ledger, root: RootProof::decode_from(r, context)? })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransactionProofJson {
    transaction: Hex,
    index: u32,
    count: u32,
    siblings: Vec<Digest>,
    batch: u16,
    block: Hex,
    finality: Hex,
}
