//! The report of an audit.

use serde::Serialize;

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
    pub head: LogHead,
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
pub struct LogHead {
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
