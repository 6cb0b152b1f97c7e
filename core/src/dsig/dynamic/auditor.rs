use alloc::boxed::Box;
use alloc::vec::Vec;

use super::suite_id::SuiteId;
use crate::Result;
use crate::dsig::auditor::{Auditor, MAX_BATCHES};
use crate::dsig::signature::Signature;
use crate::dsig::suite::{self, DsigSuite};
use crate::ed25519::PublicKey;
use crate::wire::Decode;

/// An [`Auditor`] of a suite chosen at run time.
pub struct DynAuditor {
    suite: SuiteId,
    auditor: Box<dyn AnyAuditor>,
}

impl DynAuditor {
    /// Creates an auditor that stores `roots` batches, see [`Auditor::new`].
    pub fn new(suite: SuiteId, roots: usize) -> Self {
        let auditor: Box<dyn AnyAuditor> = with_suite!(suite, S => Box::new(Auditor::<S>::new(roots)));
        Self { suite, auditor }
    }

    /// Returns the suite.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// Verifies the next encoded signature of a log, see [`Auditor::check`].
    ///
    /// # Errors
    /// Decoding errors, and those of [`Auditor::check`].
    pub fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        self.auditor.check(signer, message, signature)
    }
}

/// An entry of a log: signer, message and encoded signature.
pub type DynEntry<'a> = (&'a PublicKey, &'a [u8], &'a [u8]);

/// Verifies encoded signatures of one suite in order and returns one result each, see
/// [`verify_all`](crate::dsig::verify_all). The result of a signature that does not decode is its decoding error.
pub fn verify_all(suite: SuiteId, entries: &[DynEntry<'_>]) -> Vec<Result<()>> {
    let mut auditor = DynAuditor::new(suite, entries.len().min(MAX_BATCHES));
    entries.iter().map(|(signer, message, signature)| auditor.check(signer, message, signature)).collect()
}

trait AnyAuditor: Send + Sync {
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()>;
}

impl<S: DsigSuite> AnyAuditor for Auditor<S> {
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        Auditor::check(self, signer, message, &Signature::decode(signature, &())?)
    }
}
