//! Proofs that a client verifies with only the genesis: of committed transactions and of the state.
//!
//! A [`TransactionProof`] connects a transaction to the committee's signatures:
//!
//! ```text
//! transaction ─ hash ─▶ leaf ─ Merkle path ─▶ root in the batch's header ─ part of ─▶ block
//!       block ◀─ parent ─ … ◀─ parent ─ last link, in the view after its parent's ◀─ quorum certificate
//! ```
//!
//! The protocol's [finality](Protocol::Finality) connects the block to the signatures; the figure shows Jolteon's.
//!
//! A [`RootProof`] proves the state that the committee agreed on after a height: a committed block contains an
//! [execution root](crate::execution), and the application's roots from that height on hash to it. Together with the
//! application's proof against its root it forms a [`StateProof`].
//!
//! All proofs are verified against the committees of the genesis (`Genesis::committees`). Cost: one certificate
//! verification, a few signatures and hashes. A change of any byte is detected. A proof is about its height, not about the
//! present.

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

/// Maximum number of heights between a state and the block that contains it.
pub const MAX_ROOTS: usize = 1024;

/// Proof that a transaction is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionProof<P: Protocol> {
    /// The transaction.
    pub transaction: Vec<u8>,
    /// Path from its leaf to the root of its batch.
    pub path: Path,
    /// Index of its batch in the block.
    pub batch: u16,
    /// The block that contains the batch.
    pub block: Arc<P::Block>,
    /// Proof that the block is committed.
    pub finality: P::Finality,
}

/// Proof of the application's root after a height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootProof<P: Protocol> {
    /// The height.
    pub height: u64,
    /// Execution root of the previous height; zero for height 0.
    pub previous: [u8; 32],
    /// The application's roots from that height up to the height of the state in the block.
    pub roots: Vec<[u8; 32]>,
    /// A block that contains an execution root.
    pub block: Arc<P::Block>,
    /// Proof that the block is committed.
    pub finality: P::Finality,
}

/// Proof of the value of a ledger key after a height, or of its absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateProof<P: Protocol> {
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    ledger: LedgerProof,
    root: RootProof<P>,
}

/// Statement that a [`TransactionProof`] proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProvenTransaction {
    /// Identifier of the transaction.
    pub id: Digest,
    /// Height of the block that commits it.
    pub height: u64,
    /// Digest of that block.
    pub block: Digest,
    /// Digest of its batch.
    pub batch: Digest,
    /// Position in the batch.
    pub position: u32,
}

impl<P: Protocol> TransactionProof<P> {
    /// The batch that contains the transaction, as the block describes it.
    pub fn batch(&self) -> Option<BatchSummary> {
        self.block.payload().get(usize::from(self.batch)).copied()
    }

    /// Verifies the complete proof.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a link that does not match, [`Error::BadSignature`], or the error of the certificate.
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
    /// None in practice: those of `serde_json`.
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

    /// Parses the output of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is not such an object, or the error of a part.
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
    /// Verifies the proof and returns the application's root after [`height`](Self::height).
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
    /// Assembles a proof from its parts, without checks.
    pub fn new(key: Vec<u8>, value: Option<Vec<u8>>, ledger: LedgerProof, root: RootProof<P>) -> Self {
        Self { key, value, ledger, root }
    }

    /// Verifies the complete proof and returns its height and the value of `key`.
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
