//! Rust itself, the baseline: the typed API in this process.

use std::hint::black_box;

use quorate::Result;
use quorate::bls::{self, MinPk};
use quorate::certificate::Certificate;
use quorate::committee::Committee;
use quorate::dsig::{Signature, Verifier, VerifierConfig, WotsBlake3};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};

use super::contender::{Contender, Operations};
use super::world::{Quorum, Signed, Sync, World, attested};

/// The contender.
pub(super) fn contender(world: &World) -> Contender<'_> {
    let mut operations = Operations::new();
    certificates(&mut operations, ["verify-min-sig", "decode-min-sig"], &world.min_sig);
    certificates(&mut operations, ["verify-min-pk", "decode-min-pk"], &world.min_pk);
    certificates(&mut operations, ["verify-ed25519", "decode-ed25519"], &world.ed25519);
    sync(&mut operations, &world.sync);
    dsig(&mut operations, &world.dsig);
    Contender::in_process("Rust", concat!("quorate ", env!("CARGO_PKG_VERSION")), operations)
}

fn certificates<'a, S: Scheme>(
    operations: &mut Operations<'a>,
    [verify, decode]: [&'static str; 2],
    quorum: &'a Quorum<S>,
) {
    let forged = Certificate::<S>::decode(&quorum.forged, &*quorum.committee);
    refused(forged.and_then(|forged| forged.verify(&quorum.committee)));
    let bytes = quorum.certificate.encode();
    operations.insert(verify, Box::new(move || accepted(quorum.certificate.check(&quorum.committee))));
    let from_bytes = move || {
        let certificate = Certificate::<S>::decode(black_box(&bytes), &*quorum.committee);
        accepted(certificate.and_then(|certificate| certificate.verify(&quorum.committee)));
    };
    operations.insert(decode, Box::new(from_bytes));
}

fn sync<'a>(operations: &mut Operations<'a>, sync: &'a Sync) {
    let Sync { committee, signature, signed, .. } = sync;
    refused(verify_raw(committee, sync, &sync.forged.encode()));
    refused(bls::fast_aggregate_verify(signed, sync.message(), &sync.forged));
    let proof = signature.encode();
    let cached = move || accepted(verify_raw(committee, sync, &proof));
    operations.insert("sync-cached", Box::new(cached));
    let keys = || accepted(bls::fast_aggregate_verify(signed, sync.message(), signature));
    operations.insert("sync-keys", Box::new(keys));
    let proof = signature.encode();
    let from_bytes = move || {
        let decode = |key: &Vec<u8>| <MinPk as Scheme>::PublicKey::decode(black_box(key), &());
        let keys = sync.encoded_keys.iter().map(decode).collect::<Result<_>>();
        accepted(keys.and_then(attested).and_then(|committee| verify_raw(&committee, sync, &proof)));
    };
    operations.insert("sync-bytes", Box::new(from_bytes));
}

/// Decodes and verifies signatures of an announced batch.
fn dsig<'a>(operations: &mut Operations<'a>, signed: &'a Signed) {
    let mut verifier = Verifier::<WotsBlake3>::new(VerifierConfig::default());
    verifier.admit(signed.signer.clone());
    accepted(verifier.announce(&signed.signer, &signed.announcement, Signed::NOW));
    let mut verify = move |bytes: &[u8], message: &[u8]| {
        let signature = Signature::decode(black_box(bytes), &())?;
        verifier.verify(&signed.signer, message, &signature)
    };
    let mut turn = signed.signatures.iter().cycle();
    let mut next = move || turn.next().map_or(&[][..], Vec::as_slice);
    refused(verify(next(), &Signed::OTHER));
    operations.insert("dsig-verify", Box::new(move || accepted(verify(next(), &Signed::MESSAGE))));
}

/// The signature is passed as bytes, as in the other languages.
fn verify_raw(committee: &Committee<MinPk>, sync: &Sync, proof: &[u8]) -> Result<u128> {
    let signature = <MinPk as Scheme>::Signature::decode(black_box(proof), &())?;
    committee.verify_raw(sync.message(), &sync.signers, &signature)
}

/// The checks that every contender passes before a measurement.
fn refused<T>(result: Result<T>) {
    assert!(result.is_err(), "a forged input was accepted");
}

/// Stops if a check fails: a figure of wrong code is worse than none.
fn accepted<T>(result: Result<T>) {
    assert!(black_box(result).is_ok(), "a valid input was refused");
}
