use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use quorate_support::errln;
use serde::Serialize;

use crate::api::Api;
use crate::commands::verify::Line;
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::ServedEpoch;
use crate::target::Target;

/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// Write committed blocks, with the proofs that they are committed, to a file.
///
/// `quorate verify` checks the file with only the genesis file, without a node. Nothing is verified here: the validator may
/// be faulty.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples (while `quorate testnet` runs):
  quorate export chain.jsonl                        all blocks up to the newest
  quorate export block.jsonl --from 70 --to 70      one commit proof
  quorate verify chain.jsonl")]
pub(crate) struct Export {
    /// The file to write: a JSON object per line, described in spec/light.md.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Height of the first block.
    #[arg(long, value_name = "HEIGHT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    from: u64,

    /// Height of the last block. [default: the newest one]
    #[arg(long, value_name = "HEIGHT")]
    to: Option<u64>,

    #[command(flatten)]
    target: Target,
}

impl Export {
    /// Reads the blocks from a validator and writes the file.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let api = self.target.reachable().await?;
        let newest = api.status().await?.height;
        let to = self.to.unwrap_or(newest);
        if self.from > to || to > newest {
            let text = format!("blocks {} to {to}: the validator has blocks 1 to {newest}", self.from);
            return Err(Failure::new(Exit::NotFound, text));
        }
        let mut epochs = served_epochs(&api).await?.into_iter().peekable();
        let doing = format!("cannot write {}", self.file.display());
        let mut file = BufWriter::new(File::create(&self.file).or_fail(Exit::Failed, &doing)?);
        let (mut blocks, mut shown) = (0u64, Instant::now());
        for height in self.from..=to {
            let commit = api.commit_proof(height).await?;
            let epoch = commit.block.0.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            while let Some(next) = epochs.next_if(|next| next.epoch <= epoch) {
                write_line(&mut file, &Line::from(next)).or_fail(Exit::Failed, &doing)?;
            }
            write_line(&mut file, &Line::from(commit)).or_fail(Exit::Failed, &doing)?;
            blocks += 1;
            if shown.elapsed() > PROGRESS {
                errln!("block {height} of {to}");
                shown = Instant::now();
            }
        }
        file.flush().or_fail(Exit::Failed, &doing)?;
        errln!("wrote {blocks} blocks to {}; check them with `quorate verify`", self.file.display());
        Ok(())
    }
}

/// Returns the epochs after the genesis with their proofs.
async fn served_epochs(api: &Api) -> Result<Vec<ServedEpoch>, Failure> {
    let mut all: Vec<ServedEpoch> = Vec::new();
    loop {
        let next = all.last().map_or(0, |last| last.epoch.saturating_add(1));
        let page = api.epochs(next).await?;
        let known = all.len();
        all.extend(page.into_iter().filter(|epoch| epoch.epoch >= next));
        if all.len() == known {
            break;
        }
    }
    all.retain(|epoch| epoch.block.is_some());
    Ok(all)
}

fn write_line(file: &mut impl Write, line: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}
