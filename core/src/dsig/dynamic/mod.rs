//! Suites that are chosen while the program runs: by configuration, or by what a message says. Everything goes in and
//! out as bytes. Where the suite is known when the program is written, its type catches more mistakes.

pub use auditor::{DynAuditor, DynEntry, verify_all};
pub use background::{DynAdmitted, DynBatch, DynChecked, DynPlan, DynVerified, verified};
pub use signer::{DynAnnounced, DynSigner};

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::evidence::Reuse;
use super::signature::Signature;
use super::suite::{self, Suite};
use super::verifier::{Verifier, VerifierConfig};
use crate::ed25519::PublicKey;
use crate::machine::Time;
use crate::wire::{Decode, Encode};
use crate::{Error, Result};

macro_rules! suites {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One of our suites.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum SuiteId {
            $($(#[$doc])* $name,)*
        }

        impl SuiteId {
            /// All of them, by number.
            pub const ALL: &'static [SuiteId] = &[$(Self::$name,)*];

            /// The suite byte.
            pub fn number(self) -> u8 {
                match self {
                    $(Self::$name => suite::$name::NUMBER,)*
                }
            }

            /// The name in configuration files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => suite::$name::NAME,)*
                }
            }

            /// Bytes of a signature.
            pub fn signature_len(self) -> usize {
                match self {
                    $(Self::$name => Signature::<suite::$name>::LEN,)*
                }
            }
        }

        /// Calls a generic function with the suite's type.
        macro_rules! with_suite {
            ($id:expr, $S:ident => $body:expr) => {
                match $id {
                    $(SuiteId::$name => { type $S = suite::$name; $body })*
                }
            };
        }
    };
}

suites! {
    /// Suite 1, the paper's.
    WotsHaraka512,
    /// Suite 2, the fastest where the processor has AES.
    WotsHaraka256,
    /// Suite 3, the default.
    WotsBlake3,
    /// Suite 4, the conservative one.
    WotsBlake3Wide,
    /// Suite 5.
    HorsFBlake3,
    /// Suite 6.
    HorsMBlake3,
    /// Suite 7.
    HorsFHaraka256,
    /// Suite 8.
    HorsMHaraka256,
    /// Suite 9.
    WotsSha256,
    /// Suite 10.
    HorsFSha256,
    /// Suite 11.
    HorsMSha256,
}

// Below the macro that they use.
mod auditor;
mod background;
mod signer;

impl SuiteId {
    /// The suite with a number.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for any other number.
    pub fn from_number(number: u8) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.number() == number);
        found.ok_or(Error::WrongContext { what: "suite" })
    }

    /// The suite that encoded bytes of a signature or announcement claim.
    fn of(bytes: &[u8]) -> Result<Self> {
        Self::from_number(*bytes.first().ok_or(Error::Malformed { what: "DSig: no bytes" })?)
    }
}

impl fmt::Display for SuiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SuiteId {
    type Err = Error;

    /// From a name in configuration files.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.name() == name);
        found.ok_or(Error::WrongContext { what: "suite" })
    }
}

/// A [`Verifier`] of any suite.
pub struct DynVerifier {
    suite: SuiteId,
    verifier: Box<dyn AnyVerifier>,
}

impl DynVerifier {
    /// As [`Verifier::new`].
    pub fn new(suite: SuiteId, config: VerifierConfig) -> Self {
        let verifier: Box<dyn AnyVerifier> = with_suite!(suite, S => Box::new(Verifier::<S>::new(config)));
        Self { suite, verifier }
    }

    /// Which suite it is of.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// As [`Verifier::admit`].
    pub fn admit(&mut self, signer: PublicKey) {
        self.verifier.admit(signer);
    }

    /// As [`Verifier::revoke`].
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.verifier.revoke(signer)
    }

    /// As [`Verifier::check_revocation`].
    pub fn check_revocation(&mut self, hook: impl Fn(&PublicKey) -> bool + Send + Sync + 'static) {
        self.verifier.check_revocation(Box::new(hook));
    }

    /// As [`Verifier::announce`].
    ///
    /// # Errors
    /// Those of [`Verifier::announce`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        self.verifier.announce(signer, announcement, now)
    }

    /// As [`Verifier::can_verify_fast`]. Cost: the decoding, which copies the signature, and one lookup.
    ///
    /// # Errors
    /// What decoding reports.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        self.verifier.can_verify_fast(signer, signature)
    }

    /// As [`Verifier::verify`].
    ///
    /// # Errors
    /// What decoding reports, and those of [`Verifier::verify`].
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verifier.verify(signer, message, signature)
    }
}

/// Verifies an encoded signature of any suite, with nothing known beforehand. As [`Signature::verify`].
///
/// # Errors
/// What decoding reports, [`Error::WrongContext`] for an unknown suite, and [`Error::BadSignature`].
pub fn verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
    with_suite!(SuiteId::of(signature)?, S => Signature::<S>::decode(signature, &())?.verify(signer, message))
}

/// Puts two encoded signatures of one key side by side and answers with the encoded evidence. As [`Reuse::new`].
///
/// # Errors
/// What decoding reports, [`Error::WrongContext`] for an unknown or another suite, and those of [`Reuse::new`].
pub fn reuse(signer: &PublicKey, first: (&[u8], &[u8]), second: (&[u8], &[u8])) -> Result<Vec<u8>> {
    with_suite!(SuiteId::of(first.1)?, S => {
        let one = |(message, signature): (&[u8], &[u8])| -> Result<_> {
            Ok((message.to_vec(), Signature::<S>::decode(signature, &())?))
        };
        Ok(Reuse::new(signer.clone(), one(first)?, one(second)?)?.encode())
    })
}

/// Verifies encoded evidence of reuse in a suite, and answers with the culprit. As [`Reuse::verify`].
///
/// # Errors
/// What decoding reports, and those of [`Reuse::verify`].
pub fn verify_reuse(suite: SuiteId, evidence: &[u8]) -> Result<PublicKey> {
    with_suite!(suite, S => {
        let reuse = Reuse::<S>::decode(evidence, &())?;
        reuse.verify()?;
        Ok(reuse.culprit().clone())
    })
}

trait AnyVerifier: Send + Sync {
    fn admit(&mut self, signer: PublicKey);
    fn revoke(&mut self, signer: &PublicKey) -> bool;
    fn check_revocation(&mut self, hook: Box<dyn Fn(&PublicKey) -> bool + Send + Sync>);
    fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()>;
    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmitted>;
    fn learn(&mut self, checked: DynChecked) -> Result<()>;
    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool>;
    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()>;
    fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool>;
    fn remember(&mut self, verified: DynVerified) -> Result<()>;
}

impl<S: Suite> AnyVerifier for Verifier<S> {
    fn admit(&mut self, signer: PublicKey) {
        Verifier::admit(self, signer);
    }

    fn revoke(&mut self, signer: &PublicKey) -> bool {
        Verifier::revoke(self, signer)
    }

    fn check_revocation(&mut self, hook: Box<dyn Fn(&PublicKey) -> bool + Send + Sync>) {
        Verifier::check_revocation(self, hook);
    }

    fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        Verifier::announce(self, signer, announcement, now)
    }

    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmitted> {
        Verifier::admit_announcement(self, signer, now).map(DynAdmitted::from)
    }

    fn learn(&mut self, checked: DynChecked) -> Result<()> {
        background::learn(self, checked)
    }

    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        Ok(Verifier::can_verify_fast(self, signer, &Signature::decode(signature, &())?))
    }

    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        Verifier::verify(self, signer, message, &Signature::decode(signature, &())?)
    }

    fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool> {
        Verifier::verify_fast(self, signer, message, &Signature::decode(signature, &())?)
    }

    fn remember(&mut self, verified: DynVerified) -> Result<()> {
        background::remember(self, verified)
    }
}
