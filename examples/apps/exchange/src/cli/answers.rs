use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_audit::cli::Outcome;
use quorate_audit::failure::{Exit, Failure};
use quorate_audit::keys::public_key;
use quorate_exchange::answers::compare;
use quorate_support::outln;
use quorate_support::terminal::{escaped, verdict};

/// Compares the receipts that a trader kept with a log, and prints each one that contradicts it.
///
/// A receipt is signed by the exchange. One that names an order which the log does not contain, or contains at another place,
/// proves to third parties that the exchange dropped or reordered the order. Run `audit` first: the comparison trusts the order
/// entries of the log.
#[derive(Debug, Args)]
pub(super) struct CheckAnswersArgs {
    /// The log.
    log: PathBuf,
    /// The file that `call --answers` wrote.
    #[arg(long, value_name = "FILE")]
    answers: PathBuf,
    /// The public key of the exchange.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    exchange: PublicKey,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl CheckAnswersArgs {
    pub(super) fn run(&self) -> Outcome {
        let comparison = compare(&self.log, &self.answers, &self.exchange)?;
        let good = comparison.wrong.is_empty();
        if self.json {
            let text =
                serde_json::to_string(&comparison).map_err(|error| Failure::failed(error.to_string()))?;
            outln!("{text}");
        } else {
            for wrong in &comparison.wrong {
                outln!(
                    "{:<13} line {:>8}  entry {:>8}  {}",
                    verdict(wrong.code, false),
                    wrong.line,
                    wrong.entry,
                    escaped(wrong.detail.as_bytes())
                );
            }
            let text =
                format!("{} receipts, {} of them contradict", comparison.receipts, comparison.wrong.len());
            outln!("{}", verdict(&text, good));
        }
        Ok(if good { ExitCode::SUCCESS } else { Exit::Tampered.into() })
    }
}
