//! Arguments and helpers that several commands share.

use std::process::ExitCode;

use clap::Args;
use quorate::dsig::dynamic::SuiteId;
use quorate_audited_redis::client::ClientOptions;
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::frame::SignatureScheme;
use quorate_audited_redis::suites::SUITES;

/// What a command ends with.
pub(super) type Outcome = Result<ExitCode, Failure>;

/// How a client signs.
#[derive(Debug, Args)]
pub(super) struct SigningArgs {
    /// How commands are signed: dsig, eddsa, or none (for measurements; fronts refuse it unless told otherwise).
    #[arg(long, value_name = "SCHEME", default_value = "dsig")]
    signer: SignatureScheme,
    /// DSig's suite: wots-blake3, wots-haraka-256 (fastest with AES instructions), wots-haraka-512, wots-blake3-256.
    #[arg(long, value_name = "NAME", default_value = "wots-blake3", value_parser = suite)]
    suite: SuiteId,
    /// The store that the front must have, 64 hexadecimal digits. Without it any front is believed.
    #[arg(long, value_name = "HEX", value_parser = hash)]
    store: Option<[u8; 32]>,
}

impl SigningArgs {
    pub(super) fn options(&self) -> ClientOptions {
        ClientOptions {
            scheme: self.signer,
            suite: self.suite,
            store: self.store,
            ..ClientOptions::default()
        }
    }
}

pub(super) fn suite(name: &str) -> Result<SuiteId, String> {
    let found = SUITES.into_iter().find(|suite| suite.name() == name);
    found.ok_or_else(|| format!("it is none of {}", SUITES.map(SuiteId::name).join(", ")))
}

pub(super) fn hash(digits: &str) -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| "it is not 64 hexadecimal digits".to_owned())?;
    Ok(bytes)
}

/// Waits for Ctrl-C or a polite kill.
pub(super) fn interrupted() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let failed = |error: std::io::Error| Failure::failed(format!("waiting for signals: {error}"));
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt()).map_err(failed)?, signal(SignalKind::terminate()).map_err(failed)?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
