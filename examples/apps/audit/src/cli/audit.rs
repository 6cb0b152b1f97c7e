use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::audit::{Expected, Report, audit};
use crate::clients::{KnownClient, load_clients};
use crate::failure::{Exit, Failure};
use crate::keys::public_key;
use clap::Args;
use quorate_support::outln;
use quorate_support::terminal::{escaped, verdict};

use super::Outcome;
use crate::Application;

/// Verifies a log offline and names each entry that was altered, removed, moved or forged.
///
/// Needs only the log and the clients' public keys. Get the keys from a trusted source, not from the source of the
/// log. Keep the head that is printed: with `--head` the next audit detects that the end of the log was removed. A
/// log that a server is writing to can end within an entry, or lack its last hash; these are reported as `CUT` and `UNSEALED`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// The log.
    log: PathBuf,
    /// A file with the clients, such as the configuration of the server.
    #[arg(long, value_name = "FILE", required_unless_present = "signer")]
    clients: Option<PathBuf>,
    /// A client's name and public key. May be repeated.
    #[arg(long, value_name = "NAME=HEX", value_parser = known)]
    signer: Vec<KnownClient>,
    /// An entry that the log must contain: number and hash, as printed by an earlier audit.
    #[arg(long, value_name = "NUMBER:HEX", value_parser = head)]
    head: Option<(u64, [u8; 32])>,
    /// Store that the log must belong to.
    #[arg(long, value_name = "HEX", value_parser = super::hash)]
    store: Option<[u8; 32]>,
    /// Maximum difference between the server's and the client's time of an entry: `max_age_ms` of the
    /// server's configuration.
    #[arg(long, value_name = "MILLISECONDS")]
    max_age: Option<u64>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The last line of the report.
#[derive(Clone, Copy, Debug)]
pub struct Verdicts {
    /// Without findings.
    pub intact: &'static str,
    /// With findings.
    pub faulty: &'static str,
}

impl AuditArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run(&self, application: &'static Application) -> Outcome {
        let verdicts = Verdicts {
            intact: "the log is intact, and each entry is signed by its client",
            faulty: "the log differs from what the clients signed",
        };
        self.run_with(application, None, &verdicts, |_, _| Ok(()))
    }

    /// Runs the command with a further signer, such as the server, and with the checks of the application, which add their
    /// findings to the report.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run_with(
        &self,
        application: &'static Application,
        signer: Option<KnownClient>,
        verdicts: &Verdicts,
        examine: impl FnOnce(&Path, &mut Report) -> Result<(), Failure>,
    ) -> Outcome {
        let mut clients = self.clients.as_deref().map(load_clients).transpose()?.unwrap_or_default();
        clients.extend(self.signer.iter().cloned());
        clients.extend(signer);
        let max_age = self.max_age.map(Duration::from_millis);
        let mut report = audit(
            application,
            &self.log,
            &Expected { clients, head: self.head, store: self.store, max_age },
        )?;
        examine(&self.log, &mut report)?;
        if self.json {
            let text = serde_json::to_string(&report).map_err(|error| Failure::failed(error.to_string()))?;
            outln!("{text}");
        } else {
            print(&report, verdicts);
        }
        Ok(if report.ok { ExitCode::SUCCESS } else { Exit::Tampered.into() })
    }
}

fn print(report: &Report, verdicts: &Verdicts) {
    for finding in &report.findings {
        let detail = escaped(finding.detail.as_bytes());
        outln!(
            "{:<15} entry {:>8}  byte {:>12}  {detail}",
            verdict(finding.code, false),
            finding.entry,
            finding.offset
        );
    }
    if report.unlisted > 0 {
        outln!("and {} more", report.unlisted);
    }
    for signer in &report.signers {
        outln!("{:>8} commands of {}, last sequence number {}", signer.commands, signer.name, signer.last);
    }
    outln!("{} entries of store {} in {:.2} s", report.entries, report.store, report.seconds);
    outln!("head {}:{}", report.head.entry, report.head.chain);
    if report.ok {
        outln!("{}", verdict(verdicts.intact, true));
    } else {
        outln!("{}", verdict(verdicts.faulty, false));
    }
}

fn known(text: &str) -> Result<KnownClient, String> {
    let (name, key) = text.split_once('=').ok_or("expected NAME=HEX")?;
    Ok(KnownClient { name: name.to_owned(), key: public_key(key)? })
}

fn head(text: &str) -> Result<(u64, [u8; 32]), String> {
    let (number, hash) = text.split_once(':').ok_or("expected NUMBER:HEX")?;
    Ok((number.parse().map_err(|_| "expected a decimal number".to_owned())?, super::hash(hash)?))
}
