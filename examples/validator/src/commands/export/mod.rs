mod source;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quorate_support::errln;
use serde::Serialize;

use crate::commands::verify::Line;
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::ServedEpoch;
use crate::target::Target;
use source::Source;

/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// Write committed blocks, with the proofs that they are committed, to a file.
///
/// `quorate verify` checks the file with only the genesis file, without a node. Nothing is verified here: the validator may
/// be faulty. The blocks come from a running validator, or from the data directory of a stopped one; both give the same file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples (while `quorate testnet` runs):
  quorate export chain.jsonl                        all blocks that the validator has
  quorate export block.jsonl --from 70 --to 70      one commit proof
  quorate verify chain.jsonl
Without a running validator, as the user of the stopped one:
  quorate export chain.jsonl --data /var/lib/quorate --genesis /etc/quorate/genesis.toml")]
pub(crate) struct Export {
    /// The file to write: a JSON object per line, described in spec/light.md.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Height of the first block. [default: the oldest one of the validator, 1 if it prunes none]
    #[arg(long, value_name = "HEIGHT", value_parser = clap::value_parser!(u64).range(1..))]
    from: Option<u64>,

    /// Height of the last block. [default: the newest one]
    #[arg(long, value_name = "HEIGHT")]
    to: Option<u64>,

    /// Read the data directory of a stopped validator instead; needs --genesis, and ignores --node.
    ///
    /// Needs no keys. The validator cannot start meanwhile.
    #[arg(long, value_name = "DIR", requires = "genesis")]
    data: Option<PathBuf>,

    #[command(flatten)]
    target: Target,
}

impl Export {
    /// Reads the blocks and writes the file.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let source = match &self.data {
            Some(directory) => Source::stopped(directory, self.target.genesis()?)?,
            None => Source::Running(self.target.reachable().await?),
        };
        let (oldest, newest) = source.heights().await?;
        let (from, to) = (self.from.unwrap_or(oldest), self.to.unwrap_or(newest));
        if from > to || from < oldest || to > newest {
            let pruned = if from < oldest { "; it has pruned the older ones: ask another one" } else { "" };
            let text =
                format!("blocks {from} to {to}: the validator has blocks {oldest} to {newest}{pruned}");
            return Err(Failure::new(Exit::NotFound, text));
        }
        let doing = format!("cannot write {}", self.file.display());
        // A device or a pipe is not replaced.
        let is_special = fs::metadata(&self.file).is_ok_and(|found| !found.is_file());
        let path = if is_special { self.file.clone() } else { partial(&self.file) };
        let mut file = BufWriter::new(File::create(&path).or_fail(Exit::Failed, &doing)?);
        let mut written = tokio::select! {
            written = self.write(&source, from..=to, &mut file) => written,
            _ = tokio::signal::ctrl_c() => Err(Failure::new(Exit::Failed, "interrupted")),
        };
        if !is_special {
            written = written.and_then(|()| fs::rename(&path, &self.file).or_fail(Exit::Failed, &doing));
            if written.is_err() {
                let _ = fs::remove_file(&path);
            }
        }
        written?;
        if self.from.is_none() && from > 1 {
            errln!("the validator has pruned the blocks below height {from}: the file begins there");
        }
        let blocks = to - from + 1;
        errln!("wrote {blocks} blocks to {}; check them with `quorate verify`", self.file.display());
        Ok(())
    }

    /// Writes the blocks, each epoch before its first block.
    async fn write(
        &self,
        source: &Source,
        heights: RangeInclusive<u64>,
        file: &mut impl Write,
    ) -> Result<(), Failure> {
        let to = *heights.end();
        let doing = format!("cannot write {}", self.file.display());
        let mut epochs = Epochs { source, page: VecDeque::new(), next: 0 };
        let mut shown = Instant::now();
        for height in heights {
            let commit = source.commit_proof(height).await?;
            let epoch = commit.block.0.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
            let epoch = epoch.ok_or_else(|| faulty(&format!("block {height} is malformed")))?;
            while let Some(next) = epochs.next_up_to(epoch).await? {
                write_line(file, &Line::from(next)).or_fail(Exit::Failed, &doing)?;
            }
            write_line(file, &Line::from(commit)).or_fail(Exit::Failed, &doing)?;
            // A stopped validator's data is read without waiting: Ctrl-C is noticed here.
            tokio::task::yield_now().await;
            if shown.elapsed() > PROGRESS {
                errln!("block {height} of {to}");
                shown = Instant::now();
            }
        }
        file.flush().or_fail(Exit::Failed, &doing)
    }
}

/// The epochs of a validator with their proofs, read page by page as blocks need them.
struct Epochs<'a> {
    source: &'a Source,
    page: VecDeque<ServedEpoch>,
    /// The least number that the next epoch may have.
    next: u64,
}

impl Epochs<'_> {
    /// Returns the next epoch after the genesis, if it is at most `needed`.
    async fn next_up_to(&mut self, needed: u64) -> Result<Option<ServedEpoch>, Failure> {
        while self.next <= needed {
            if self.page.is_empty() {
                self.page = self.source.epochs(self.next).await?.into();
            }
            let Some(found) = self.page.pop_front() else {
                return Err(faulty(&format!("it proves no epoch from {} to {needed}", self.next)));
            };
            if found.epoch < self.next {
                return Err(faulty("its epochs are not in ascending order"));
            }
            if found.epoch > needed {
                self.next = found.epoch;
                self.page.push_front(found);
                return Ok(None);
            }
            self.next = found.epoch.saturating_add(1);
            if found.block.is_some() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The file that is written until it is complete.
fn partial(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

fn faulty(problem: &str) -> Failure {
    Failure::new(Exit::BadProof, format!("the validator is faulty, ask another one: {problem}"))
}

fn write_line(file: &mut impl Write, line: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}
