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
    /// Offset of the first entry from which on the log may contain other commands than the server executed, or in another
    /// order. See the codes of [`audit`](super).
    #[serde(skip)]
    pub damaged_at: Option<u64>,
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

/// Maximum number of listed findings, not counting the first damage.
const MAX_FINDINGS: usize = 1000;

/// Codes of faults that leave content and order of the log as the server executed it. Without this distinction a client could
/// hide later faults behind one of its own.
///
/// - `UNSEALED`: the last entry is complete except for its hash.
/// - `UNKNOWN_SIGNER`: the auditor does not know a client whose requests the server accepted.
/// - `KEY_REUSE`: the signature is valid; a server that has restarted since the first use accepts the second one.
/// - `CLOCK`, `DURABLE`: fields that only the server vouches for contradict each other. They influence no execution.
/// - `HEAD`: the log as a whole is not the expected one. Its entries still belong together.
const HARMLESS: &[&str] = &["UNSEALED", "UNKNOWN_SIGNER", "KEY_REUSE", "CLOCK", "DURABLE", "HEAD"];

#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    count: u64,
    /// Number of findings that are damage: their codes are not [`HARMLESS`].
    damage: u64,
    damaged_at: Option<u64>,
}

impl Findings {
    pub(super) fn add(&mut self, code: &'static str, entry: u64, offset: u64, detail: String) {
        let is_damage = !HARMLESS.contains(&code);
        self.count += 1;
        if self.list.len() < MAX_FINDINGS || (is_damage && self.damage == 0) {
            self.list.push(Finding { code, entry, offset, detail });
        }
        if is_damage {
            self.damage += 1;
            self.damaged_at = Some(self.damaged_at.map_or(offset, |first| first.min(offset)));
        }
    }

    pub(super) fn damage(&self) -> u64 {
        self.damage
    }

    pub(super) fn damaged_at(&self) -> Option<u64> {
        self.damaged_at
    }

    pub(super) fn sorted(mut self) -> (Vec<Finding>, u64) {
        self.list.sort_by_key(|finding| (finding.offset, finding.entry));
        let unlisted = self.count - self.list.len() as u64;
        (self.list, unlisted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_listed_and_located_among_many_other_findings() {
        let mut findings = Findings::default();
        for entry in 0..2000 {
            findings.add("UNKNOWN_SIGNER", entry, entry * 10, String::new());
        }
        assert_eq!((findings.damage(), findings.damaged_at()), (0, None));
        findings.add("ALTERED", 2000, 20_000, String::new());
        findings.add("GAP", 7, 70, String::new());
        assert_eq!((findings.damage(), findings.damaged_at()), (2, Some(70)));
        let (list, unlisted) = findings.sorted();
        assert_eq!((list.len(), unlisted), (MAX_FINDINGS + 1, 1001));
        assert_eq!(list.last().unwrap().code, "ALTERED");
    }
}
