//! Inputs of a node from links, clients and files, and its proofs for clients.

mod proofs;

use quorate::bls::MinSig;
use quorate::certificate::Kind;
use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::scheme::{Toy, UnverifiedKey};
use quorate::sortition::Seed;
use quorate::wire::{Encode, Writer};
use quorate_node::Contact;
use quorate_node::application::{LedgerCommand, LedgerProof, TrieProof};
use quorate_node::client::stream::protocol::{Event, LONGEST_EVENT};
use quorate_node::config::NodeConfig;
use quorate_node::epochs::{Anchor, Epoch};
use quorate_node::genesis::{Committees, Genesis, Hex, Member, PublicKeys, Schedule, SchemeName};
use quorate_node::links::hello::{Answer, Hello, InstanceId, Purpose, VERSION, Verdict};
use quorate_node::protocol::Protocol;
use quorate_node::signer;
use quorate_node_gosig::Gosig;
use quorate_node_jolteon::Jolteon;

use crate::fixture::{FOUR, Fixed};
use crate::identity;

/// Link handshakes, requests to signers and their answers, events of the submission stream, epochs with contacts, and proofs.
pub(crate) fn wire(bytes: &[u8]) {
    identity::<Hello, ()>(bytes, &());
    identity::<Answer, ()>(bytes, &());
    identity::<signer::Request, ()>(bytes, &());
    identity::<signer::Answer<Ed25519>, ()>(bytes, &());
    identity::<signer::Answer<MinSig>, ()>(bytes, &());
    identity::<TrieProof, ()>(bytes, &());
    identity::<Contact, ()>(bytes, &());
    if let Some(epoch) = identity::<Epoch, ()>(bytes, &()) {
        // For any file, creating committees fails with an error or gives committees of that size.
        if let Ok(committees) = epoch.committees::<Ed25519>(ChainId::from_name("fuzz")) {
            assert_eq!(usize::from(committees.voters.len()), epoch.members.len());
        }
    }
    if let Some(proof) = identity::<LedgerProof, ()>(bytes, &()) {
        assert!(proof.verify(&[9; 32], b"key", Some(b"value")).is_err(), "a proof for an unknown root");
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
    proofs::read::<Jolteon<Ed25519>>(bytes, &jolteon());
    proofs::read::<Gosig<Toy>>(bytes, &gosig());
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
    let committee = Ed25519::four().committee.id();
    let statement = Ed25519::four().committee.statement(Kind::new(1), 7, [8; 32]);
    seeds.push(signer::Request::Key(committee).encode());
    seeds.push(signer::Request::Sign { committee, statement }.encode());
    seeds.extend(signer_answers::<Ed25519>());
    seeds.extend(signer_answers::<MinSig>());
    seeds.extend(Contact::new("carol", "127.0.0.1:7104").map(|contact| contact.encode()));
    let first = Epoch::genesis(&genesis());
    let seed = Seed::genesis(chain, b"fuzz");
    let anchor = Anchor { height: 9, digest: [7; 32], seed, payload_height: 8 };
    seeds.push(first.encode());
    seeds.push(Epoch { anchor: Some(anchor), number: 2, ..first }.encode());
    seeds.extend(proofs::seeds::<Jolteon<Ed25519>>(&proofs::of_jolteon()));
    seeds.extend(proofs::seeds::<Gosig<Toy>>(&proofs::of_gosig()));
    seeds
}

/// One answer of a signer of each kind.
fn signer_answers<S: Fixed>() -> Vec<Vec<u8>> {
    let secret = S::four().secret(0);
    let refused = signer::Refusal::Contradiction { signed_view: 9 };
    let answers = [
        signer::Answer::<S>::Key(S::public_key(&secret)),
        signer::Answer::Signature(S::sign(&secret, b"fuzz")),
        signer::Answer::Refused(refused),
        signer::Answer::Refused(signer::Refusal::JournalFailed),
    ];
    answers.iter().map(Encode::encode).collect()
}

/// Genesis files, configurations, transactions of the ledger, and proofs as JSON.
pub(crate) fn text(bytes: &[u8]) {
    // Parsing is deterministic: a second time gives the same transaction.
    assert_eq!(LedgerCommand::parse(bytes).is_ok(), LedgerCommand::parse(bytes).is_ok());
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(genesis) = Genesis::parse(text) {
        let again = genesis.to_toml().and_then(|text| Genesis::parse(&text));
        assert!(again.is_ok_and(|again| again == genesis && again.chain_id() == genesis.chain_id()));
        // A light client reads the same chain, from this text if it is in its subset of TOML, and from the node's own text.
        let is_other = |text: &str| {
            quorate::light::Genesis::parse(text).is_ok_and(|light| light.chain() != genesis.chain_id())
        };
        assert!(!is_other(text) && !genesis.to_toml().is_ok_and(|own| is_other(&own)));
        // For any file, creating committees fails with an error or gives committees of that size.
        if let Ok(committees) = genesis.committees::<Ed25519>() {
            assert_eq!(usize::from(committees.identities.len()), genesis.members.len());
        }
    }
    if let Ok(config) = NodeConfig::parse(text) {
        assert!(
            NodeConfig::parse(&config.to_toml()).is_ok(),
            "a configuration changes when it is written and parsed"
        );
    }
    proofs::read_json::<Jolteon<Ed25519>>(text, &jolteon());
    proofs::read_json::<Gosig<Toy>>(text, &gosig());
}

/// Seeds of [`text`].
pub(crate) fn text_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        [b"put key value".as_slice(), b"delete key", b"get key"].map(<[u8]>::to_vec).into();
    seeds.push(NodeConfig::new("genesis.toml", "keys.toml", "data").to_toml().into_bytes());
    let timed = quorate_node_gosig::NAME.parse().map(|name| {
        let genesis = genesis().with_protocol(name, Some(Schedule::starting(1_800_000_000)));
        Genesis { scheme: SchemeName::Bls, ..genesis }
    });
    seeds.extend(
        timed.iter().chain([&genesis()]).filter_map(|genesis| genesis.to_toml().ok()).map(String::into_bytes),
    );
    seeds.extend(proofs::json_seeds(&proofs::of_jolteon()));
    seeds.extend(proofs::json_seeds(&proofs::of_gosig()));
    seeds
}

fn jolteon() -> quorate_jolteon::Committees<Ed25519> {
    let committee = &Ed25519::four().committee;
    quorate_jolteon::Committees { voters: committee.clone(), identities: committee.clone() }
}

fn gosig() -> <Gosig<Toy> as Protocol>::Context {
    let (voters, identities) = (Toy::four().committee.clone(), Ed25519::four().committee.clone());
    Gosig::<Toy>::context(&Committees { chain: voters.chain(), voters, identities })
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
    fn seeds_are_accepted() {
        assert!(Genesis::parse(&genesis().to_toml().unwrap()).unwrap().committees::<Ed25519>().is_ok());
        let proven: Vec<_> =
            proofs::of_jolteon().iter().map(|proof| proof.verify(&jolteon()).unwrap().height).collect();
        assert!(!proven.is_empty(), "no transaction was committed for a proof");
        let proven: Vec<_> =
            proofs::of_gosig().iter().map(|proof| proof.verify(&gosig()).unwrap().height).collect();
        assert!(!proven.is_empty(), "no transaction was committed for a proof");
    }
}
