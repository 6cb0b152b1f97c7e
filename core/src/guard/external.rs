use crate::Result;
use crate::certificate::Statement;
use crate::committee::Committee;
use crate::scheme::Scheme;

/// A secret key outside this process, for example that of a remote signer: [`Guard::restore_external`] takes it instead of a
/// secret key.
///
/// The guard in this process keeps its rule and its records. It asks for a signature only if the statement contradicts none
/// of its records, and records a statement once it has the signature. The signer should have a guard of its own, which holds if
/// the records of this process are lost.
///
/// [`Guard::restore_external`]: super::Guard::restore_external
pub trait ExternalKey<S: Scheme>: Send + Sync {
    /// Returns the public key.
    fn public_key(&self) -> &S::PublicKey;

    /// Signs a statement as a member of `committee`, and verifies the signature. It may block; a caller that must not wait
    /// long gives the implementation a timeout.
    ///
    /// # Errors
    /// Any: then nothing is recorded, and the same statement may be signed again.
    fn sign(&mut self, committee: &Committee<S>, statement: &Statement) -> Result<S::Signature>;
}
