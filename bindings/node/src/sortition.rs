//! Seeds, lotteries and tickets.

use core::num::NonZeroU16;

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::any::{Committee, Lottery, SeedProof, Signature, Ticket};
use quorate::committee::{ChainId, CommitteeId, Verified};
use quorate::sortition::{EXPECTED_WINNERS, Score, Seed};
use quorate::wire::{Decode, Encode};

use crate::glue::{Bytes, Flag, Promised, Result, Throw, bytes, handle, number, queue, suite};
use crate::handle::External;
use crate::keys::Secret;

#[napi(catch_unwind)]
pub fn seed_genesis(chain: &External<ChainId>, data: &[u8]) -> External<Seed> {
    External::new(Seed::genesis(**chain, data))
}

#[napi(catch_unwind)]
pub fn seed_decode(data: &[u8]) -> Result<External<Seed>> {
    handle(Seed::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn seed_encode<'env>(env: &'env Env, seed: &External<Seed>) -> Result<Bytes<'env>> {
    bytes(env, seed.encode())
}

#[napi(catch_unwind)]
pub fn seed_height(seed: &External<Seed>) -> u64 {
    seed.height()
}

#[napi(catch_unwind)]
pub fn seed_value<'env>(env: &'env Env, seed: &External<Seed>) -> Result<Bytes<'env>> {
    bytes(env, seed.value())
}

#[napi(catch_unwind)]
pub fn seed_next(
    seed: &External<Seed>,
    proof: &External<SeedProof>,
    committee: &External<Committee>,
) -> Result<External<Seed>> {
    handle(proof.next_seed(seed, committee))
}

#[napi(catch_unwind)]
pub fn seed_equals(seed: &External<Seed>, other: &External<Seed>) -> bool {
    **seed == **other
}

#[napi(catch_unwind)]
pub fn seed_proof_new(signer: u16, signature: &External<Signature>) -> Result<External<SeedProof>> {
    handle(SeedProof::new(signer, Signature::clone(signature)))
}

#[napi(catch_unwind)]
pub fn seed_proof_sign(
    key: &External<Secret>,
    committee: &External<Committee>,
    seed: &External<Seed>,
) -> Result<External<SeedProof>> {
    handle(SeedProof::sign(key.open()?, committee, seed))
}

#[napi(catch_unwind)]
pub fn seed_proof_decode(name: String, data: &[u8]) -> Result<External<SeedProof>> {
    handle(SeedProof::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn seed_proof_encode<'env>(env: &'env Env, proof: &External<SeedProof>) -> Result<Bytes<'env>> {
    bytes(env, proof.encode())
}

#[napi(catch_unwind)]
pub fn seed_proof_decode_detached(name: String, data: &[u8], signer: u16) -> Result<External<SeedProof>> {
    handle(SeedProof::decode_detached(suite(&name)?, data, signer))
}

#[napi(catch_unwind)]
pub fn seed_proof_encode_detached<'env>(env: &'env Env, proof: &External<SeedProof>) -> Result<Bytes<'env>> {
    bytes(env, proof.encode_detached())
}

#[napi(catch_unwind)]
pub fn seed_proof_suite(proof: &External<SeedProof>) -> &'static str {
    proof.suite().name()
}

#[napi(catch_unwind)]
pub fn seed_proof_signer(proof: &External<SeedProof>) -> u16 {
    proof.signer()
}

#[napi(catch_unwind)]
pub fn seed_proof_signature(proof: &External<SeedProof>) -> External<Signature> {
    External::new(proof.signature())
}

#[napi(catch_unwind)]
pub fn seed_proof_equals(proof: &External<SeedProof>, other: &External<SeedProof>) -> bool {
    **proof == **other
}

#[napi(catch_unwind)]
pub fn lottery_new(
    committee: &External<Committee>,
    seed: &External<Seed>,
    round: BigInt,
    expected: Option<u16>,
) -> Result<External<Lottery>> {
    // `sortition.ts` rejects 0.
    let expected = expected.and_then(NonZeroU16::new).unwrap_or(EXPECTED_WINNERS);
    handle(Lottery::new(committee, **seed, number(&round), expected))
}

#[napi(catch_unwind)]
pub fn lottery_draw(
    lottery: &External<Lottery>,
    key: &External<Secret>,
) -> Result<Option<External<Verified<Ticket>>>> {
    Ok(lottery.draw(key.open()?).throw()?.map(External::new))
}

#[napi(catch_unwind)]
pub fn lottery_seed(lottery: &External<Lottery>) -> External<Seed> {
    External::new(lottery.seed())
}

#[napi(catch_unwind)]
pub fn lottery_round(lottery: &External<Lottery>) -> u64 {
    lottery.round()
}

#[napi(catch_unwind)]
pub fn lottery_expected(lottery: &External<Lottery>) -> u16 {
    lottery.expected().get()
}

#[napi(catch_unwind)]
pub fn ticket_new(round: BigInt, member: u16, signature: &External<Signature>) -> Result<External<Ticket>> {
    handle(Ticket::new(number(&round), member, Signature::clone(signature)))
}

#[napi(catch_unwind)]
pub fn ticket_decode(name: String, data: &[u8]) -> Result<External<Ticket>> {
    handle(Ticket::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn ticket_encode<'env>(env: &'env Env, ticket: &External<Ticket>) -> Result<Bytes<'env>> {
    bytes(env, ticket.encode())
}

#[napi(catch_unwind)]
pub fn ticket_decode_detached(
    name: String,
    data: &[u8],
    round: BigInt,
    member: u16,
) -> Result<External<Ticket>> {
    handle(Ticket::decode_detached(suite(&name)?, data, number(&round), member))
}

#[napi(catch_unwind)]
pub fn ticket_encode_detached<'env>(env: &'env Env, ticket: &External<Ticket>) -> Result<Bytes<'env>> {
    bytes(env, ticket.encode_detached())
}

#[napi(catch_unwind)]
pub fn ticket_suite(ticket: &External<Ticket>) -> &'static str {
    ticket.suite().name()
}

#[napi(catch_unwind)]
pub fn ticket_round(ticket: &External<Ticket>) -> u64 {
    ticket.round()
}

#[napi(catch_unwind)]
pub fn ticket_member(ticket: &External<Ticket>) -> u16 {
    ticket.member()
}

#[napi(catch_unwind)]
pub fn ticket_signature(ticket: &External<Ticket>) -> External<Signature> {
    External::new(ticket.signature())
}

#[napi(catch_unwind)]
pub fn ticket_verify(
    ticket: &External<Ticket>,
    lottery: &External<Lottery>,
) -> Result<External<Verified<Ticket>>> {
    handle(Ticket::clone(ticket).verify(lottery))
}

#[napi(catch_unwind)]
pub fn ticket_verify_async(
    ticket: &External<Ticket>,
    lottery: &External<Lottery>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<Ticket>>> {
    let (ticket, lottery) = (Ticket::clone(ticket), Lottery::clone(lottery));
    queue(cancelled, move || ticket.verify(&lottery).map(External::new))
}

#[napi(catch_unwind)]
pub fn ticket_equals(ticket: &External<Ticket>, other: &External<Ticket>) -> bool {
    **ticket == **other
}

#[napi(catch_unwind)]
pub fn verified_ticket_value(ticket: &External<Verified<Ticket>>) -> External<Ticket> {
    External::new(Ticket::clone(ticket))
}

#[napi(catch_unwind)]
pub fn verified_ticket_committee(ticket: &External<Verified<Ticket>>) -> External<CommitteeId> {
    External::new(ticket.committee())
}

#[napi(catch_unwind)]
pub fn verified_ticket_score(ticket: &External<Verified<Ticket>>) -> External<Score> {
    External::new(ticket.score())
}

#[napi(catch_unwind)]
pub fn score_bytes<'env>(env: &'env Env, score: &External<Score>) -> Result<Bytes<'env>> {
    bytes(env, score.as_bytes())
}

#[napi(catch_unwind)]
pub fn score_compare(score: &External<Score>, other: &External<Score>) -> i32 {
    (**score).cmp(&**other) as i32
}
