//! What shows to others that a party sent a wrong share: the message, the share with the party's Ed25519 signature, and the
//! opening that the dealer's root fixes. Group file, deal and evidence suffice; whoever has the three can judge.

use std::path::Path;

use quorate::ed25519::{Ed25519, Signature};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::ShareFault;
use quorate::wire::Decode;
use quorate::{Error, Result};

use crate::deal::PublicDeal;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::read;
use crate::group::Group;

/// Longest file: a message, a share and an opening.
const MAX_FILE: u64 = (1 << 24) + (1 << 16);

/// Checks that a party stands for a share.
///
/// # Errors
/// [`Error::BadSignature`], [`Error::UnknownSigner`], and what is wrong with the attestation's form.
pub fn verify_attestation(
    group: &Group,
    member: MemberIndex,
    bytes: &[u8],
    attestation: &[u8],
) -> Result<()> {
    let key = group.committee.key(member).ok_or(Error::UnknownSigner { index: member.into() })?;
    Ed25519::verify(key, bytes, &Signature::decode(attestation, &())?)
}

/// Reads evidence.
///
/// # Errors
/// [`Failure::setup`].
pub fn load(path: &Path) -> Result<ShareFault<Secp256k1>, Failure> {
    let what = format!("evidence {}", path.display());
    decode(&read(path, MAX_FILE).or_fail(Exit::Setup, &what)?).or_fail(Exit::Setup, what)
}

/// Reads the bytes of evidence. What it shows is open.
///
/// # Errors
/// What is wrong with them.
pub fn decode(bytes: &[u8]) -> Result<ShareFault<Secp256k1>> {
    ShareFault::decode(bytes, &())
}

/// Checks evidence, and says who sent the wrong share.
///
/// # Errors
/// [`Exit::Refuted`] if it shows nothing.
pub fn check(
    group: &Group,
    public: &PublicDeal,
    evidence: &ShareFault<Secp256k1>,
) -> Result<MemberIndex, Failure> {
    public.require(group)?;
    let culprit = evidence.verify(&public.key, &public.deal, |member, bytes, attestation| {
        verify_attestation(group, member, bytes, attestation)
    });
    culprit
        .map_err(|e| Failure::with_code(Exit::Refuted, e.code(), format!("the evidence shows nothing: {e}")))
}
