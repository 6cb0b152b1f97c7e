//! The report of an audit.

use serde::Serialize;

/// Result of an audit.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// True if there are no findings.
    pub ok: bool,
    /// The log's store, in hexadecimal.
    pub store: String,
    /// Number of entries read.
    pub entries: u64,
    /// Length of the log.
    pub bytes: u64,
    /// Number of zeros behind it, which a writer reserves.
    pub reserved: u64,
    /// The last entry, for the expectations of the next audit.
    pub head: LogHead,
    /// Each client's commands.
    pub signers: Vec<SignerReport>,
    /// Faults, in the order of the file.
    pub findings: Vec<Finding>,
    /// Number of findings that are not listed.
    pub unlisted: u64,
    /// Duration of the audit.
    pub seconds: f64,
}

/// An entry's number and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogHead {
    /// Number; 0 if there is no entry.
    pub entry: u64,
    /// Hash, in hexadecimal.
    pub chain: String,
}

/// A client in a log.
#[derive(Clone, Debug, Serialize)]
pub struct SignerReport {
    /// Name given by the auditor.
    pub name: String,
    /// Its public key in hexadecimal.
    pub key: String,
    /// Number of commands with a valid signature.
    pub commands: u64,
    /// Last sequence number.
    pub last: u64,
}

/// A fault of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Code, see the table of [`audit`](super).
    pub code: &'static str,
    /// Number of the entry; the first one if several are affected.
    pub entry: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Description for people.
    pub detail: String,
}

impl Report {
    /// Adds a finding of the application.
    pub fn add(&mut self, finding: Finding) {
        self.ok = false;
        self.findings.push(finding);
        self.findings.sort_by_key(|finding| (finding.offset, finding.entry));
    }
}

/// Maximum number of listed findings.
const MAX_FINDINGS: usize = 1000;

#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    pub(super) count: u64,
}

impl Findings {
    pub(super) fn add(&mut self, code: &'static str, entry: u64, offset: u64, detail: String) {
        self.count += 1;
        if self.list.len() < MAX_FINDINGS {
            self.list.push(Finding { code, entry, offset, detail });
        }
    }

    pub(super) fn sorted(mut self) -> (Vec<Finding>, u64) {
        self.list.sort_by_key(|finding| (finding.offset, finding.entry));
        let unlisted = self.count - self.list.len() as u64;
        (self.list, unlisted)
    }
}
