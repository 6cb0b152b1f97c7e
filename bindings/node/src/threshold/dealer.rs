//! Threshold ECDSA: the dealer.

use std::sync::Arc;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::Error;
use quorate::any::threshold::ecdsa::{GroupKey, TrustedDealer};
use quorate::committee::CommitteeId;
use quorate::threshold::Tolerance;
use quorate::threshold::ecdsa::Plan;

use super::deal::parse_group;
use super::presignatures::{OpenPresignatures, party_handle};
use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, handle, number, queue};
use crate::handle::External;

/// A dealer until it is closed. A thread that is dealing holds the key until it is done.
pub type OpenDealer = Closable<Arc<TrustedDealer>>;

fn dealer(made: quorate::Result<TrustedDealer>) -> Result<External<OpenDealer>> {
    handle(made.map(|dealer| Closable::new("dealer", Arc::new(dealer))))
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_new(
    group: String,
    committee: &External<CommitteeId>,
    tolerance: &External<Tolerance>,
) -> Result<External<OpenDealer>> {
    dealer(TrustedDealer::new(parse_group(&group)?, **committee, **tolerance, &mut SysRng))
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_from_bytes(
    group: String,
    committee: &External<CommitteeId>,
    tolerance: &External<Tolerance>,
    secret: &[u8],
) -> Result<External<OpenDealer>> {
    let secret: &[u8; 32] =
        secret.try_into().map_err(|_| Error::Malformed { what: "secret threshold key" }).throw()?;
    dealer(TrustedDealer::from_bytes(parse_group(&group)?, **committee, **tolerance, secret))
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_to_bytes<'env>(env: &'env Env, dealer: &External<OpenDealer>) -> Result<Bytes<'env>> {
    bytes(env, dealer.open()?.to_bytes().as_slice())
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_key(dealer: &External<OpenDealer>) -> Result<External<GroupKey>> {
    Ok(External::new(dealer.open()?.key()))
}

fn deal(dealer: &TrustedDealer, epoch: u64, plan: Plan) -> quorate::Result<Vec<External<OpenPresignatures>>> {
    Ok(dealer.deal(epoch, plan, &mut SysRng)?.into_iter().map(party_handle).collect())
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_deal(
    dealer: &External<OpenDealer>,
    epoch: BigInt,
    plan: &External<Plan>,
) -> Result<Vec<External<OpenPresignatures>>> {
    deal(dealer.open()?, number(&epoch), **plan).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_deal_async(
    dealer: &External<OpenDealer>,
    epoch: BigInt,
    plan: &External<Plan>,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<Vec<External<OpenPresignatures>>>> {
    let (dealer, epoch, plan) = (dealer.open()?.clone(), number(&epoch), **plan);
    Ok(queue(cancelled, move || deal(&dealer, epoch, plan)))
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_close(dealer: &mut External<OpenDealer>) {
    dealer.close();
}

#[napi(catch_unwind)]
pub fn ecdsa_dealer_closed(dealer: &External<OpenDealer>) -> bool {
    dealer.is_closed()
}
