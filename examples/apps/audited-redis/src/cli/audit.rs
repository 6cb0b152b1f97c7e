use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quorate_audited_redis::audit::{Expected, Report, audit};
use quorate_audited_redis::config::{Known, clients_of};
use quorate_audited_redis::failure::{Exit, Failure};
use quorate_audited_redis::keys::public_key;
use quorate_support::say;
use quorate_support::terminal::{escaped, verdict};

use super::Outcome;

/// Verifies a whole log offline, and names every entry that was tampered with, dropped, moved or forged.
///
/// Needs the log and the clients' public keys, nothing else. Take the keys from a source that you trust, not from who
/// gave you the log. Keep the head that it prints: with `--head` the next audit notices if the log's end was taken away.
/// A log that a front is writing to may end within an entry; that is reported as `CUT`.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// The log.
    log: PathBuf,
    /// A file that names the clients, such as the front's configuration.
    #[arg(long, value_name = "FILE", required_unless_present = "signer")]
    clients: Option<PathBuf>,
    /// A client's name and public key. May be repeated.
    #[arg(long, value_name = "NAME=HEX", value_parser = known)]
    signer: Vec<Known>,
    /// An entry that must be there: its number and its hash, as an earlier audit printed them.
    #[arg(long, value_name = "NUMBER:HEX", value_parser = head)]
    head: Option<(u64, [u8; 32])>,
    /// The store that the log must be of.
    #[arg(long, value_name = "HEX", value_parser = super::hash)]
    store: Option<[u8; 32]>,
    /// How far the front's time and the client's may be apart in an entry: what its configuration had as `max_age_ms`.
    #[arg(long, value_name = "MILLISECONDS")]
    max_age: Option<u64>,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub(super) fn run(&self) -> Outcome {
        let mut clients = self.clients.as_deref().map(clients_of).transpose()?.unwrap_or_default();
        clients.extend(self.signer.iter().cloned());
        let max_age = self.max_age.map(Duration::from_millis);
        let report = audit(&self.log, &Expected { clients, head: self.head, store: self.store, max_age })?;
        if self.json {
            let text = serde_json::to_string(&report).map_err(|error| Failure::failed(error.to_string()))?;
            say!("{text}");
        } else {
            print(&report);
        }
        Ok(if report.ok { ExitCode::SUCCESS } else { Exit::Tampered.into() })
    }
}

fn print(report: &Report) {
    for finding in &report.findings {
        let detail = escaped(finding.detail.as_bytes());
        say!(
            "{:<15} entry {:>8}  byte {:>12}  {detail}",
            verdict(finding.code, false),
            finding.entry,
            finding.offset
        );
    }
    if report.unlisted > 0 {
        say!("and {} more", report.unlisted);
    }
    for signer in &report.signers {
        say!("{:>8} commands of {}, the last is its {}", signer.commands, signer.name, signer.last);
    }
    say!("{} entries of store {} in {:.2} s", report.entries, report.store, report.seconds);
    say!("head {}:{}", report.head.entry, report.head.chain);
    if report.ok {
        say!("{}", verdict("the log is whole, and everything in it is signed by its client", true));
    } else {
        say!("{}", verdict("the log is not what the clients signed", false));
    }
}

fn known(text: &str) -> Result<Known, String> {
    let (name, key) = text.split_once('=').ok_or("it is not NAME=HEX")?;
    Ok(Known { name: name.to_owned(), key: public_key(key)? })
}

fn head(text: &str) -> Result<(u64, [u8; 32]), String> {
    let (number, hash) = text.split_once(':').ok_or("it is not NUMBER:HEX")?;
    Ok((number.parse().map_err(|_| "the number is none".to_owned())?, super::hash(hash)?))
}
