//! Arguments and helpers that several commands share.

use clap::Args;
use quorate::dsig::dynamic::SuiteId;
pub(super) use quorate_audit::cli::{Outcome, hash, suite};
use quorate_audited_redis::client::ClientOptions;
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::frame::SignatureScheme;

/// Options of a signing client.
#[derive(Debug, Args)]
pub(super) struct SigningArgs {
    /// Signature scheme: dsig, eddsa, or none (for measurements; fronts refuse it by default).
    #[arg(long, value_name = "SCHEME", default_value = "dsig")]
    signer: SignatureScheme,
    /// Suite of DSig: wots-blake3, wots-haraka-256 (fastest with AES instructions), wots-haraka-512, wots-blake3-256.
    #[arg(long, value_name = "NAME", default_value = "wots-blake3", value_parser = suite)]
    suite: SuiteId,
    /// Store that the front must have, 64 hexadecimal digits. The default accepts any store.
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

/// Completes on SIGINT (Ctrl-C) or SIGTERM.
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
