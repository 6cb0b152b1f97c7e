//! Verifies a whole log without anybody's help, and names everything in it that is not as it should be by the entry's
//! number and the place in the file.
//!
//! | code | what is wrong |
//! |---|---|
//! | `ALTERED` | an entry's bytes are not those that its hash was made of |
//! | `MALFORMED` | bytes that are no entry |
//! | `CUT` | the file ends within an entry |
//! | `UNREAD` | so much behind damage looks like entries that the rest was not read: somebody made it so |
//! | `GAP` | entries are missing |
//! | `REORDERED` | an entry stands behind a later one |
//! | `DUPLICATE` | an entry's number was there before |
//! | `FORGED` | a signature does not verify: nobody but the client could have made it, and it did not |
//! | `UNSIGNED` | an entry without a signature |
//! | `UNKNOWN_SIGNER` | an entry of somebody who is no client |
//! | `REPLAYED` | a client's number is not above its last: the command was executed twice, or moved |
//! | `SEQUENCE_GAP` | a client's numbers leave something out: its command was dropped, and the hashes made anew |
//! | `KEY_REUSE` | a one-time key signed two things: the client's machine was copied, or it is dishonest |
//! | `CLOCK` | the front's time goes back, or is further from the client's than the auditor allows |
//! | `DURABLE` | an entry says that it, or a later one, was on disk before it was written |
//! | `BAD_COMMAND` | a signed command that no front accepts |
//! | `HEAD` | the log does not contain the entry that the auditor expects |
//!
//! The hashes find what others changed. Whoever can write the file can make them anew, and is found by the signatures
//! and by the clients' numbers. What no log can show by itself is that its end is missing: for that the auditor keeps
//! the head of the last audit, or asks a client for the number of its last entry.

mod claims;
mod entries;
mod signers;

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::config::Known;
use crate::failure::{Exit, Failure, OrFail};
use crate::log::{Scan, Step};
use claims::Claims;
use entries::Entries;
use signers::Signers;

/// What the auditor knows beforehand.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The clients: whose signatures count.
    pub clients: Vec<Known>,
    /// Number and hash of an entry that must be there.
    pub head: Option<(u64, [u8; 32])>,
    /// The store that the log must be of.
    pub store: Option<[u8; 32]>,
    /// How far the front's time and the client's may be apart in an entry: what the front allowed, if that is known.
    pub max_age: Option<Duration>,
}

/// What an audit found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// The log's store, in hexadecimal.
    pub store: String,
    /// Entries that were read.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// The last entry, to be expected next time.
    pub head: Head,
    /// What each client asked for.
    pub signers: Vec<SignerReport>,
    /// What is wrong, in the order of the file.
    pub findings: Vec<Finding>,
    /// How many more findings there are than are listed.
    pub unlisted: u64,
    /// How long it took.
    pub seconds: f64,
}

/// An entry's number and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    /// 0 if there is no entry.
    pub entry: u64,
    /// In hexadecimal.
    pub chain: String,
}

/// A client in a log.
#[derive(Clone, Debug, Serialize)]
pub struct SignerReport {
    /// As the auditor calls it.
    pub name: String,
    /// Its public key in hexadecimal.
    pub key: String,
    /// Commands whose signature holds.
    pub commands: u64,
    /// Its last number.
    pub last: u64,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One of the table above.
    pub code: &'static str,
    /// The entry's number; of several, the first.
    pub entry: u64,
    /// Where in the file.
    pub offset: u64,
    /// For people.
    pub detail: String,
}

/// The most findings that a report lists.
const MAX_FINDINGS: usize = 1000;

/// Verifies a log. Cost: one reading of the file; for each DSig signature about a microsecond, for each batch of its
/// keys, and for each EdDSA signature, one Ed25519 verification. Memory: about 100 bytes for each DSig signature, to
/// find every key that signed twice.
///
/// # Errors
/// [`Failure`] if the file cannot be read or is no log. What is wrong in a log is in the report.
pub fn audit(path: &Path, expected: &Expected) -> Result<Report, Failure> {
    let began = Instant::now();
    let mut scan = Scan::open(path)?;
    let store = *scan.store();
    let mut audit = Audit {
        entries: Entries::new(scan.first_chain(), expected.head.map(|(number, _)| number)),
        signers: Signers::new(store, &expected.clients),
        claims: Claims { max_age: expected.max_age, received: 0 },
        findings: Findings::default(),
        read: 0,
    };
    if expected.store.is_some_and(|expected| expected != store) {
        audit.findings.add("HEAD", 0, 8, "the log is of another store than expected".to_owned());
    }
    audit.go(&mut scan).or_fail(Exit::Input, path.display())?;
    audit.entries.report_gaps(&mut audit.findings);
    let (bytes, (last, chain)) = (scan.offset(), audit.entries.head());
    if let Some((number, hash)) = expected.head
        && audit.entries.watched() != Some(hash)
    {
        let detail = if number > last { "the log ends before it" } else { "another entry has its number" };
        audit.findings.add("HEAD", number, bytes, format!("the expected head is not there: {detail}"));
    }
    let (findings, unlisted) = audit.findings.sorted();
    Ok(Report {
        ok: findings.is_empty(),
        store: hex::encode(store),
        entries: audit.read,
        bytes,
        head: Head { entry: last, chain: hex::encode(chain) },
        signers: audit.signers.report(),
        findings,
        unlisted,
        seconds: began.elapsed().as_secs_f64(),
    })
}

struct Audit {
    entries: Entries,
    signers: Signers,
    claims: Claims,
    findings: Findings,
    read: u64,
}

impl Audit {
    fn go(&mut self, scan: &mut Scan) -> std::io::Result<()> {
        loop {
            let (offset, next) = (scan.offset(), self.entries.next());
            let (number, len, sure) = match scan.step()? {
                Step::End => return Ok(()),
                Step::Entry(raw) => {
                    self.read += 1;
                    let place = self.entries.place(&raw, offset, &mut self.findings);
                    let damage = self.findings.count + self.entries.gaps();
                    let verdict = self.signers.check(&raw.entry, place.is_in_order, damage);
                    if let Some(hash) = place.altered {
                        let detail = match &verdict {
                            Ok(()) => format!("{hash}; the client's signature holds"),
                            Err((_, detail)) => format!("{hash}; {detail}"),
                        };
                        self.findings.add("ALTERED", place.number, offset, detail);
                    } else if let (Err((code, detail)), false) = (verdict, place.is_copy) {
                        self.findings.add(code, place.number, offset, detail);
                    }
                    if place.altered.is_none() && place.is_in_order {
                        self.claims.check(&raw.entry, offset, &mut self.findings);
                    }
                    (place.number, raw.len(), place.altered.is_none())
                }
                Step::NoEntry | Step::Cut(_) => (next, 0, false),
            };
            scan.skip(len);
            if sure || (len > 0 && Self::goes_on(scan, number)?) {
                continue;
            }
            // Its length cannot be believed: look for the next entry byte by byte.
            scan.go_to(offset)?;
            let cut = matches!(scan.step()?, Step::Cut(_));
            let found = scan.resume(&self.entries.searched())?;
            if len == 0 {
                let (code, detail) = match (cut, &found) {
                    (true, None) => ("CUT", "the file ends within this entry"),
                    _ => ("MALFORMED", "these bytes are no entry"),
                };
                self.findings.add(code, next, offset, detail.to_owned());
            }
            if scan.gave_up() && found.is_none() {
                let detail = "too much here looks like entries; nothing from here on was read".to_owned();
                self.findings.add("UNREAD", self.entries.next(), scan.offset(), detail);
                return Ok(());
            }
            if let Some(found) = found {
                self.entries.resume_at(&found);
            }
        }
    }

    /// Whether the next entry, or the end, stands here.
    fn goes_on(scan: &mut Scan, number: u64) -> std::io::Result<bool> {
        let before = scan.before();
        Ok(match scan.step()? {
            Step::End => true,
            Step::Entry(raw) => raw.entry.number == number + 1 || raw.follows(&before),
            Step::NoEntry | Step::Cut(_) => false,
        })
    }
}

#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
    count: u64,
}

impl Findings {
    fn add(&mut self, code: &'static str, entry: u64, offset: u64, detail: String) {
        self.count += 1;
        if self.list.len() < MAX_FINDINGS {
            self.list.push(Finding { code, entry, offset, detail });
        }
    }

    fn sorted(mut self) -> (Vec<Finding>, u64) {
        self.list.sort_by_key(|finding| (finding.offset, finding.entry));
        let unlisted = self.count - self.list.len() as u64;
        (self.list, unlisted)
    }
}
