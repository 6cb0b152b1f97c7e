//! Hashes over many generated encodings, compared with `spec/conformance.json`, which the model in `spec/model` wrote.
//!
//! An accidental change of a format changes a hash. `spec/vectors/README.md` specifies the generation of the values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(all(feature = "bls", feature = "ed25519", feature = "gossip", feature = "sortition"))]

use std::num::NonZeroU16;
use std::sync::Arc;

use quorate::bls::{Ciphersuite, Counted, MinPk, MinSig};
use quorate::certificate::{
    Equivocation, Kind, Statement, Suspects, TimeoutCollector, TimeoutVote, Vote, VoteCollector,
};
use quorate::committee::{ChainId, Committee, CommitteeId, Repeats};
use quorate::ed25519::Ed25519;
use quorate::gossip::Aggregate;
use quorate::scheme::{Additive, Scheme, VerifiedKey, Vrf};
use quorate::sortition::{Lottery, Seed, SeedProof};
use quorate::wire::{Decode, Encode, Writer};
use serde_json::Value;

const POOL: u64 = 12;

/// The SplitMix64 generator.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn bytes32(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&self.next().to_le_bytes()));
        bytes
    }

    fn statement(&mut self, epoch: Option<u64>) -> Statement {
        let kind = Kind::new(self.below(256) as u8);
        let epoch = epoch.unwrap_or_else(|| self.next());
        Statement { kind, epoch, view: self.next(), digest: self.bytes32() }
    }
}

fn varint(s: &mut Stream) -> Vec<u8> {
    let value = s.next();
    let mut w = Writer::new();
    w.varint((value >> (32 + s.below(32))) as u32);
    w.into_bytes()
}

fn statement(s: &mut Stream) -> Vec<u8> {
    let (statement, id) = (s.statement(None), CommitteeId(s.bytes32()));
    [statement.encode(), statement.signed_bytes(&id).to_vec(), statement.identity(&id).to_vec()].concat()
}

fn ciphersuite(s: &mut Stream) -> Vec<u8> {
    let ciphersuite = match s.below(4) {
        0 => Ciphersuite::Basic,
        1 => Ciphersuite::MessageAugmentation,
        2 => Ciphersuite::ProofOfPossession,
        _ => {
            let len = 1 + s.below(255);
            let tag: Vec<u8> = (0..len).map(|_| s.below(256) as u8).collect();
            Ciphersuite::custom(&tag).unwrap()
        }
    };
    ciphersuite.encode()
}

/// Returns the secret keys of the vectors' members 0 to 11.
fn pool<S: Scheme>() -> Vec<S::SecretKey> {
    let name = match S::SUITE {
        1 => "min-sig/pool",
        2 => "min-pk/pool",
        4 => "min-sig-counted/pool",
        5 => "min-pk-counted/pool",
        _ => "ed25519/pool",
    };
    let file = read("conformance.json");
    let listed = file["pools"][name].as_array().unwrap();
    assert_eq!(listed.len() as u64, POOL);
    listed
        .iter()
        .map(|secret| S::secret_from_bytes(&hex::decode(secret.as_str().unwrap()).unwrap()).unwrap())
        .collect()
}

fn committee_of_pool<S: Scheme>(pool: &[S::SecretKey]) -> Arc<Committee<S>> {
    let members = pool.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
    Arc::new(Committee::new(ChainId([0; 32]), 5, members).unwrap())
}

fn committee_id<S: Scheme>(pool: &[S::SecretKey], s: &mut Stream) -> Vec<u8> {
    let (chain, epoch) = (ChainId(s.bytes32()), s.next());
    let (n, start) = (1 + s.below(POOL), s.below(POOL));
    let member = |i: u64| VerifiedKey::<S>::from_secret(&pool[((start + i) % POOL) as usize]);
    let members = (0..n).map(|i| (member(i), 1 + u128::from(s.next()))).collect();
    let committee = Committee::new(chain, epoch, members).unwrap();
    let mut w = Writer::new();
    w.raw(&committee.id().0);
    w.u128(committee.total_weight());
    w.u128(committee.quorum_weight());
    w.u128(committee.honest_weight());
    w.into_bytes()
}

fn vote<S: Scheme>(pool: &[S::SecretKey], committee: &Committee<S>, s: &mut Stream) -> Vec<u8> {
    let secret = &pool[s.below(POOL) as usize];
    let statement = s.statement(Some(5));
    let vote = Vote::<S>::sign_unguarded(secret, committee, statement).unwrap();
    let timeout =
        TimeoutVote::<S>::sign_unguarded(secret, committee, statement.kind, statement.view, s.next())
            .unwrap();
    let mut w = Writer::new();
    vote.encode_to(&mut w);
    vote.encode_link(&mut w);
    timeout.encode_to(&mut w);
    timeout.encode_link(&mut w);
    w.into_bytes()
}

fn equivocation<S: Scheme>(pool: &[S::SecretKey], committee: &Committee<S>, s: &mut Stream) -> Vec<u8> {
    let secret = &pool[s.below(POOL) as usize];
    let first = s.statement(Some(5));
    let second = Statement { digest: s.bytes32(), ..first };
    let [a, b] = [first, second].map(|x| Vote::<S>::sign_unguarded(secret, committee, x).unwrap());
    Equivocation::new(a, b).unwrap().verify(committee).unwrap().encode()
}

/// Creates a committee of one repeated key, and the order of its signers: a random subset of the light members, then the
/// member with a quorum, so that the collector forms a certificate of exactly these signers.
fn lopsided<S: Scheme>(secret: &S::SecretKey, s: &mut Stream, largest: u64) -> (Arc<Committee<S>>, Vec<u16>) {
    let n = 1 + s.below(largest);
    let (heavy, share) = (s.below(n), s.next());
    let key = S::public_key(secret);
    let members = (0..n).map(|i| (key.clone(), if i == heavy { 3 * u128::from(n) } else { 1 })).collect();
    let (chain, epoch) = (ChainId(s.bytes32()), s.next());
    let committee = Committee::from_attested(chain, epoch, members, Repeats::Allow).unwrap();
    let mut signers = Vec::new();
    for i in (0..n).filter(|i| *i != heavy) {
        if s.next() >= share {
            signers.push(i as u16);
        }
    }
    signers.push(heavy as u16);
    (Arc::new(committee), signers)
}

fn certificate<S: Scheme>(secret: &S::SecretKey, s: &mut Stream) -> Vec<u8> {
    let (committee, signers) = lopsided::<S>(secret, s, 300);
    let statement = s.statement(Some(committee.epoch()));
    let signature = S::sign(secret, &statement.signed_bytes(&committee.id()));
    let mut collector = VoteCollector::new(committee, statement.kind, statement.view);
    let mut certificate = None;
    for signer in signers {
        assert!(certificate.is_none());
        let vote = Vote::new(statement, signer, signature.clone());
        certificate = collector.add(vote, &mut Suspects::new()).certificate;
    }
    let certificate = certificate.unwrap();
    let mut w = Writer::new();
    certificate.encode_to(&mut w);
    certificate.encode_detached(&mut w);
    w.into_bytes()
}

fn timeout_certificate<S: Scheme>(secret: &S::SecretKey, s: &mut Stream) -> Vec<u8> {
    let (committee, signers) = lopsided::<S>(secret, s, 60);
    let (kind, view, base) = (Kind::new(s.below(256) as u8), s.next(), s.next() >> 8);
    let mut collector = TimeoutCollector::new(committee.clone(), kind, view);
    let mut certificate = None;
    for signer in signers {
        assert!(certificate.is_none());
        let value = base + s.below(5);
        let statement = TimeoutVote::<S>::statement_of(kind, committee.epoch(), view, value);
        let signature = S::sign(secret, &statement.signed_bytes(&committee.id()));
        let vote = TimeoutVote::new(kind, committee.epoch(), view, value, signer, signature);
        certificate = collector.add(vote, &mut Suspects::new()).certificate;
    }
    certificate.unwrap().encode()
}

fn aggregate<S: Additive>(secret: &S::SecretKey, s: &mut Stream) -> Vec<u8> {
    let (committee, signers) = lopsided::<S>(secret, s, 40);
    let statement = s.statement(Some(committee.epoch()));
    let signature = S::sign(secret, &statement.signed_bytes(&committee.id()));
    let all = signers.into_iter().flat_map(|signer| {
        let vote = Vote::<S>::new(statement, signer, signature.clone()).verify(&committee).unwrap();
        let one = Aggregate::from_vote(&vote, &committee).unwrap();
        (0..=s.below(4)).map(move |_| one.clone())
    });
    all.reduce(|sum, one| one.merge(&sum, 255).unwrap()).unwrap().encode()
}

/// Makes a ticket, a proof, and the next seed. The expected number of winners is the number of members, so every member
/// wins.
fn ticket<S: Vrf>(pool: &[S::SecretKey], committee: &Arc<Committee<S>>, s: &mut Stream) -> Vec<u8> {
    let secret = &pool[s.below(POOL) as usize];
    let mut w = Writer::new();
    w.u64(s.next() >> 1);
    w.raw(&s.bytes32());
    let seed = Seed::decode(&w.into_bytes(), &()).unwrap();
    let all_members = NonZeroU16::new(POOL as u16).unwrap();
    let ticket = Lottery::new(committee.clone(), seed, s.next(), all_members).draw(secret).unwrap().unwrap();
    let proof = SeedProof::<S>::sign(secret, committee, &seed).unwrap();
    let mut w = Writer::new();
    ticket.encode_to(&mut w);
    w.raw(ticket.score().as_bytes());
    proof.encode_to(&mut w);
    seed.next(&proof, committee).unwrap().encode_to(&mut w);
    w.into_bytes()
}

fn read(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn check(name: &str, mut generate: impl FnMut(&mut Stream) -> Vec<u8>) {
    let file = read("conformance.json");
    let entry = file["entries"].as_array().unwrap().iter().find(|e| e["name"] == name).expect("an entry");
    let mut stream = Stream(entry["seed"].as_u64().unwrap());
    let mut hasher = blake3::Hasher::new();
    for _ in 0..entry["count"].as_u64().unwrap() {
        let mut w = Writer::new();
        w.bytes(&generate(&mut stream));
        hasher.update(&w.into_bytes());
    }
    assert_eq!(hasher.finalize().to_hex().as_str(), entry["hash"], "the format of {name} has changed");
}

fn check_scheme<S: Scheme>(name: &str) {
    let pool = pool::<S>();
    let committee = committee_of_pool::<S>(&pool);
    check(&format!("committee/{name}"), |s| committee_id::<S>(&pool, s));
    check(&format!("vote/{name}"), |s| vote::<S>(&pool, &committee, s));
    check(&format!("equivocation/{name}"), |s| equivocation::<S>(&pool, &committee, s));
    check(&format!("certificate/{name}"), |s| certificate::<S>(&pool[0], s));
    check(&format!("timeout-certificate/{name}"), |s| timeout_certificate::<S>(&pool[0], s));
}

#[test]
fn varints_statements_and_ciphersuites() {
    check("varint", varint);
    check("statement", statement);
    check("ciphersuite", ciphersuite);
}

#[test]
fn min_sig() {
    check_scheme::<MinSig>("min-sig");
}

#[test]
fn min_pk() {
    check_scheme::<MinPk>("min-pk");
}

#[test]
fn ed25519() {
    check_scheme::<Ed25519>("ed25519");
}

fn check_tickets<S: Vrf>(name: &str) {
    let pool = pool::<S>();
    let committee = committee_of_pool::<S>(&pool);
    check(&format!("ticket/{name}"), |s| ticket::<S>(&pool, &committee, s));
}

#[test]
fn counted() {
    check_scheme::<Counted<MinSig>>("min-sig-counted");
    check_scheme::<Counted<MinPk>>("min-pk-counted");
    let (min_sig, min_pk) = (pool::<Counted<MinSig>>(), pool::<Counted<MinPk>>());
    check("aggregate/min-sig-counted", |s| aggregate::<Counted<MinSig>>(&min_sig[0], s));
    check("aggregate/min-pk-counted", |s| aggregate::<Counted<MinPk>>(&min_pk[0], s));
}

#[test]
fn sortition() {
    check_tickets::<MinSig>("min-sig");
    check_tickets::<MinPk>("min-pk");
    check_tickets::<Counted<MinSig>>("min-sig-counted");
    check_tickets::<Counted<MinPk>>("min-pk-counted");
}

#[test]
fn every_entry_is_checked() {
    assert_eq!(read("conformance.json")["entries"].as_array().unwrap().len(), 2 + 5 * 5 + 2 + 4 + 1);
}
