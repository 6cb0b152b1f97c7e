//! What a node reads from its links, its clients and its files, and what it proves to clients.

use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::scheme::UnverifiedKey;
use quorate::wire::{Decode, Encode, Writer};
use quorate_jolteon::{Committees, Delivery, Finality};
use quorate_node::application::{LedgerCommand, LedgerProof, TrieProof};
use quorate_node::client::stream::protocol::{Event, LONGEST_EVENT};
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Hex, Member, PublicKeys, SchemeName};
use quorate_node::links::hello::{Answer, Hello, InstanceId, Purpose, VERSION, Verdict};
use quorate_node::proof::{RootProof, StateProof, TransactionProof};
use quorate_node::protocol::Jolteon;

use crate::fixture::{FOUR, Fixed};
use crate::identity;
use crate::jolteon::lively_cluster;

/// Greetings of links, events of the submission stream, and proofs.
pub(crate) fn wire(bytes: &[u8]) {
    let committees = committees();
    identity::<Hello, ()>(bytes, &());
    identity::<Answer, ()>(bytes, &());
    identity::<TrieProof, ()>(bytes, &());
    if let Some(proof) = identity::<LedgerProof, ()>(bytes, &()) {
        assert!(proof.verify(&[9; 32], b"key", Some(b"value")).is_err(), "a proof of a root that nobody has");
    }
    if let Ok(Some((event, length))) = Event::read(bytes) {
        assert!(length <= LONGEST_EVENT);
        let mut w = Writer::new();
        event.write(&mut w);
        assert_eq!(
            Some(w.into_bytes().as_slice()),
            bytes.get(..length),
            "decoded, but encodes to other bytes"
        );
    }
    identity::<Finality<Ed25519>, _>(bytes, &committees);
    if let Some(proof) = identity::<TransactionProof<Jolteon<Ed25519>>, _>(bytes, &committees) {
        let verified = proof.verify(&committees);
        // The transactions of the cluster are runs of one byte; nothing else was committed.
        let plausible = proof.transaction.iter().all(|byte| Some(byte) == proof.transaction.first());
        assert!(verified.is_err() || plausible, "a transaction that nobody submitted is proven");
        let json = proof.to_json().unwrap_or_default();
        assert_eq!(
            TransactionProof::from_json(&json, &committees),
            Ok(proof),
            "the proof does not survive JSON"
        );
    }
    if let Some(proof) = identity::<RootProof<Jolteon<Ed25519>>, _>(bytes, &committees) {
        let _: Result<_, _> = proof.verify(&committees);
    }
    if let Some(proof) = identity::<StateProof<Jolteon<Ed25519>>, _>(bytes, &committees) {
        let _: Result<_, _> = proof.verify(&committees, b"key");
    }
}

/// Seeds of [`wire`].
pub(crate) fn wire_seeds() -> Vec<Vec<u8>> {
    let events = [
        Event::Welcome { chain: [3; 32], window: 100, max_transaction: 1 << 17 },
        Event::Accepted { up_to: 7 },
        Event::Refused { sequence: 8, code: 2 },
        Event::Committed { first: 1, count: 6, height: 4 },
        Event::Closing { code: 1 },
    ];
    let mut seeds: Vec<Vec<u8>> = events
        .iter()
        .map(|event| {
            let mut w = Writer::new();
            event.write(&mut w);
            w.into_bytes()
        })
        .collect();
    let process = InstanceId([5; 16]);
    let chain = ChainId::from_name("fuzz");
    seeds.push(Hello { version: VERSION, chain, purpose: Purpose::Probe, process }.encode());
    seeds.push(Answer { version: VERSION, verdict: Verdict::Welcome, process }.encode());
    for Delivery { block, batches, finality, .. } in lively_cluster::<Ed25519>().delivered() {
        seeds.push(finality.encode());
        if let Some((transaction, path)) =
            batches.first().and_then(|b| Some((b.transaction(0)?, b.path(0).ok()?)))
        {
            let transaction = transaction.to_vec();
            let (block, finality) = (block.clone(), (**finality).clone());
            seeds.push(
                TransactionProof::<Jolteon<Ed25519>> { transaction, path, batch: 0, block, finality }
                    .encode(),
            );
        }
    }
    seeds
}

/// Genesis files, configurations, transactions of the ledger, and proofs as JSON.
pub(crate) fn text(bytes: &[u8]) {
    // A transaction's meaning must not depend on who parses it: twice the same.
    assert_eq!(LedgerCommand::parse(bytes).is_ok(), LedgerCommand::parse(bytes).is_ok());
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(genesis) = Genesis::parse(text) {
        let again = genesis.to_toml().and_then(|text| Genesis::parse(&text));
        assert!(again.is_ok_and(|again| again == genesis && again.chain_id() == genesis.chain_id()));
        // Whatever the file says, making committees of it fails cleanly or gives one of that size.
        if let Ok(committees) = genesis.committees::<Ed25519>() {
            assert_eq!(usize::from(committees.identities.len()), genesis.members.len());
        }
    }
    if let Ok(config) = NodeConfig::parse(text) {
        assert!(
            NodeConfig::parse(&config.to_toml()).is_ok(),
            "a configuration does not survive its own file"
        );
    }
    if let Ok(proof) = TransactionProof::<Jolteon<Ed25519>>::from_json(text, &committees()) {
        assert_eq!(TransactionProof::decode(&proof.encode(), &committees()), Ok(proof));
    }
}

/// Seeds of [`text`].
pub(crate) fn text_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        [b"put key value".as_slice(), b"delete key", b"get key"].map(<[u8]>::to_vec).into();
    seeds.push(NodeConfig::new("genesis.toml", "keys.toml", "data").to_toml().into_bytes());
    let gosig = Genesis { scheme: SchemeName::Bls, ..genesis().with_gosig(1_800_000_000) };
    seeds.extend(
        [genesis(), gosig].iter().filter_map(|genesis| genesis.to_toml().ok()).map(String::into_bytes),
    );
    for seed in wire_seeds() {
        let proof = TransactionProof::<Jolteon<Ed25519>>::decode(&seed, &committees()).ok();
        seeds.extend(proof.and_then(|proof| proof.to_json().ok()).map(String::into_bytes));
    }
    seeds
}

fn committees() -> Committees<Ed25519> {
    let committee = &Ed25519::four().committee;
    Committees { voters: committee.clone(), identities: committee.clone() }
}

fn genesis() -> Genesis {
    let member = |index: u16| {
        let key = UnverifiedKey::<Ed25519>::prove(&Ed25519::four().secret(index));
        let (public, possession) = (Hex(key.public().encode()), Hex(key.possession().encode()));
        Member {
            name: format!("node{index}"),
            address: format!("127.0.0.1:{}", 7100 + index),
            weight: 1,
            keys: PublicKeys {
                identity_key: public.clone(),
                identity_possession: possession.clone(),
                voting_key: public,
                voting_possession: possession,
            },
        }
    };
    Genesis { epoch: 1, ..Genesis::new("fuzz", SchemeName::Ed25519, (0..FOUR).map(member).collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_are_what_they_should_be() {
        assert!(Genesis::parse(&genesis().to_toml().unwrap()).unwrap().committees::<Ed25519>().is_ok());
        let proofs = wire_seeds()
            .iter()
            .filter(|s| TransactionProof::<Jolteon<Ed25519>>::decode(s, &committees()).is_ok())
            .count();
        assert!(proofs > 0, "no transaction was committed for a proof");
    }
}
