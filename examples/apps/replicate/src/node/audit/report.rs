use serde::Serialize;

/// Maximum number of listed findings.
const MAX_FINDINGS: usize = 100;

/// Result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// True if there are no findings.
    pub ok: bool,
    /// Name of the replica.
    pub replica: String,
    /// Length of the file.
    pub bytes: usize,
    /// Bytes at the end that the next start cuts, because their append was not completed.
    pub torn: usize,
    /// Number of records.
    pub records: u64,
    /// Number of checkpoints with valid signatures of n − f replicas.
    pub checkpoints: u64,
    /// Number of certificates for a slot with valid signatures of n − f replicas.
    pub certificates: u64,
    /// Number of slots whose operations were executed again and led to a signed state.
    pub executed: u64,
    /// Number of slots before a checkpoint whose operations the file does not have.
    pub adopted: u64,
    /// Slot of the last valid checkpoint.
    pub stable: u64,
    /// Decided operations that nothing proves.
    pub unproven: Option<Unproven>,
    /// Faults, in the order of the file.
    pub findings: Vec<Finding>,
    /// Number of findings that are not listed.
    pub unlisted: u64,
}

/// Decided operations without a certificate after the last checkpoint, or before one with operations missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unproven {
    /// Their number.
    pub slots: u64,
    /// Number of the first record among them.
    pub record: u64,
    /// Its place in the file.
    pub byte: usize,
}

/// A fault of the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Code, see the table of [`audit`](super).
    pub code: &'static str,
    /// Number of the record, from 1 on; 0 is the name of the replica and the group.
    pub record: u64,
    /// Its place in the file.
    pub byte: usize,
    /// Description for people.
    pub detail: String,
}

/// Number and place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) record: u64,
    pub(super) byte: usize,
}

impl Report {
    /// Adds a fault.
    pub(super) fn add(&mut self, code: &'static str, position: Position, detail: String) {
        self.ok = false;
        if self.findings.len() < MAX_FINDINGS {
            let Position { record, byte } = position;
            self.findings.push(Finding { code, record, byte, detail });
        } else {
            self.unlisted += 1;
        }
    }
}
