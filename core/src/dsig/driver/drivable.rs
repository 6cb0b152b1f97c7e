//! The operations of [`Signer`] and [`DynSigner`] that a driver calls.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::Result;
use crate::dsig::batch::{Batch, Plan};
use crate::dsig::dynamic::{DynAnnounced, DynBatch, DynPlan, DynSigner};
use crate::dsig::signature::Signature;
use crate::dsig::signer::{Announced, Signer};
use crate::dsig::suite::DsigSuite;
use crate::ed25519::PublicKey;
use crate::machine::{MemberIndex, Time};
use crate::scheme::SecretBytes;

/// A signer that a [`Driver`](super::Driver) can drive: a [`Signer`], whose signatures are [`Signature`]s and whose
/// announcements [`Announced`]; or a [`DynSigner`], with signatures as bytes and [`DynAnnounced`]. The trait is
/// sealed.
pub trait DrivableSigner: SignerOps + Send + 'static {}

/// The steps of signing and of making keys. Not public: a caller that supplies the entropy of keys could make them
/// twice.
pub trait SignerOps {
    type Signature;
    type Announced;
    type Plan: Send;
    type Batch: Send;
    type Expired;

    fn public_key(&self) -> &PublicKey;
    fn lifetime(&self) -> Duration;
    fn is_short(&self, now: Time) -> bool;
    /// Returns `None` if no group is below `low_water` any more.
    fn plan(&mut self, fresh: &[u8; 32], now: Time) -> Result<Option<Self::Plan>>;
    fn make(plan: Self::Plan) -> Result<Self::Batch>;
    /// Returns `None` if the batch's keys were invalidated.
    fn announced(&self, batch: &Self::Batch) -> Option<Self::Announced>;
    /// Returns true if the batch was accepted.
    fn add(&mut self, batch: Self::Batch) -> bool;
    /// Takes the expired batches. Dropping them takes a while.
    fn take_expired(&mut self) -> Self::Expired;
    fn announcements(&self) -> Vec<Self::Announced>;
    fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Self::Signature>;
    fn ready(&self) -> usize;
    fn invalidate(&mut self);
}

/// Implements the trait by the methods of the same names.
macro_rules! signer_ops {
    (<$($generic:ident: $bound:path)?> $signer:ty, $plan:ty, $batch:ty, $expired:ty, $announced:ty, $signature:ty) => {
        impl<$($generic: $bound)?> DrivableSigner for $signer {}

        impl<$($generic: $bound)?> SignerOps for $signer {
            type Signature = $signature;
            type Announced = $announced;
            type Plan = $plan;
            type Batch = $batch;
            type Expired = $expired;

            fn public_key(&self) -> &PublicKey {
                self.public_key()
            }

            fn lifetime(&self) -> Duration {
                self.config().lifetime
            }

            fn is_short(&self, now: Time) -> bool {
                self.shortest(now).is_some()
            }

            fn plan(&mut self, fresh: &[u8; 32], now: Time) -> Result<Option<$plan>> {
                self.plan_from(&mut || Ok(SecretBytes::copy_of(fresh)), now)
            }

            fn make(plan: $plan) -> Result<$batch> {
                plan.make()
            }

            fn announced(&self, batch: &$batch) -> Option<$announced> {
                self.announced(batch)
            }

            fn add(&mut self, batch: $batch) -> bool {
                self.add(batch).is_some()
            }

            fn take_expired(&mut self) -> $expired {
                self.take_expired()
            }

            fn announcements(&self) -> Vec<$announced> {
                self.announcements().into_iter().collect()
            }

            fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<$signature> {
                self.sign(message, hint, now)
            }

            fn ready(&self) -> usize {
                self.ready()
            }

            fn invalidate(&mut self) {
                self.invalidate();
            }
        }
    };
}

signer_ops!(<S: DsigSuite> Signer<S>, Plan<S>, Batch<S>, Vec<Batch<S>>, Announced<S>, Signature<S>);
signer_ops!(<> DynSigner, DynPlan, DynBatch, Box<dyn Send>, DynAnnounced, Vec<u8>);
