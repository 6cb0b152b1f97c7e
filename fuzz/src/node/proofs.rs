//! Proofs of a node for clients, with each protocol: as bytes and as JSON.

use quorate::ed25519::Ed25519;
use quorate::scheme::Toy;
use quorate::wire::{Decode, Encode};
use quorate_node::proof::{RootProof, StateProof, TransactionProof};
use quorate_node::protocol::Protocol;
use quorate_node_gosig::Gosig;
use quorate_node_jolteon::Jolteon;

use crate::{gosig, identity, jolteon};

/// Decodes bytes as a commit proof, and as a proof of each kind.
pub(super) fn read<P: Protocol>(bytes: &[u8], context: &P::Context) {
    identity::<P::Finality, _>(bytes, context);
    if let Some(proof) = identity::<TransactionProof<P>, _>(bytes, context) {
        let verified = proof.verify(context);
        // All committed transactions of the cluster are runs of one byte.
        let plausible = proof.transaction.iter().all(|byte| Some(byte) == proof.transaction.first());
        assert!(verified.is_err() || plausible, "an unsubmitted transaction is proven");
        let json = proof.to_json().unwrap_or_default();
        assert_eq!(
            TransactionProof::from_json(&json, context),
            Ok(proof),
            "the proof changes when it is converted to JSON and back"
        );
    }
    if let Some(proof) = identity::<RootProof<P>, _>(bytes, context) {
        let _: Result<_, _> = proof.verify(context);
    }
    if let Some(proof) = identity::<StateProof<P>, _>(bytes, context) {
        let _: Result<_, _> = proof.verify(context, b"key");
    }
}

/// Parses text as a proof.
pub(super) fn read_json<P: Protocol>(text: &str, context: &P::Context) {
    if let Ok(proof) = TransactionProof::<P>::from_json(text, context) {
        assert_eq!(TransactionProof::decode(&proof.encode(), context), Ok(proof));
    }
}

/// Proofs and their commit proofs, as bytes.
pub(super) fn seeds<P: Protocol>(proofs: &[TransactionProof<P>]) -> Vec<Vec<u8>> {
    proofs.iter().flat_map(|proof| [proof.finality.encode(), proof.encode()]).collect()
}

/// The same as JSON.
pub(super) fn json_seeds<P: Protocol>(proofs: &[TransactionProof<P>]) -> Vec<Vec<u8>> {
    proofs.iter().filter_map(|proof| proof.to_json().ok()).map(String::into_bytes).collect()
}

/// Proofs of the first transaction of each block that a short run of Jolteon delivered.
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

/// Proofs of the first transaction of each block that a short run of Gosig delivered.
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
