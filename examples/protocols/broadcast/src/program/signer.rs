//! Signature schemes: selected by name on the command line, then by type.

use std::sync::Arc;

use clap::ValueEnum;
use getrandom::SysRng;
use quorate::committee::Committee;
use quorate::dsig::{DsigSuite, SignerConfig, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512};
use quorate::ed25519::{Ed25519, SecretKey};
use quorate_broadcast::authentication::{Authentication, Dsig, Eddsa, Links, Sodium};
use quorate_broadcast::{AuthenticationKind, DsigVariant};

/// Signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignerName {
    /// No signatures: links are authenticated, and nothing is provable to third parties.
    None,
    /// Ed25519.
    Eddsa,
    /// DSig: one-time signatures under keys announced in the background.
    Dsig,
}

/// DSig suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteName {
    /// Suite 1, used in the paper.
    #[value(name = "wots-haraka-512")]
    Haraka512,
    /// Suite 2, the fastest with AES instructions.
    #[value(name = "wots-haraka-256")]
    Haraka256,
    /// Suite 3, the default.
    #[value(name = "wots-blake3")]
    Blake3,
    /// Suite 4, with the largest security margin.
    #[value(name = "wots-blake3-256")]
    Blake3Wide,
}

/// An authentication that the program can create.
pub(crate) trait Make: Authentication {
    /// Creates the authentication of the member with this key.
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self>;
}

/// A computation generic over the authentication.
pub(crate) trait WithSigner {
    type Output;

    fn call<A: Make>(self) -> Self::Output;
}

/// Runs the computation with the given authentication.
pub(crate) fn with_signer<W: WithSigner>(authentication: AuthenticationKind, work: W) -> W::Output {
    match authentication {
        AuthenticationKind::Links => work.call::<Links>(),
        AuthenticationKind::Eddsa => work.call::<Eddsa>(),
        AuthenticationKind::Dsig(DsigVariant::Haraka512) => work.call::<Dsig<WotsHaraka512, SysRng>>(),
        AuthenticationKind::Dsig(DsigVariant::Haraka256) => work.call::<Dsig<WotsHaraka256, SysRng>>(),
        AuthenticationKind::Dsig(DsigVariant::Blake3) => work.call::<Dsig<WotsBlake3, SysRng>>(),
        AuthenticationKind::Dsig(DsigVariant::Blake3Wide) => work.call::<Dsig<WotsBlake3Wide, SysRng>>(),
    }
}

/// Returns the authentication selected on the command line. Only DSig has suites.
pub(crate) fn authentication_kind(signer: SignerName, suite: SuiteName) -> AuthenticationKind {
    let suite = match suite {
        SuiteName::Haraka512 => DsigVariant::Haraka512,
        SuiteName::Haraka256 => DsigVariant::Haraka256,
        SuiteName::Blake3 => DsigVariant::Blake3,
        SuiteName::Blake3Wide => DsigVariant::Blake3Wide,
    };
    match signer {
        SignerName::None => AuthenticationKind::Links,
        SignerName::Eddsa => AuthenticationKind::Eddsa,
        SignerName::Dsig => AuthenticationKind::Dsig(suite),
    }
}

impl Make for Links {
    fn make(_: Arc<Committee<Ed25519>>, _: SecretKey) -> quorate::Result<Self> {
        Ok(Links)
    }
}

impl Make for Sodium {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Sodium::new(group, key)
    }
}

impl Make for Eddsa {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Ok(Eddsa::new(group, key))
    }
}

impl<S: DsigSuite> Make for Dsig<S, SysRng> {
    fn make(group: Arc<Committee<Ed25519>>, key: SecretKey) -> quorate::Result<Self> {
        Dsig::new(group, key, SignerConfig::default(), SysRng)
    }
}
