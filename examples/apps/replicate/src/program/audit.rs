use std::path::PathBuf;

use quorate_replicate::application::Counter;
use quorate_replicate::node::audit::{Report, audit};
use quorate_replicate::node::group::Group;
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_support::outln;
use quorate_support::terminal::verdict;

use crate::signer::{Make, WithSigner, with_signer};

/// Verify offline what the records of a replica prove.
///
/// Verifies the signatures of n − f replicas under every certificate and checkpoint, executes the decided operations again, and
/// compares the states. Names the record and the byte of each fault, and of the first operation that no signature proves yet: after
/// the last checkpoint the fast path leaves none. Needs the group file only; get it from a trusted source.
///
/// Clients do not sign their operations, answers are not recorded, and the end of the file may be missing: an audit shows none of
/// them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  replicate audit group/replica0 --group group/group.toml")]
pub(crate) struct AuditArgs {
    /// The data directory of the replica, which may be running.
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// The group file.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// Print the report as one JSON object.
    #[arg(long)]
    json: bool,
}

struct Audit<'a> {
    args: &'a AuditArgs,
    group: &'a Group,
}

impl WithSigner for Audit<'_> {
    type Output = Result<Report, Failure>;

    fn call<A: Make>(self) -> Self::Output {
        audit::<A, Counter>(self.group, &self.args.data, Counter::default())
    }
}

impl AuditArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let group = Group::load(&self.group)?;
        let report = with_signer(group.file.signer, Audit { args: self, group: &group })?;
        if self.json {
            outln!("{}", serde_json::to_string(&report).or_fail(Exit::Failed, "cannot encode the report")?);
        } else {
            print(&report);
        }
        match report.findings.first() {
            None => Ok(()),
            Some(first) => {
                let (record, byte) = (first.record, first.byte);
                let text = format!(
                    "the records prove less than they claim, from record {record} at byte {byte} on; keep the file, and compare it \
                     with those of the other replicas"
                );
                Err(Failure::with_code(Exit::Tampered, first.code, text))
            }
        }
    }
}

fn print(report: &Report) {
    for finding in &report.findings {
        let code = verdict(finding.code, false);
        outln!("{code:<15} record {:>7}  byte {:>10}  {}", finding.record, finding.byte, finding.detail);
    }
    if report.unlisted > 0 {
        outln!("and {} more", report.unlisted);
    }
    let Report { replica, records, checkpoints, certificates, stable, executed, adopted, .. } = report;
    outln!("{replica}: {records} records, {checkpoints} checkpoints, {certificates} certificates");
    outln!(
        "the signed state of slot {stable}: {executed} slots executed again, {adopted} without their operations"
    );
    if let Some(unproven) = &report.unproven {
        let (slots, record, byte) = (unproven.slots, unproven.record, unproven.byte);
        outln!("{slots} decided slots without signatures, from record {record} at byte {byte} on");
    }
    if report.torn > 0 {
        outln!("{} bytes of an append that was not completed", report.torn);
    }
    if report.ok {
        outln!(
            "{}",
            verdict(
                "the records are intact, and n − f replicas signed each checkpoint and certificate",
                true
            )
        );
    }
}
