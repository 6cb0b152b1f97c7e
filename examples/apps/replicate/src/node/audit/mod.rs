//! Verifies offline what the records of a replica prove, and names each fault by record and place in the file.
//!
//! | code | fault |
//! |---|---|
//! | `DAMAGED` | the bytes of a record do not match their hash; the rest of the file is not read |
//! | `MALFORMED` | a record that the group's replicas do not write |
//! | `FORGED` | a certificate without the valid signatures of n − f replicas |
//! | `STATE` | the state of a checkpoint is not the one that n − f replicas signed |
//! | `DIVERGED` | the decided operations since the checkpoint before do not lead to the state that n − f replicas signed |
//! | `CONTRADICTION` | two values accepted in one slot and view, or decided in one slot |
//! | `ORDER` | a view or a checkpoint that is not above the one before |
//!
//! An operation counts as proven by a certificate for its slot and value, or by the next checkpoint: the auditor executes the
//! operations again, and compares the state with the signed one. [`Report::unproven`] is not a fault: on the fast path nothing is
//! signed between two checkpoints, and a replica that was behind has not all operations before the next one.
//!
//! # Not shown
//! * Operations that lead to the same signed state prove equal: without a certificate, two operations between two checkpoints may
//!   be exchanged or altered if the state and each client's last number and answer remain the same.
//! * Clients do not sign: n − f replicas vouch for an operation, not its client.
//! * The end of the file may be missing, and so may operations before a checkpoint ([`Report::adopted`]): a replica that was
//!   behind adopts a state without them.
//! * What the replica accepted is its own word. What it answered is not recorded: a wrong answer convinces its client only.

mod replay;
mod report;
#[cfg(test)]
mod tests;

use std::path::Path;

use quorate::wire::Decode;
use quorate_broadcast::authentication::Authentication;

use super::group::Group;
use super::record_file::{Frames, Next};
use super::store::LOG;
use super::{Exit, Failure, OrFail};
use crate::application::Application;
use crate::{Record, limits};
use replay::Replay;
use report::Position;
pub use report::{Finding, Report, Unproven};

/// Verifies the records in a data directory. `application` is in its initial state. The replica may be running. Cost: n − f
/// verifications per certificate.
///
/// # Errors
/// [`Exit::Setup`] if there are no records, or if they belong to another group. Faults of the records are in the report.
pub fn audit<A: Authentication, P: Application>(
    group: &Group,
    data: &Path,
    application: P,
) -> Result<Report, Failure> {
    let path = data.join(LOG);
    let bytes = std::fs::read(&path).or_fail(Exit::Setup, path.display())?;
    let mut report = Report { ok: true, bytes: bytes.len(), replica: "?".to_owned(), ..Report::default() };
    let mut frames = Frames::new(&bytes);
    let beginning = Position { record: 0, byte: 0 };
    match frames.next() {
        Next::Content { content, .. } => {
            report.replica = replica_of(group, content)?;
            read::<A, P>(group, frames, application, &mut report);
        }
        Next::Damaged { what, .. } => report.add("DAMAGED", beginning, what.to_owned()),
        Next::End { .. } | Next::Torn { .. } => {
            report.add("DAMAGED", beginning, "the file has no beginning".to_owned());
        }
    }
    Ok(report)
}

/// Verifies the records.
fn read<A: Authentication, P: Application>(
    group: &Group,
    mut frames: Frames<'_>,
    application: P,
    report: &mut Report,
) {
    let parameters = group.parameters();
    let limits = limits::<A, P>(group.committee.len(), &parameters);
    let mut replay = Replay::new(&group.committee, parameters.clients, application);
    loop {
        let record = report.records + 1;
        match frames.next() {
            Next::Content { at, content } => {
                let position = Position { record, byte: at };
                report.records = record;
                match Record::<A::Signature>::decode(content, &limits) {
                    Ok(record) => replay.check::<A>(record, position, report),
                    Err(error) => report.add("MALFORMED", position, error.to_string()),
                }
            }
            Next::Damaged { at, what } => {
                report.add("DAMAGED", Position { record, byte: at }, what.to_owned());
                break;
            }
            Next::End { .. } => break,
            Next::Torn { at } => {
                report.torn = report.bytes - at;
                break;
            }
        }
    }
    report.unproven = replay.unproven();
}

/// Returns the name of the replica that the first content of a file names.
fn replica_of(group: &Group, binding: &[u8]) -> Result<String, Failure> {
    let index = binding.strip_prefix(&group.committee.id().0[..]);
    let index = index.and_then(|index| Some(u16::from_le_bytes(index.try_into().ok()?)));
    match index.filter(|index| *index < group.committee.len()) {
        Some(index) => Ok(group.name(index).to_owned()),
        None => {
            let text = "the records belong to another group; pass the group file with which the replica ran";
            Err(Failure::with_code(Exit::Setup, "DATA_MISMATCH", text))
        }
    }
}
