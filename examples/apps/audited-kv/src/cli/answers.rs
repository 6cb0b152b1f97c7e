use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_audit::cli::Outcome;
use quorate_audit::failure::{Exit, Failure};
use quorate_audit::keys::public_key;
use quorate_audited_kv::answers::compare;
use quorate_support::outln;
use quorate_support::terminal::{escaped, verdict};

/// Compares the answers that a client kept with a log, and prints each answer that does not follow from the log.
///
/// The store is a function of the log, so that the log determines every answer. Run `audit` first: the comparison trusts the
/// log. The server does not sign its answers: they convince their client, and third parties only if they trust the client's
/// file.
#[derive(Debug, Args)]
pub(super) struct CheckAnswersArgs {
    /// The log.
    log: PathBuf,
    /// The file that `call --answers` wrote.
    #[arg(long, value_name = "FILE")]
    answers: PathBuf,
    /// The client's public key.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    signer: PublicKey,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl CheckAnswersArgs {
    pub(super) fn run(&self) -> Outcome {
        let comparison = compare(&self.log, &self.answers, self.signer.as_bytes())?;
        let good = comparison.wrong.is_empty();
        if self.json {
            let text =
                serde_json::to_string(&comparison).map_err(|error| Failure::failed(error.to_string()))?;
            outln!("{text}");
        } else {
            for wrong in &comparison.wrong {
                outln!(
                    "{:<12} request {:>8}  entry {:>8}  {}",
                    verdict(wrong.code, false),
                    wrong.sequence,
                    wrong.entry,
                    escaped(wrong.detail.as_bytes())
                );
            }
            let text = format!("{} answers, {} of them wrong", comparison.answers, comparison.wrong.len());
            outln!("{}", verdict(&text, good));
        }
        Ok(if good { ExitCode::SUCCESS } else { Exit::Tampered.into() })
    }
}
