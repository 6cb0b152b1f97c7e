//! BLS signatures outside committees.

use std::sync::Arc;

use quorate::any;

use crate::glue::Result;
use crate::keys::{Signature, VerifiedKey};

#[uniffi::export]
fn bls_aggregate(signatures: Vec<Arc<Signature>>) -> Result<Arc<Signature>> {
    let signatures: Vec<_> = signatures.iter().map(|signature| signature.0.clone()).collect();
    Ok(Arc::new(Signature(any::bls::aggregate(&signatures)?)))
}

#[uniffi::export]
fn bls_fast_aggregate_verify(
    keys: Vec<Arc<VerifiedKey>>,
    message: Vec<u8>,
    signature: &Signature,
) -> Result<()> {
    let keys: Vec<_> = keys.iter().map(|key| key.0.clone()).collect();
    Ok(any::bls::fast_aggregate_verify(&keys, &message, &signature.0)?)
}

/// A key, and the message that it signed.
#[derive(uniffi::Record)]
struct SignedMessage {
    key: Arc<VerifiedKey>,
    message: Vec<u8>,
}

#[uniffi::export]
fn bls_aggregate_verify(signed: Vec<SignedMessage>, signature: &Signature) -> Result<()> {
    let signed: Vec<_> = signed.iter().map(|one| (&one.key.0, one.message.as_slice())).collect();
    Ok(any::bls::aggregate_verify(&signed, &signature.0)?)
}
