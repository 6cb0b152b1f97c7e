use std::path::PathBuf;
use std::time::Duration;

use quorate_replicate::node::{Failure, client};
use quorate_support::{errln, outln};
use serde_json::json;

/// Add a number to the replicated counter, and print the sum.
///
/// The answer is accepted when f + 1 replicas give it. Replicas that give another answer are named, also if it arrives later:
/// before it ends, the program waits up to 200 ms for replicas that have not answered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  replicate submit --group group/group.toml --key group/client0.key 5")]
pub(crate) struct SubmitArgs {
    /// The group file.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The key file of this client. Two processes must not use one key at the same time.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The number to add.
    number: u64,

    /// Number of operations, one after another.
    #[arg(long, default_value_t = 1)]
    count: u64,

    /// Time limit in milliseconds for each operation.
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    timeout: u64,

    /// Print one JSON object per operation, and one with the field `liars` alone if a wrong answer arrived after the last.
    #[arg(long)]
    json: bool,
}

/// Time limit of the wait for the answers of the other replicas.
const LATE: Duration = Duration::from_millis(200);

impl SubmitArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut client = client::open(&self.group, &self.key)?;
        for _ in 0..self.count {
            let accepted = client.call(self.number.to_le_bytes(), Duration::from_millis(self.timeout))?;
            let sum = u64::from_le_bytes(accepted.answer);
            if self.json {
                let (sequence, replicas, liars) = (accepted.sequence, accepted.replicas, accepted.liars);
                outln!(
                    "{}",
                    json!({ "sum": sum, "sequence": sequence, "replicas": replicas, "liars": liars })
                );
                continue;
            }
            outln!("{sum}");
            warn(&accepted.liars);
        }
        let late = client.late_liars(LATE);
        if self.json && !late.is_empty() {
            outln!("{}", json!({ "liars": late }));
        } else {
            warn(&late);
        }
        Ok(())
    }
}

fn warn(liars: &[u16]) {
    for liar in liars {
        errln!("replica {liar} gave another answer: it is faulty");
    }
}
