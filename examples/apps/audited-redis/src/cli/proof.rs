use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::keys::public_key;
use quorate_audited_redis::proof::{Proven, check, prove};
use quorate_support::say;
use quorate_support::terminal::{escaped, verdict};

use super::Outcome;

/// Takes one operation out of a log as a file that proves by itself who asked for it.
///
/// Whoever gets the file needs neither the log nor the front, only the client's public key: `check-proof`.
#[derive(Debug, Args)]
pub(super) struct Prove {
    /// The log.
    log: PathBuf,
    /// The entry's number.
    #[arg(long, value_name = "NUMBER")]
    entry: u64,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
}

/// Checks a proof with the client's public key alone.
#[derive(Debug, Args)]
pub(super) struct CheckProof {
    /// The proof.
    proof: PathBuf,
    /// The client's public key, from a source that you trust.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    signer: PublicKey,
    /// The store that the command must have been for.
    #[arg(long, value_name = "HEX", value_parser = super::hash)]
    store: Option<[u8; 32]>,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
}

impl Prove {
    pub(super) fn run(&self) -> Outcome {
        let proof = prove(&self.log, self.entry)?;
        let shown = self.out.display();
        std::fs::write(&self.out, &proof).map_err(|error| Failure::failed(format!("{shown}: {error}")))?;
        if self.json {
            say!("{}", serde_json::json!({ "entry": self.entry, "file": self.out, "bytes": proof.len() }));
        } else {
            say!("{shown}: {} bytes that prove entry {}", proof.len(), self.entry);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl CheckProof {
    pub(super) fn run(&self) -> Outcome {
        let shown = self.proof.display();
        let proof =
            std::fs::read(&self.proof).map_err(|error| Failure::input(format!("{shown}: {error}")))?;
        let proven = check(&proof, &self.signer)?;
        if self.store.is_some_and(|store| store != proven.store) {
            let message = format!("the command was for another store, {}", hex::encode(proven.store));
            return Err(Failure::with_code(
                quorate_audited_redis::failure::Exit::Tampered,
                "OTHER_STORE",
                message,
            ));
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
    say!("{object}");
}

fn print(proven: &Proven) {
    let words: Vec<_> = proven.command.iter().map(|word| escaped(word)).collect();
    say!("{}", verdict("the proof holds", true));
    say!("asked by  {}", hex::encode(proven.signer));
    say!("for       {}", words.join(" "));
    say!("of store  {}", hex::encode(proven.store));
    say!(
        "as its command {}, at {} by its clock, signed with {}",
        proven.sequence,
        date(proven.time.0),
        proven.scheme
    );
}

/// Microseconds since 1970 as a date in UTC; as they are if they lie beyond the calendar.
fn date(time: u64) -> String {
    let calendar = i64::try_from(time).ok().and_then(|time| jiff::Timestamp::from_microsecond(time).ok());
    calendar.map_or_else(|| format!("{time} µs since 1970"), |date| format!("{date:.6}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_and_no_time_is_too_late_to_be_told() {
        assert_eq!(date(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(date(951_782_399_999_999), "2000-02-28T23:59:59.999999Z");
        assert_eq!(date(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
        assert_eq!(date(1_795_297_426_665_257), "2026-11-21T21:43:46.665257Z");
        assert_eq!(date(u64::MAX), "18446744073709551615 µs since 1970");
    }
}
