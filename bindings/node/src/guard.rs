//! A key that never signs contradicting statements, and the records of its signatures.

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::any::{Committee, Guard, PublicKey, TimeoutVote, Vote};
use quorate::certificate::{Kind, Statement};
use quorate::committee::ChainId;
use quorate::guard::GuardRecord;
use quorate::wire::{Decode, Encode};

use crate::glue::{Bytes, Closable, Result, Throw, array, bytes, handle, number};
use crate::handle::External;
use crate::keys::Secret;

/// A guard until it is closed.
pub type OpenGuard = Closable<Guard>;

#[napi(catch_unwind)]
pub fn guard_new(key: &mut External<Secret>, chain: &External<ChainId>) -> Result<External<OpenGuard>> {
    Ok(External::new(Closable::new("guard", Guard::new(key.take()?, **chain))))
}

#[napi(catch_unwind)]
pub fn guard_restore(
    key: &mut External<Secret>,
    chain: &External<ChainId>,
    records: Vec<&External<GuardRecord>>,
) -> Result<External<OpenGuard>> {
    let records = records.into_iter().map(|record| **record);
    handle(Guard::restore(key.take()?, **chain, records).map(|guard| Closable::new("guard", guard)))
}

/// A vote with the record that must be durable before the vote is sent.
#[napi(object, object_from_js = false)]
pub struct SignedVote {
    pub vote: External<Vote>,
    pub record: External<GuardRecord>,
}

#[napi(catch_unwind)]
pub fn guard_sign(
    guard: &mut External<OpenGuard>,
    committee: &External<Committee>,
    statement: &External<Statement>,
) -> Result<SignedVote> {
    let (vote, record) = guard.open_mut()?.sign(committee, **statement).throw()?;
    Ok(SignedVote { vote: External::new(vote), record: External::new(record) })
}

/// A timeout vote with its record.
#[napi(object, object_from_js = false)]
pub struct SignedTimeout {
    pub vote: External<TimeoutVote>,
    pub record: External<GuardRecord>,
}

#[napi(catch_unwind)]
pub fn guard_sign_timeout(
    guard: &mut External<OpenGuard>,
    committee: &External<Committee>,
    kind: u8,
    view: BigInt,
    value: BigInt,
) -> Result<SignedTimeout> {
    let (kind, view, value) = (Kind::new(kind), number(&view), number(&value));
    let (vote, record) = guard.open_mut()?.sign_timeout(committee, kind, view, value).throw()?;
    Ok(SignedTimeout { vote: External::new(vote), record: External::new(record) })
}

#[napi(catch_unwind)]
pub fn guard_reserve(
    guard: &mut External<OpenGuard>,
    key: &[u8],
    epoch: BigInt,
    index: u32,
) -> Result<External<GuardRecord>> {
    let key = array("name of a threshold key", key)?;
    handle(guard.open_mut()?.reserve(&key, number(&epoch), index))
}

#[napi(catch_unwind)]
pub fn guard_confirm(guard: &mut External<OpenGuard>, reservation: &External<GuardRecord>) -> Result<()> {
    guard.open_mut()?.confirm(reservation).throw()
}

#[napi(catch_unwind)]
pub fn guard_close_epoch(
    guard: &mut External<OpenGuard>,
    key: &[u8],
    epoch: BigInt,
) -> Result<External<GuardRecord>> {
    let key = array("name of a threshold key", key)?;
    Ok(External::new(guard.open_mut()?.close_epoch(&key, number(&epoch))))
}

#[napi(catch_unwind)]
pub fn guard_public_key(guard: &External<OpenGuard>) -> Result<External<PublicKey>> {
    Ok(External::new(guard.open()?.public_key()))
}

#[napi(catch_unwind)]
pub fn guard_suite(guard: &External<OpenGuard>) -> Result<&'static str> {
    Ok(guard.open()?.suite().name())
}

#[napi(catch_unwind)]
pub fn guard_chain(guard: &External<OpenGuard>) -> Result<External<ChainId>> {
    Ok(External::new(guard.open()?.chain()))
}

/// Epoch and view of the last signed statement of a kind.
#[napi(object, object_from_js = false)]
pub struct SignedPosition {
    pub epoch: u64,
    pub view: u64,
}

#[napi(catch_unwind)]
pub fn guard_last(guard: &External<OpenGuard>, kind: u8) -> Result<Option<SignedPosition>> {
    Ok(guard.open()?.last(Kind::new(kind)).map(|(epoch, view)| SignedPosition { epoch, view }))
}

#[napi(catch_unwind)]
pub fn guard_records(guard: &External<OpenGuard>) -> Result<Vec<External<GuardRecord>>> {
    Ok(guard.open()?.records().into_iter().map(External::new).collect())
}

#[napi(catch_unwind)]
pub fn guard_close(guard: &mut External<OpenGuard>) {
    guard.close();
}

#[napi(catch_unwind)]
pub fn guard_closed(guard: &External<OpenGuard>) -> bool {
    guard.is_closed()
}

#[napi(catch_unwind)]
pub fn guard_record_decode(data: &[u8]) -> Result<External<GuardRecord>> {
    handle(GuardRecord::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn guard_record_encode<'env>(env: &'env Env, record: &External<GuardRecord>) -> Result<Bytes<'env>> {
    bytes(env, record.encode())
}

#[napi(catch_unwind)]
pub fn guard_record_kind(record: &External<GuardRecord>) -> u8 {
    record.kind().number()
}

#[napi(catch_unwind)]
pub fn guard_record_epoch(record: &External<GuardRecord>) -> u64 {
    record.epoch()
}

#[napi(catch_unwind)]
pub fn guard_record_view(record: &External<GuardRecord>) -> u64 {
    record.view()
}

#[napi(catch_unwind)]
pub fn guard_record_equals(record: &External<GuardRecord>, other: &External<GuardRecord>) -> bool {
    **record == **other
}
