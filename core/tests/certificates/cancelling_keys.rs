//! Three colluding members whose keys sum to infinity.
//!
//! Each key has a proof of possession, and no two are equal or negations of each other, so no committee can refuse them.
//! Their signatures on one message cancel in any sum.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::Error;
use quorate::bls::{MinPk, MinSig};
use quorate::certificate::{Suspects, TimeoutCertificate, TimeoutCollector, VoteFault};
use quorate::committee::{ChainId, Committee, RawSigners};
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Decode, Encode};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::harness::{TIMEOUT, VIEW, World};

const COLLUDERS: [u16; 3] = [2, 5, 9];

/// Creates a committee of thirteen in which members 2, 5 and 9 have the secrets 1, 2 and −3.
fn world<S: Scheme>() -> World<S> {
    // The group order minus three.
    let minus_three = "73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffefffffffe";
    let small = |s: u8| [vec![0; 31], vec![s]].concat();
    let mut rng = StdRng::seed_from_u64(8);
    let secrets: Vec<S::SecretKey> = (0..13u16)
        .map(|i| match COLLUDERS.iter().position(|c| *c == i) {
            Some(0) => S::secret_from_bytes(&small(1)).unwrap(),
            Some(1) => S::secret_from_bytes(&small(2)).unwrap(),
            Some(_) => S::secret_from_bytes(&hex::decode(minus_three).unwrap()).unwrap(),
            None => S::generate(&mut rng).unwrap(),
        })
        .collect();
    let members = secrets.iter().map(|s| (UnverifiedKey::<S>::prove(s).verify().unwrap(), 1)).collect();
    let committee = Arc::new(Committee::new(ChainId::from_name("cancel"), 0, members).unwrap());
    World { secrets, committee }
}

fn collected_timeout_certificates_verify<S: Scheme>() {
    let world = world::<S>();
    let mut rng = StdRng::seed_from_u64(3);
    for round in 0..12 {
        let mut order: Vec<u16> = (0..13).collect();
        order.shuffle(&mut rng);
        // The colluders vote among the first members, so that they are in the quorum of nine.
        order.sort_by_key(|i| !COLLUDERS.contains(i));
        let at = rng.random_range(0..4);
        order[..3 + at].shuffle(&mut rng);
        let threshold = [2, 100][round % 2];
        let mut collector =
            TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW).with_batch_threshold(threshold);
        let mut suspects = Suspects::new();
        let (mut certificate, mut blamed) = (None, BTreeSet::new());
        for signer in order {
            let value = if COLLUDERS.contains(&signer) { 3 } else { u64::from(signer % 2) * 5 };
            let collected = collector.add(world.timeout(signer, value), &mut suspects);
            blamed.extend(collected.faults.iter().map(VoteFault::signer));
            certificate = certificate.or(collected.certificate);
            if round % 3 == 0 {
                let (_, faults) = collector.verify_honest(&mut suspects);
                blamed.extend(faults.iter().map(VoteFault::signer));
            }
        }
        assert!(blamed.iter().all(|i| COLLUDERS.contains(i)), "honest members blamed: {blamed:?}");
        let bytes = certificate.expect("all members timed out").encode();
        let received = TimeoutCertificate::<S>::decode(&bytes, &world.committee).unwrap();
        assert_eq!(received.verify(&world.committee).map(drop), Ok(()));
    }
}

/// The colluders' signatures sum to infinity, which does not decode; any other signature is rejected too.
fn colluders_alone_cannot_sign<S: Scheme<Proof = <S as Scheme>::Signature>>() {
    let world = world::<S>();
    let signers = world.committee.signer_set(RawSigners::Indices(&COLLUDERS.map(u32::from))).unwrap();
    let signatures: Vec<_> =
        COLLUDERS.iter().map(|i| (*i, S::sign(&world.secrets[usize::from(*i)], b"m"))).collect();
    let proof = S::combine(&signatures.iter().map(|(i, signature)| (*i, signature)).collect::<Vec<_>>());
    for proof in [&proof, &signatures[0].1] {
        assert_eq!(world.committee.verify_raw(b"m", &signers, proof), Err(Error::Infinity));
    }
    assert_eq!(S::Signature::decode(&proof.encode(), &()).map(drop), Err(Error::Infinity));
}

#[test]
fn colluders_alone_cannot_sign_min_sig() {
    colluders_alone_cannot_sign::<MinSig>();
}

#[test]
fn colluders_alone_cannot_sign_min_pk() {
    colluders_alone_cannot_sign::<MinPk>();
}

#[test]
fn collected_timeout_certificates_verify_min_sig() {
    collected_timeout_certificates_verify::<MinSig>();
}

#[test]
fn collected_timeout_certificates_verify_min_pk() {
    collected_timeout_certificates_verify::<MinPk>();
}
