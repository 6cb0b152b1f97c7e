//! Verifies a log offline and names each fault by entry number and file offset.
//!
//! | code | fault |
//! |---|---|
//! | `ALTERED` | an entry's bytes do not match its hash |
//! | `MALFORMED` | bytes that are not an entry |
//! | `CUT` | the file ends within an entry |
//! | `UNSEALED` | the last entry has no hash: the server was killed, or is writing; its next start completes the log |
//! | `UNREAD` | too many bytes after damage look like entries, so that the rest was not read: the file was crafted |
//! | `GAP` | entries are missing |
//! | `REORDERED` | an entry is stored after a later one |
//! | `DUPLICATE` | an entry's number occurred before |
//! | `FORGED` | a signature does not verify: the client did not send the command |
//! | `UNSIGNED` | an entry without a signature |
//! | `UNKNOWN_SIGNER` | the signer is not one of the expected clients |
//! | `REPLAYED` | a sequence number is not above the client's previous one: the command was executed twice, or moved |
//! | `SEQUENCE_GAP` | a sequence number is missing: the client's command was removed, and the hashes recomputed |
//! | `KEY_REUSE` | a one-time key signed two messages: the client's machine was copied, or the client is dishonest |
//! | `CLOCK` | the time of receipt decreases, or differs from the client's time by more than the auditor allows |
//! | `DURABLE` | an entry marks itself or a later entry as durable |
//! | `BAD_COMMAND` | a signed command that is not one of the application |
//! | `HEAD` | the log does not contain the entry that the auditor expects |
//!
//! `UNSEALED`, `UNKNOWN_SIGNER`, `KEY_REUSE`, `CLOCK`, `DURABLE` and `HEAD` leave content and order of the log as the server executed
//! it. Each other fault is damage: from there on a replay of the log proves nothing ([`Report::damaged_at`]), and a client's next
//! number may be any.
//!
//! The hashes detect changes by parties that cannot rewrite the file. A party that can rewrite it can recompute the
//! hashes; the signatures and the sequence numbers detect its changes. A log alone cannot show that its end is
//! missing: the auditor keeps the head of the last audit, or asks a client for the sequence number of its last
//! entry.

mod claims;
mod entries;
mod report;
mod signers;

pub use report::{Finding, LogHead, Report, SignerReport};

use std::path::Path;
use std::time::{Duration, Instant};

use crate::Application;
use crate::clients::KnownClient;
use crate::failure::{Exit, Failure, OrFail};
use crate::log::{Scan, ScanStep};
use claims::ServerClaims;
use entries::EntryChain;
use report::Findings;
use signers::SignerAudit;

/// Expectations of the auditor.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Clients whose signatures are accepted.
    pub clients: Vec<KnownClient>,
    /// Number and hash of an entry that the log must contain.
    pub head: Option<(u64, [u8; 32])>,
    /// Store that the log must belong to.
    pub store: Option<[u8; 32]>,
    /// Maximum difference between the time of receipt and the client's time, if the server's configuration is known.
    pub max_age: Option<Duration>,
}

/// Verifies a log. Cost: reads the file once; about a microsecond per DSig signature; one Ed25519 verification per
/// batch of DSig keys and per EdDSA signature. Memory: about 100 bytes per DSig signature, to find each key that
/// signed twice.
///
/// # Errors
/// [`Failure`] if the file cannot be read or is not a log. Faults of the log are in the report.
pub fn audit(application: &'static Application, path: &Path, expected: &Expected) -> Result<Report, Failure> {
    let began = Instant::now();
    let mut scan = Scan::open(application, path)?;
    let store = *scan.store();
    let mut audit = Audit {
        entries: EntryChain::new(application, scan.first_chain(), expected.head.map(|(number, _)| number)),
        signers: SignerAudit::new(application, store, &expected.clients),
        claims: ServerClaims { max_age: expected.max_age, received: 0 },
        findings: Findings::default(),
        read: 0,
    };
    if expected.store.is_some_and(|expected| expected != store) {
        audit.findings.add("HEAD", 0, 8, "the log belongs to another store than expected".to_owned());
    }
    audit.run(&mut scan).or_fail(Exit::Input, path.display())?;
    audit.entries.report_gaps(&mut audit.findings);
    audit.entries.report_unsealed(&mut audit.findings);
    let (bytes, (last, chain)) = (scan.offset(), audit.entries.head());
    let reserved = scan.file_length().or_fail(Exit::Input, path.display())?.saturating_sub(bytes);
    if let Some((number, hash)) = expected.head
        && audit.entries.watched() != Some(hash)
    {
        let detail = if number > last { "the log ends before it" } else { "another entry has its number" };
        audit.findings.add("HEAD", number, bytes, format!("the expected head is missing: {detail}"));
    }
    let damaged_at = audit.findings.damaged_at();
    let (findings, unlisted) = audit.findings.sorted();
    Ok(Report {
        ok: findings.is_empty(),
        store: hex::encode(store),
        entries: audit.read,
        bytes,
        reserved,
        head: LogHead { entry: last, chain: hex::encode(chain) },
        signers: audit.signers.report(),
        findings,
        unlisted,
        damaged_at,
        seconds: began.elapsed().as_secs_f64(),
    })
}

struct Audit {
    entries: EntryChain,
    signers: SignerAudit,
    claims: ServerClaims,
    findings: Findings,
    read: u64,
}

impl Audit {
    fn run(&mut self, scan: &mut Scan) -> std::io::Result<()> {
        loop {
            let (offset, next) = (scan.offset(), self.entries.next());
            let unsealed = self.entries.take_unsealed();
            let (number, len, sure) = match scan.step()? {
                ScanStep::End => {
                    self.entries.restore(unsealed);
                    return Ok(());
                }
                ScanStep::Entry(raw) => {
                    self.read += 1;
                    let place = self.entries.place(&raw, offset, &mut self.findings);
                    let damage = self.findings.damage() + self.entries.gaps();
                    let verdict = self.signers.check(&raw.entry, place.is_in_order, damage);
                    if let Some(hash) = place.altered {
                        let detail = match &verdict {
                            Ok(()) => format!("{hash}; the client's signature is valid"),
                            Err((_, detail)) => format!("{hash}; {detail}"),
                        };
                        self.findings.add("ALTERED", place.number, offset, detail);
                    } else if let (Err((code, detail)), false) = (verdict, place.is_duplicate) {
                        self.findings.add(code, place.number, offset, detail);
                    }
                    if place.altered.is_none() && place.is_in_order {
                        self.claims.check(&raw.entry, offset, &mut self.findings);
                    }
                    (place.number, raw.len(), place.altered.is_none())
                }
                ScanStep::Malformed | ScanStep::Truncated(_) => (next, 0, false),
            };
            // Only the last entry can lack its hash. A server that is writing may have stored it since it was read.
            if let Some(unsealed) = unsealed {
                let stored = scan.stored_hash(unsealed.hash_at)?;
                EntryChain::report_erased(&unsealed, &stored, &mut self.findings);
            }
            scan.skip(len);
            if sure || (len > 0 && Self::continues(scan, number)?) {
                continue;
            }
            // Its length is not trustworthy: search for the next entry byte by byte.
            scan.go_to(offset)?;
            let cut = matches!(scan.step()?, ScanStep::Truncated(_));
            let found = scan.resume(&self.entries.searched())?;
            if len == 0 {
                let (code, detail) = match (cut, &found) {
                    (true, None) => ("CUT", "the file ends within this entry"),
                    _ => ("MALFORMED", "these bytes are not an entry"),
                };
                self.findings.add(code, next, offset, detail.to_owned());
            }
            if scan.gave_up() && found.is_none() {
                let detail = "too many bytes look like entries; the rest of the file was not read".to_owned();
                self.findings.add("UNREAD", self.entries.next(), scan.offset(), detail);
                return Ok(());
            }
            if let Some(found) = found {
                self.entries.resume_at(&found);
            }
        }
    }

    /// Returns true if the next entry, or the end of the file, is at the current position.
    fn continues(scan: &mut Scan, number: u64) -> std::io::Result<bool> {
        let (application, before) = (scan.application(), scan.before());
        Ok(match scan.step()? {
            ScanStep::End => true,
            ScanStep::Entry(raw) => raw.entry.number == number + 1 || raw.follows(application, &before),
            ScanStep::Malformed | ScanStep::Truncated(_) => false,
        })
    }
}
