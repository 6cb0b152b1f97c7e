use clap::Args;
use quorate::dsig::dynamic::SuiteId;
use quorate_audit::signed::SignatureScheme;

use crate::client::ClientOptions;

/// Options of a signing client.
#[derive(Debug, Args)]
pub struct SigningArgs {
    /// Signature scheme: dsig, eddsa, or none (for measurements; servers refuse it by default).
    #[arg(long, value_name = "SCHEME", default_value = "dsig")]
    signer: SignatureScheme,
    /// Suite of DSig: wots-haraka-256 (fastest with AES instructions), wots-blake3, wots-haraka-512, wots-blake3-256.
    #[arg(long, value_name = "NAME", default_value = "wots-haraka-256", value_parser = quorate_audit::cli::suite)]
    suite: SuiteId,
    /// Store that the server must have, 64 hexadecimal digits. The default accepts any store.
    #[arg(long, value_name = "HEX", value_parser = quorate_audit::cli::hash)]
    store: Option<[u8; 32]>,
}

impl SigningArgs {
    /// Returns the options of the client.
    pub fn options(&self) -> ClientOptions {
        ClientOptions {
            scheme: self.signer,
            suite: self.suite,
            store: self.store,
            ..ClientOptions::default()
        }
    }
}
