//! Threshold ECDSA: a party's presignatures, and signing with them.

use napi::Env;
use napi_derive::napi;
use quorate::Error;
use quorate::any::threshold::Group;
use quorate::any::threshold::ecdsa::{
    GroupKey, Opener, Opening, Presignature, Presignatures, SignatureShare, Signing, Tag,
};
use quorate::guard::GuardRecord;
use quorate::machine::MemberIndex;

use super::agreement_name;
use super::deal::{SharedDeal, parse_group};
use crate::glue::{Bytes, Closable, Result, Throw, bytes, handle};
use crate::guard::OpenGuard;
use crate::handle::External;

/// A party's presignatures until they are closed or destroyed.
pub type OpenPresignatures = Closable<Presignatures>;
/// An opener of a share, until it is closed.
pub type OpenOpener = Closable<Opener>;

pub(crate) fn party_handle(party: Presignatures) -> External<OpenPresignatures> {
    let size = party.left() * 161;
    External::sized(Closable::new("presignatures", party), size)
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_from_bytes(group: String, data: &[u8]) -> Result<External<OpenPresignatures>> {
    Presignatures::from_bytes(parse_group(&group)?, data).map(party_handle).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_to_bytes<'env>(
    env: &'env Env,
    party: &External<OpenPresignatures>,
) -> Result<Bytes<'env>> {
    bytes(env, party.open()?.to_bytes().throw()?.as_slice())
}

/// Properties of a party's presignatures.
#[napi(object, object_from_js = false)]
pub struct PresignaturesInfo {
    pub group: &'static str,
    pub member: MemberIndex,
    pub left: u32,
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_info(party: &External<OpenPresignatures>) -> Result<PresignaturesInfo> {
    let party = party.open()?;
    let left = party.left() as u32;
    Ok(PresignaturesInfo { group: party.group().name(), member: party.member(), left })
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_key(party: &External<OpenPresignatures>) -> Result<External<GroupKey>> {
    Ok(External::new(party.open()?.key()))
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_deal(party: &External<OpenPresignatures>) -> Result<External<SharedDeal>> {
    Ok(External::new(party.open()?.deal().clone()))
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_take(
    party: &mut External<OpenPresignatures>,
    tag: &External<Tag>,
) -> Result<External<Single>> {
    handle(party.open_mut()?.take(**tag).map(Single::new))
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_signing(
    party: &External<OpenPresignatures>,
    tag: &External<Tag>,
    message: &[u8],
) -> Result<External<Signing>> {
    handle(party.open()?.signing(**tag, message))
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_audit(party: &External<OpenPresignatures>, index: u32) -> Result<()> {
    party.open()?.audit(index).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_destroy(
    party: &mut External<OpenPresignatures>,
    guard: &mut External<OpenGuard>,
) -> Result<External<GuardRecord>> {
    let guard = guard.open_mut()?;
    Ok(External::new(party.take()?.destroy(guard)))
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_close(party: &mut External<OpenPresignatures>) {
    party.close();
}

#[napi(catch_unwind)]
pub fn ecdsa_presignatures_closed(party: &External<OpenPresignatures>) -> bool {
    party.is_closed()
}

/// A presignature until it signs or is closed.
pub struct Single {
    group: Group,
    agreement: &'static str,
    spent: bool,
    presignature: Closable<Presignature>,
}

impl Single {
    fn new(presignature: Presignature) -> Self {
        let (group, agreement) = (presignature.group(), agreement_name(presignature.agreement()));
        Self { group, agreement, spent: false, presignature: Closable::new("presignature", presignature) }
    }

    /// A taken presignature is consumed in any case.
    fn spend(&mut self) -> Result<Presignature> {
        if self.spent {
            return Err(Error::Exhausted).throw();
        }
        let presignature = self.presignature.take()?;
        self.spent = true;
        Ok(presignature)
    }
}

#[napi(catch_unwind)]
pub fn ecdsa_presignature_group(single: &External<Single>) -> &'static str {
    single.group.name()
}

#[napi(catch_unwind)]
pub fn ecdsa_presignature_agreement(single: &External<Single>) -> &'static str {
    single.agreement
}

/// A share with the record that must be durable before it leaves, if there is one.
#[napi(object, object_from_js = false)]
pub struct SignedShare {
    pub record: Option<External<GuardRecord>>,
    pub share: External<SignatureShare>,
    pub opener: External<OpenOpener>,
}

#[napi(catch_unwind)]
pub fn ecdsa_presignature_sign(
    single: &mut External<Single>,
    guard: &mut External<OpenGuard>,
    message: &[u8],
) -> Result<SignedShare> {
    let guard = guard.open_mut()?;
    let signed = single.spend()?.sign(guard, message).throw()?;
    Ok(SignedShare {
        record: signed.record.map(External::new),
        share: External::new(signed.share),
        opener: External::new(Closable::new("opener", signed.opener)),
    })
}

#[napi(catch_unwind)]
pub fn ecdsa_presignature_close(single: &mut External<Single>) {
    single.presignature.close();
}

#[napi(catch_unwind)]
pub fn ecdsa_presignature_closed(single: &External<Single>) -> bool {
    single.presignature.is_closed()
}

#[napi(catch_unwind)]
pub fn ecdsa_opener_open(opener: &External<OpenOpener>) -> Result<External<Opening>> {
    handle(opener.open()?.open())
}

#[napi(catch_unwind)]
pub fn ecdsa_opener_close(opener: &mut External<OpenOpener>) {
    opener.close();
}

#[napi(catch_unwind)]
pub fn ecdsa_opener_closed(opener: &External<OpenOpener>) -> bool {
    opener.is_closed()
}
