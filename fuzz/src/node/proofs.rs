//! What a node proves to clients, with each protocol: as bytes, and as JSON.

use quorate::ed25519::Ed25519;
use quorate::scheme::Toy;
use quorate::wire::{Decode, Encode};
use quorate_node::proof::{RootProof, StateProof, TransactionProof};
use quorate_node::protocol::Protocol;
use quorate_node_gosig::Gosig;
use quorate_node_jolteon::Jolteon;

use crate::{gosig, identity, jolteon};

/// Bytes as why a block is committed, and as a proof of each kind.
pub(super) fn read<P: Protocol>(bytes: &[u8], context: &P::Context) {
    identity::<P::Finality, _>(bytes, context);
    if let Some(proof) = identity::<TransactionProof<P>, _>(bytes, context) {
        let verified = proof.verify(context);
        // The transactions of the cluster are runs of one byte; nothing else was committed.
        let plausible = proof.transaction.iter().all(|byte| Some(byte) == proof.transaction.first());
        assert!(verified.is_err() || plausible, "a transaction that nobody submitted is proven");
        let json = proof.to_json().unwrap_or_default();
        assert_eq!(TransactionProof::from_json(&json, context), Ok(proof), "the proof does not survive JSON");
    }
    if let Some(proof) = identity::<RootProof<P>, _>(bytes, context) {
        let _: Result<_, _> = proof.verify(context);
    }
    if let Some(proof) = identity::<StateProof<P>, _>(bytes, context) {
        let _: Result<_, _> = proof.verify(context, b"key");
    }
}

/// Text as a proof.
pub(super) fn read_json<P: Protocol>(text: &str, context: &P::Context) {
    if let Ok(proof) = TransactionProof::<P>::from_json(text, context) {
        assert_eq!(TransactionProof::decode(&proof.encode(), context), Ok(proof));
    }
}

/// Proofs with what they rest on, as bytes.
pub(super) fn seeds<P: Protocol>(proofs: &[TransactionProof<P>]) -> Vec<Vec<u8>> {
    proofs.iter().flat_map(|proof| [proof.finality.encode(), proof.encode()]).collect()
}

/// The same as JSON.
pub(super) fn json_seeds<P: Protocol>(proofs: &[TransactionProof<P>]) -> Vec<Vec<u8>> {
    proofs.iter().filter_map(|proof| proof.to_json().ok()).map(String::into_bytes).collect()
}

/// Of the first transaction of each block that a short run of Jolteon delivered.
pub(super) fn of_jolteon() -> Vec<TransactionProof<Jolteon<Ed25519>>> {
    let cluster = jolteon::lively_cluster::<Ed25519>();
    let proof = |delivery: &quorate_jolteon::Delivery<Ed25519>| {
        let batch = delivery.batches.first()?;
        Some(TransactionProof {
            transaction: batch.transaction(0)?.to_vec(),
            path: batch.path(0).ok()?,
            batch: 0,
            block: delivery.block.clone(),
            finality: (*delivery.finality).clone(),
        })
    };
    cluster.delivered().iter().filter_map(proof).collect()
}

/// Of the first transaction of each block that a short run of Gosig delivered.
pub(super) fn of_gosig() -> Vec<TransactionProof<Gosig<Toy>>> {
    let cluster = gosig::lively_cluster::<Toy>();
    let proof = |delivery: &quorate_gosig::Delivery<Toy>| {
        Some(TransactionProof {
            transaction: delivery.payload.transaction(0)?.bytes().to_vec(),
            path: delivery.payload.path(0).ok()?,
            batch: 0,
            block: delivery.block.clone(),
            finality: (*delivery.finality).clone(),
        })
    };
    cluster.delivered().iter().filter_map(proof).collect()
}
