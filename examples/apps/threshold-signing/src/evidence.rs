//! Evidence that a party sent an invalid share: the message, the share with the party's Ed25519 attestation, and
//! the opening that the dealer's root commits to. Group file, deal file and evidence suffice to verify it.

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

/// Maximum size of a file: a message, a share and an opening.
const MAX_FILE: u64 = (1 << 24) + (1 << 16);

/// Verifies a party's attestation of a share.
///
/// # Errors
/// [`Error::BadSignature`], [`Error::UnknownSigner`], and decoding errors of the attestation.
pub fn verify_attestation(
    group: &Group,
    member: MemberIndex,
    bytes: &[u8],
    attestation: &[u8],
) -> Result<()> {
    let key = group.committee.key(member).ok_or(Error::UnknownSigner { index: member.into() })?;
    Ed25519::verify(key, bytes, &Signature::decode(attestation, &())?)
}

/// Reads an evidence file. It is not verified.
///
/// # Errors
/// [`Failure::setup`].
pub fn load(path: &Path) -> Result<ShareFault<Secp256k1>, Failure> {
    let what = format!("evidence {}", path.display());
    decode(&read(path, MAX_FILE).or_fail(Exit::Setup, &what)?).or_fail(Exit::Setup, what)
}

/// Decodes evidence. It is not verified.
///
/// # Errors
/// Decoding errors.
pub fn decode(bytes: &[u8]) -> Result<ShareFault<Secp256k1>> {
    ShareFault::decode(bytes, &())
}

/// Verifies evidence and returns the party that sent the invalid share.
///
/// # Errors
/// [`Exit::Refuted`] if the evidence is invalid.
pub fn check(
    group: &Group,
    public: &PublicDeal,
    evidence: &ShareFault<Secp256k1>,
) -> Result<MemberIndex, Failure> {
    public.require(group)?;
    let culprit = evidence.verify(&public.key, &public.deal, |member, bytes, attestation| {
        verify_attestation(group, member, bytes, attestation)
    });
    culprit.map_err(|e| Failure::with_code(Exit::Refuted, e.code(), format!("the evidence is invalid: {e}")))
}
