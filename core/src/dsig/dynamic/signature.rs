use alloc::boxed::Box;
use alloc::vec::Vec;

use super::background::DynVerifiedSignature;
use super::suite_id::SuiteId;
use crate::Result;
use crate::dsig::evidence::Reuse;
use crate::dsig::signature::Signature;
use crate::dsig::suite;
use crate::ed25519::PublicKey;
use crate::wire::{Decode, Encode};

/// Verifies an encoded signature of any suite without prior state, see [`Signature::verify`].
///
/// # Errors
/// Decoding errors, [`Error::UnknownName`](crate::Error::UnknownName) for an unknown suite, and
/// [`Error::BadSignature`](crate::Error::BadSignature).
pub fn verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
    with_suite!(SuiteId::from_encoded(signature)?, S => Signature::<S>::decode(signature, &())?.verify(signer, message))
}

/// Combines two encoded signatures of one key to encoded evidence, see [`Reuse::new`].
///
/// # Errors
/// Decoding errors, [`Error::UnknownName`](crate::Error::UnknownName) for an unknown suite,
/// [`Error::WrongContext`](crate::Error::WrongContext) for two different suites, and those of [`Reuse::new`].
pub fn reuse(signer: &PublicKey, first: (&[u8], &[u8]), second: (&[u8], &[u8])) -> Result<Vec<u8>> {
    with_suite!(SuiteId::from_encoded(first.1)?, S => {
        let one = |(message, signature): (&[u8], &[u8])| -> Result<_> {
            Ok((message.to_vec(), Signature::<S>::decode(signature, &())?))
        };
        Ok(Reuse::new(signer.clone(), one(first)?, one(second)?)?.encode())
    })
}

/// Verifies encoded evidence of reuse in a suite and returns the signer at fault, see [`Reuse::verify`].
///
/// # Errors
/// Decoding errors, and those of [`Reuse::verify`].
pub fn verify_reuse(suite: SuiteId, evidence: &[u8]) -> Result<PublicKey> {
    with_suite!(suite, S => {
        let reuse = Reuse::<S>::decode(evidence, &())?;
        reuse.verify()?;
        Ok(reuse.culprit().clone())
    })
}

/// Verifies an encoded signature for a verifier that is locked elsewhere, see [`Signature::verify_detached`]. The
/// signature names its suite.
///
/// # Errors
/// Decoding errors, [`Error::UnknownName`](crate::Error::UnknownName) for an unknown suite, and
/// [`Error::BadSignature`](crate::Error::BadSignature).
pub fn verify_detached(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<DynVerifiedSignature> {
    with_suite!(SuiteId::from_encoded(signature)?, S => {
        let verified = Signature::<S>::decode(signature, &())?.verify_detached(signer, message)?;
        Ok(DynVerifiedSignature(Box::new(verified)))
    })
}
