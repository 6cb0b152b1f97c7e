use alloc::boxed::Box;
use alloc::vec::Vec;

use super::SuiteId;
use crate::Result;
use crate::dsig::auditor::{Auditor, ROOTS};
use crate::dsig::signature::Signature;
use crate::dsig::suite::{self, Suite};
use crate::ed25519::PublicKey;
use crate::wire::Decode;

/// An [`Auditor`] of any suite.
pub struct DynAuditor {
    suite: SuiteId,
    auditor: Box<dyn AnyAuditor>,
}

impl DynAuditor {
    /// As [`Auditor::new`].
    pub fn new(suite: SuiteId, roots: usize) -> Self {
        let auditor: Box<dyn AnyAuditor> = with_suite!(suite, S => Box::new(Auditor::<S>::new(roots)));
        Self { suite, auditor }
    }

    /// Which suite it is of.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// As [`Auditor::check`].
    ///
    /// # Errors
    /// What decoding reports, and those of [`Auditor::check`].
    pub fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        self.auditor.check(signer, message, signature)
    }
}

/// A line of a log: whose signature it is, of which message, and the encoded signature.
pub type DynEntry<'a> = (&'a PublicKey, &'a [u8], &'a [u8]);

/// Verifies encoded signatures of one suite together, in their order: one outcome each. As
/// [`verify_all`](crate::dsig::verify_all); what does not decode is an outcome like any other.
pub fn verify_all(suite: SuiteId, entries: &[DynEntry<'_>]) -> Vec<Result<()>> {
    let mut auditor = DynAuditor::new(suite, entries.len().min(ROOTS));
    entries.iter().map(|(signer, message, signature)| auditor.check(signer, message, signature)).collect()
}

trait AnyAuditor: Send + Sync {
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()>;
}

impl<S: Suite> AnyAuditor for Auditor<S> {
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        Auditor::check(self, signer, message, &Signature::decode(signature, &())?)
    }
}
