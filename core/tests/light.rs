//! A light client over many changes of the members, and batches across epochs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "light")]

use std::sync::Arc;

use proptest::prelude::*;
use quorate::certificate::{Certificate, Kind, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::light::{ChainProtocol, Committees, LightClient, MAX_EPOCHS};
use quorate::merkle::Merkle;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Encode, Writer, domain};

const TENTATIVE: Kind = Kind::new(2);
const MEMBERSHIP: Kind = Kind::new(5);
const TRANSACTIONS: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);

type Secret = <Ed25519 as Scheme>::SecretKey;

/// A chain of blocks of Gosig with Ed25519 votes, each of which ends an epoch. A member's two keys are equal.
struct Chain {
    secrets: Vec<Secret>,
    committee: Arc<Committee<Ed25519>>,
    height: u64,
}

/// The input of a handover, and a certificate of the epoch that it ends.
struct Handover {
    block: Vec<u8>,
    finality: Vec<u8>,
    payload: Vec<u8>,
}

fn secret(number: u64) -> Secret {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Ed25519::secret_from_bytes(&bytes).unwrap()
}

impl Chain {
    fn new() -> Self {
        let secrets: Vec<Secret> = (0..4).map(secret).collect();
        let members = secrets.iter().map(|secret| (Ed25519::public_key(secret), 1)).collect();
        let committee =
            Committee::from_attested(ChainId::from_name("light"), 0, members, Repeats::Refuse).unwrap();
        Self { secrets, committee: Arc::new(committee), height: 0 }
    }

    fn client(&self) -> LightClient<Ed25519> {
        let committees = Committees::new(self.committee.clone(), self.committee.clone()).unwrap();
        LightClient::new(ChainProtocol::Gosig, committees)
    }

    fn certify(&self, statement: Statement) -> Certificate<Ed25519> {
        let mut collector = VoteCollector::new(self.committee.clone(), statement.kind, statement.view);
        let vote = |secret| Vote::sign_unguarded(secret, &self.committee, statement).unwrap();
        let collected = self
            .secrets
            .iter()
            .map(vote)
            .find_map(|vote| collector.add(vote, &mut Suspects::new()).certificate);
        collected.unwrap().into_inner()
    }

    /// Member `joins` joins, and the first one leaves.
    fn advance(&mut self, joins: u64) -> Handover {
        self.height += 1;
        let new = secret(joins);
        let proven = UnverifiedKey::<Ed25519>::prove(&new);
        let mut join = Writer::new();
        join.u8(1);
        for _ in ["voting", "identity"] {
            proven.public().encode_to(&mut join);
            proven.possession().encode_to(&mut join);
        }
        join.u128(1);
        join.bytes(b"contact");
        let mut leave = Writer::new();
        leave.u8(0);
        self.committee.keys()[0].encode_to(&mut leave);
        let transactions = [self.change(join), b"another".to_vec(), self.change(leave)];
        let (mut payload, leaves) = (Writer::new(), TRANSACTIONS.leaves(&transactions));
        payload.count(transactions.len());
        transactions.iter().for_each(|transaction| payload.bytes(transaction));
        let payload = payload.into_bytes();
        let mut block = Writer::new();
        for number in [self.committee.epoch(), self.height, self.height] {
            block.u64(number);
        }
        block.u16(0);
        block.raw(&[3; 32]);
        Ed25519::sign(&self.secrets[0], b"seed").encode_to(&mut block);
        block.u32(leaves.len() as u32);
        block.u32(payload.len() as u32 - 4);
        block.raw(&TRANSACTIONS.root(&leaves));
        block.u64(0);
        block.raw(&[0; 40]);
        let block = block.into_bytes();
        let mut ballot = Writer::new();
        ballot.u64(self.height);
        ballot.raw(&domain::hash(domain::GOSIG_BLOCK, &block));
        let ballot = domain::hash(domain::GOSIG_VOTE, &ballot.into_bytes());
        let finality = self.certify(self.committee.statement(TENTATIVE, self.height, ballot)).encode();
        let weighed = |secret: &Secret| (Ed25519::public_key(secret), 1);
        self.secrets.push(new);
        self.secrets.remove(0);
        let (chain, epoch) = (self.committee.chain(), self.committee.epoch() + 1);
        let members = self.secrets.iter().map(weighed).collect();
        self.committee = Arc::new(Committee::from_attested(chain, epoch, members, Repeats::Refuse).unwrap());
        Handover { block, finality, payload }
    }

    fn change(&self, change: Writer) -> Vec<u8> {
        let change = change.into_bytes();
        let digest = domain::hash(domain::GOSIG_MEMBERSHIP, &change);
        let mut w = Writer::new();
        w.raw(domain::GOSIG_EPOCH.as_bytes());
        w.u64(self.committee.epoch());
        w.raw(&change);
        self.certify(self.committee.statement(MEMBERSHIP, 0, digest)).encode_to(&mut w);
        w.into_bytes()
    }

    fn certificate(&self, digest: u8) -> Vec<u8> {
        self.certify(self.committee.statement(TENTATIVE, 9, [digest; 32])).encode()
    }
}

#[test]
fn the_newest_epochs_are_kept_and_older_ones_forgotten() {
    let mut chain = Chain::new();
    let mut client = chain.client();
    let mut certificates = vec![chain.certificate(0)];
    for number in 1..=MAX_EPOCHS as u64 + 5 {
        let Handover { block, finality, payload } = chain.advance(100 + number);
        assert_eq!(client.hand_over(&block, &finality, &payload), Ok(number));
        assert_eq!(client.committees(number).unwrap().voters().id(), chain.committee.id());
        assert_eq!(
            client.hand_over(&block, &finality, &payload).unwrap_err().code(),
            "WRONG_CONTEXT",
            "again"
        );
        assert!(
            client.verify_commit(&block, &finality).is_ok(),
            "blocks of the earlier epoch are still known"
        );
        certificates.push(chain.certificate(0));
    }
    let oldest = client.epoch() - (MAX_EPOCHS as u64 - 1);
    for (epoch, certificate) in (0u64..).zip(&certificates) {
        let verdict = client.verify_certificate(certificate);
        assert_eq!(verdict.is_ok(), epoch >= oldest, "epoch {epoch}");
        assert!(verdict.is_ok() || verdict.unwrap_err().code() == "WRONG_CONTEXT");
    }
}

#[test]
fn a_changed_handover_is_refused_and_changes_nothing() {
    let mut chain = Chain::new();
    let client = chain.client();
    let handover = chain.advance(100);
    let inputs = [&handover.block, &handover.finality, &handover.payload];
    for part in 0..3 {
        for at in (0..inputs[part].len()).step_by(3) {
            let mut changed = inputs.map(Clone::clone);
            changed[part][at] ^= 1;
            let mut client = client.clone();
            let [block, finality, payload] = &changed;
            assert!(client.hand_over(block, finality, payload).is_err(), "part {part}, byte {at}");
            assert_eq!(client.epoch(), 0);
        }
    }
    let [block, finality, payload] = inputs;
    for protocol in [ChainProtocol::Jolteon, ChainProtocol::Abft] {
        let committees = client.committees(0).unwrap().clone();
        let refused = LightClient::new(protocol, committees).hand_over(block, finality, payload);
        assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");
    }
    assert_eq!(client.clone().hand_over(block, finality, payload), Ok(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Certificates of several epochs, some of them forged or malformed.
    #[test]
    fn a_batch_gives_the_results_of_single_verifications(choices: Vec<(u8, u8)>) {
        let mut chain = Chain::new();
        let mut client = chain.client();
        let mut good = vec![chain.certificate(1)];
        for number in 1..4 {
            let Handover { block, finality, payload } = chain.advance(100 + number);
            client.hand_over(&block, &finality, &payload).unwrap();
            good.push(chain.certificate(1));
        }
        let choose = |(epoch, kind): &(u8, u8)| {
            let mut certificate = good[usize::from(*epoch) % 4].clone();
            match kind % 4 {
                0 => certificate[20] ^= 1,
                1 => drop(certificate.pop()),
                _ => {}
            }
            certificate
        };
        let listed: Vec<Vec<u8>> = choices.iter().take(12).map(choose).collect();
        let borrowed: Vec<&[u8]> = listed.iter().map(Vec::as_slice).collect();
        let together = client.verify_certificates(&borrowed, &mut getrandom::SysRng);
        let single: Vec<_> = borrowed.iter().map(|one| client.verify_certificate(one)).collect();
        prop_assert_eq!(together.len(), single.len());
        for (one, other) in together.iter().zip(&single) {
            prop_assert_eq!(one.as_ref().map_err(|error| error.code()), other.as_ref().map_err(|error| error.code()));
        }
    }
}
