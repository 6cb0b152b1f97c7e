use std::sync::Arc;

use clap::ValueEnum;
use getrandom::SysRng;
use quorate::committee::Committee;
use quorate::dsig::{SignerConfig, WotsHaraka256};
use quorate::ed25519::{Ed25519, SecretKey};
use quorate_broadcast::authentication::{Authentication, Dsig, Eddsa, Sodium};
use quorate_replicate::node::group::Signer;

/// Signature scheme of the slow path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignerName {
    /// Ed25519.
    Eddsa,
    /// DSig: one-time signatures under keys announced in the background.
    Dsig,
}

impl SignerName {
    pub(crate) fn signer(self) -> Signer {
        match self {
            Self::Eddsa => Signer::Eddsa,
            Self::Dsig => Signer::Dsig,
        }
    }
}

/// An authentication that the program can create.
pub(crate) trait Make: Authentication {
    /// Creates the authentication of the replica with this key.
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self>;
}

/// A computation generic over the authentication.
pub(crate) trait WithSigner {
    type Output;

    fn call<A: Make>(self) -> Self::Output;
}

/// Runs the computation with the given scheme.
pub(crate) fn with_signer<W: WithSigner>(signer: Signer, work: W) -> W::Output {
    match signer {
        Signer::Eddsa => work.call::<Eddsa>(),
        Signer::Dsig => work.call::<Dsig<WotsHaraka256, SysRng>>(),
    }
}

impl Make for Eddsa {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Ok(Eddsa::new(group, key))
    }
}

impl Make for Sodium {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Sodium::new(group, key)
    }
}

impl Make for Dsig<WotsHaraka256, SysRng> {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Dsig::new(group, key, SignerConfig::default(), SysRng)
    }
}
