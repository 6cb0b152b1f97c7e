//! Conversion between classes and the core's types, for blocks that take and return the core's.

use std::sync::MutexGuard;

use quorate::committee::Verified;
use quorate::{any, certificate, committee, guard};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::guard::{Guard, GuardRecord};
use crate::ids::{ChainId, CommitteeId};
use crate::keys::{PublicKey, SecretKey, Signature};
use crate::statement::Statement;
use crate::votes::VerifiedVote;

macro_rules! convert {
    ($($class:ident: $core:ty,)*) => {
        $(
            impl From<$core> for $class {
                fn from(value: $core) -> Self {
                    Self(value)
                }
            }

            impl AsRef<$core> for $class {
                fn as_ref(&self) -> &$core {
                    &self.0
                }
            }
        )*
    };
}

convert! {
    ChainId: committee::ChainId,
    CommitteeId: committee::CommitteeId,
    Committee: any::Committee,
    GuardRecord: guard::GuardRecord,
    PublicKey: any::PublicKey,
    SecretKey: any::SecretKey,
    Signature: any::Signature,
    Statement: certificate::Statement,
    VerifiedCertificate: Verified<any::Certificate>,
    VerifiedVote: Verified<any::Vote>,
}

/// The core's key of a key whose owner changes.
pub fn taken(secret: SecretKey) -> any::SecretKey {
    secret.0
}

/// Locks a guard.
pub fn locked(guard: &Guard) -> MutexGuard<'_, any::Guard> {
    guard.lock()
}
