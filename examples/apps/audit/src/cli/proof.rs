use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::keys::public_key;
use crate::proof::{Proven, check, prove};
use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_support::outln;
use quorate_support::terminal::{escaped, verdict};

use super::Outcome;
use crate::Application;

/// Extracts one operation of a log as a self-contained proof that its client sent it.
///
/// `check-proof` verifies the file with the client's public key; neither the log nor the server is needed.
#[derive(Debug, Args)]
pub struct ProveArgs {
    /// The log.
    log: PathBuf,
    /// The entry's number.
    #[arg(long, value_name = "NUMBER")]
    entry: u64,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Verifies a proof with the client's public key.
#[derive(Debug, Args)]
pub struct CheckProofArgs {
    /// The proof.
    proof: PathBuf,
    /// The client's public key, from a trusted source.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    signer: PublicKey,
    /// Store that the command must belong to.
    #[arg(long, value_name = "HEX", value_parser = super::hash)]
    store: Option<[u8; 32]>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl ProveArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run(&self, application: &'static Application) -> Outcome {
        let proof = prove(application, &self.log, self.entry)?;
        let shown = self.out.display();
        std::fs::write(&self.out, &proof).map_err(|error| Failure::failed(format!("{shown}: {error}")))?;
        if self.json {
            outln!("{}", serde_json::json!({ "entry": self.entry, "file": self.out, "bytes": proof.len() }));
        } else {
            outln!("{shown}: {} bytes that prove entry {}", proof.len(), self.entry);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl CheckProofArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run(&self, application: &'static Application) -> Outcome {
        let shown = self.proof.display();
        let proof =
            std::fs::read(&self.proof).map_err(|error| Failure::input(format!("{shown}: {error}")))?;
        let proven = check(application, &proof, &self.signer)?;
        if self.store.is_some_and(|store| store != proven.store) {
            let message = format!("the command belongs to another store, {}", hex::encode(proven.store));
            return Err(Failure::with_code(crate::failure::Exit::Tampered, "OTHER_STORE", message));
        }
        if self.json {
            json(&proven)
        } else {
            print(&proven)
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn json(proven: &Proven) {
    let command: Vec<_> = proven.command.iter().map(hex::encode).collect();
    let text: Vec<_> = proven.command.iter().map(|word| String::from_utf8(word.clone()).ok()).collect();
    let object = serde_json::json!({
        "store": hex::encode(proven.store), "signer": hex::encode(proven.signer), "sequence": proven.sequence,
        "time": proven.time.0, "scheme": proven.scheme, "command": text, "command_hex": command,
    });
    outln!("{object}");
}

fn print(proven: &Proven) {
    let words: Vec<_> = proven.command.iter().map(|word| escaped(word)).collect();
    outln!("{}", verdict("the proof is valid", true));
    outln!("client    {}", hex::encode(proven.signer));
    outln!("command   {}", words.join(" "));
    outln!("store     {}", hex::encode(proven.store));
    outln!(
        "sequence number {}, at {} by the client's clock, signed with {}",
        proven.sequence,
        date(proven.time.0),
        proven.scheme
    );
}

/// Formats microseconds since 1970 as a date in UTC, or as a number if they are beyond the calendar.
fn date(time: u64) -> String {
    let calendar = i64::try_from(time).ok().and_then(|time| jiff::Timestamp::from_microsecond(time).ok());
    calendar.map_or_else(|| format!("{time} µs since 1970"), |date| format!("{date:.6}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_as_dates_in_utc() {
        assert_eq!(date(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(date(951_782_399_999_999), "2000-02-28T23:59:59.999999Z");
        assert_eq!(date(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
        assert_eq!(date(1_795_297_426_665_257), "2026-11-21T21:43:46.665257Z");
        assert_eq!(date(u64::MAX), "18446744073709551615 µs since 1970");
    }
}
