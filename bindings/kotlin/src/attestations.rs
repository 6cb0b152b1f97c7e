//! Attestations that the user's function verifies.

use std::sync::Mutex;

use crate::glue::lock;

/// A member's attestation of some bytes.
#[derive(Clone, uniffi::Record)]
pub(crate) struct Attestation {
    member: u16,
    bytes: Vec<u8>,
    attestation: Vec<u8>,
}

/// The attestations that a verification asks about. Rust never calls Kotlin: the verification takes all of them for
/// valid, and the user's function verifies them afterwards. If one is invalid, a second verification, which takes none
/// for valid, returns the core's error.
#[derive(uniffi::Object)]
pub(crate) struct Attestations {
    are_valid: bool,
    asked: Mutex<Vec<Attestation>>,
}

#[uniffi::export]
impl Attestations {
    #[uniffi::constructor]
    fn new(are_valid: bool) -> Self {
        Self { are_valid, asked: Mutex::default() }
    }

    fn asked(&self) -> Vec<Attestation> {
        lock(&self.asked).clone()
    }
}

impl Attestations {
    /// Notes an attestation; returns true if it is taken for valid.
    pub(crate) fn ask(&self, member: u16, bytes: &[u8], attestation: &[u8]) -> bool {
        let (bytes, attestation) = (bytes.to_vec(), attestation.to_vec());
        lock(&self.asked).push(Attestation { member, bytes, attestation });
        self.are_valid
    }
}
