//! Signatures of other chains, under their own framing and ciphersuite.

use getrandom::SysRng;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use quorate::any::Committee;
use quorate::committee::SignerSet;
use quorate::machine::MemberIndex;
use quorate::scheme::Claim;
use quorate_interface::ciphersuite::Ciphersuite;

use crate::glue::{Flag, Promised, Result, Throw, failure, handle, queue};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn committee_with_ciphersuite(
    committee: &External<Committee>,
    ciphersuite: &External<Ciphersuite>,
) -> Result<External<Committee>> {
    handle(Committee::clone(committee).with_ciphersuite(ciphersuite.0.clone()))
}

#[napi(catch_unwind)]
pub fn committee_verify_raw(
    committee: &External<Committee>,
    message: &[u8],
    signers: &External<SignerSet>,
    proof: &[u8],
) -> Result<u128> {
    committee.verify_raw(message, signers, proof).throw()
}

#[napi(catch_unwind)]
pub fn committee_verify_raw_async(
    committee: &External<Committee>,
    message: &[u8],
    signers: &External<SignerSet>,
    proof: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Promised<u128> {
    let (committee, signers) = (Committee::clone(committee), SignerSet::clone(signers));
    let (message, proof) = (message.to_vec(), proof.to_vec());
    queue(cancelled, move || committee.verify_raw(&message, &signers, &proof))
}

#[napi(catch_unwind)]
pub fn committee_verify_raw_each(
    committee: &External<Committee>,
    members: Vec<u16>,
    messages: Vec<&[u8]>,
    proof: &[u8],
) -> Result<u128> {
    let signed: Vec<(MemberIndex, &[u8])> = members.into_iter().zip(messages).collect();
    committee.verify_raw_each(&signed, proof).throw()
}

#[napi(catch_unwind)]
pub fn committee_verify_raw_each_async(
    committee: &External<Committee>,
    members: Vec<u16>,
    messages: Vec<&[u8]>,
    proof: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Promised<u128> {
    let (committee, proof) = (Committee::clone(committee), proof.to_vec());
    let messages: Vec<Vec<u8>> = messages.into_iter().map(<[u8]>::to_vec).collect();
    queue(cancelled, move || {
        let signed: Vec<(MemberIndex, &[u8])> =
            members.into_iter().zip(messages.iter().map(Vec::as_slice)).collect();
        committee.verify_raw_each(&signed, &proof)
    })
}

/// The weight of the signers of a proof, or its error.
pub type Weight = Either<u128, String>;

fn weights(results: Vec<quorate::Result<u128>>) -> Vec<Weight> {
    let show = |result: quorate::Result<u128>| match result {
        Ok(weight) => Either::A(weight),
        Err(error) => Either::B(failure(&error)),
    };
    results.into_iter().map(show).collect()
}

#[napi(catch_unwind)]
pub fn committee_verify_raw_batch(
    committee: &External<Committee>,
    messages: Vec<&[u8]>,
    signers: Vec<&External<SignerSet>>,
    proofs: Vec<&[u8]>,
) -> Vec<Weight> {
    let claims = messages.into_iter().zip(signers).map(|(message, signers)| Claim { message, signers });
    let items: Vec<(Claim<'_>, &[u8])> = claims.zip(proofs).collect();
    weights(committee.verify_raw_batch(&items, &mut SysRng))
}

#[napi(catch_unwind)]
pub fn committee_verify_raw_batch_async(
    committee: &External<Committee>,
    messages: Vec<&[u8]>,
    signers: Vec<&External<SignerSet>>,
    proofs: Vec<&[u8]>,
    cancelled: Option<&External<Flag>>,
) -> Promised<Vec<Weight>> {
    let committee = Committee::clone(committee);
    let items: Vec<(Vec<u8>, SignerSet, Vec<u8>)> = messages
        .into_iter()
        .zip(signers)
        .zip(proofs)
        .map(|((message, signers), proof)| (message.to_vec(), SignerSet::clone(signers), proof.to_vec()))
        .collect();
    queue(cancelled, move || {
        let items: Vec<(Claim<'_>, &[u8])> =
            items.iter().map(|(message, signers, proof)| (Claim { message, signers }, &**proof)).collect();
        Ok(weights(committee.verify_raw_batch(&items, &mut SysRng)))
    })
}
