use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use quorate::any::LightClient;
use quorate::light::{self, VerifiedCommit};
use quorate_node::genesis::Hex;
use quorate_support::{errln, outln};
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure, OrFail};
use crate::responses::{CommitProof, ServedEpoch};
use crate::target::Target;

/// Number of blocks that are verified together.
const BATCH: usize = 256;
/// Number of bytes from which fewer blocks are verified together.
const BATCH_BYTES: usize = 16 << 20;
/// Longest line: an epoch carries all transactions of a block, in hexadecimal.
const LONGEST_LINE: u64 = 160 << 20;
/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// Verify an exported chain, or one commit proof, without a node.
///
/// Checks with only the genesis file that each block is committed, that each names the one before it as its parent, and that
/// each change of the members follows from a committed block. The certificates are verified in batches.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate export chain.jsonl                            while a validator runs
  quorate verify chain.jsonl --genesis genesis.toml     at any time, anywhere
  quorate verify chain.jsonl --json | jq .to")]
pub(crate) struct Verify {
    /// The file, as `quorate export` writes it.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The chain's genesis file, from a trusted source. Default: that of the running testnet.
    #[arg(long, value_name = "FILE", env = "QUORATE_GENESIS")]
    genesis: Option<PathBuf>,

    /// Print a JSON object: chain, blocks, from, to, digest of the last block, epoch, seconds.
    #[arg(long)]
    json: bool,
}

/// A line of an exported file: a block with its commit proof, or the last block of an epoch with all its transactions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The epoch that begins after the block, in a line that changes the members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
    block: Hex,
    finality: Hex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<Hex>,
}

impl From<CommitProof> for Line {
    fn from(commit: CommitProof) -> Self {
        Self { epoch: None, block: commit.block, finality: commit.finality, payload: None }
    }
}

impl From<ServedEpoch> for Line {
    fn from(served: ServedEpoch) -> Self {
        let (block, finality) = (served.block.unwrap_or_default(), served.finality.unwrap_or_default());
        Self { epoch: Some(served.epoch), block, finality, payload: served.payload }
    }
}

impl Verify {
    /// Verifies the file and prints a summary.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let target = Target { node: Vec::new(), genesis: self.genesis };
        let text = target.genesis()?.to_toml().or_fail(Exit::Setup, "cannot use the genesis file")?;
        let client = light::Genesis::parse(&text).and_then(|genesis| LightClient::from_genesis(&genesis));
        let client = client.or_fail(Exit::Setup, "cannot use the genesis file")?;
        let file =
            File::open(&self.file).or_fail(Exit::Setup, format!("cannot read {}", self.file.display()))?;
        let start = Instant::now();
        let mut chain =
            ExportedChain { client, waiting: Vec::new(), bytes: 0, first: None, last: None, blocks: 0 };
        chain.read(BufReader::new(file))?;
        let ExportedChain { client, first: Some(first), last: Some(last), blocks, .. } = chain else {
            return Err(Failure::new(Exit::BadProof, "the file has no blocks"));
        };
        let (from, to, seconds) = (first.height(), last.height(), start.elapsed().as_secs_f64());
        let digest = hex::encode(last.digest());
        if self.json {
            let value = serde_json::json!({
                "chain": client.chain().to_string(), "blocks": blocks, "from": from, "to": to, "digest": digest,
                "epoch": client.epoch(), "seconds": seconds,
            });
            outln!("{value}");
        } else {
            outln!("verified {blocks} blocks, {from} to {to}, in {seconds:.1} s; the last one is {digest}");
        }
        Ok(())
    }
}

/// State of the verification of a file.
struct ExportedChain {
    client: LightClient,
    /// Blocks to verify together, each with the number of its line.
    waiting: Vec<(u64, Line)>,
    /// The bytes of these blocks and of their proofs.
    bytes: usize,
    first: Option<VerifiedCommit>,
    last: Option<VerifiedCommit>,
    blocks: u64,
}

impl ExportedChain {
    fn read(&mut self, mut file: impl BufRead) -> Result<(), Failure> {
        let mut shown = Instant::now();
        for number in 1.. {
            let mut text = Vec::new();
            let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
            if read.or_fail(Exit::Failed, "cannot read the file")? == 0 {
                break;
            }
            let line = serde_json::from_slice(&text)
                .or_fail(Exit::BadProof, format!("line {number} is malformed"))?;
            self.add(number, line)?;
            if shown.elapsed() > PROGRESS {
                errln!("verified {} blocks", self.blocks);
                shown = Instant::now();
            }
        }
        self.flush()
    }

    fn add(&mut self, number: u64, line: Line) -> Result<(), Failure> {
        match (line.epoch, &line.payload) {
            (Some(epoch), Some(payload)) => {
                self.flush()?;
                let begun = self.client.hand_over(&line.block.0, &line.finality.0, &payload.0);
                match begun.or_fail(Exit::BadProof, format!("line {number}: the change of the members"))? {
                    begun if begun == epoch => Ok(()),
                    begun => Err(wrong(number, &format!("expected epoch {begun}, got {epoch}"))),
                }
            }
            (None, None) => {
                self.bytes += line.block.0.len() + line.finality.0.len();
                self.waiting.push((number, line));
                if self.waiting.len() < BATCH && self.bytes < BATCH_BYTES { Ok(()) } else { self.flush() }
            }
            _ => Err(wrong(number, "malformed: epoch and payload belong together")),
        }
    }

    /// Verifies the waiting blocks together.
    fn flush(&mut self) -> Result<(), Failure> {
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        let commits: Vec<(&[u8], &[u8])> =
            waiting.iter().map(|(_, line)| (&*line.block.0, &*line.finality.0)).collect();
        let verdicts = self.client.verify_commits(&commits, &mut getrandom::SysRng);
        for ((number, _), verdict) in waiting.iter().zip(verdicts) {
            let commit = verdict.or_fail(Exit::BadProof, format!("line {number}"))?;
            if let Some(last) = self.last
                && (commit.height() != last.height().saturating_add(1) || commit.parent() != last.digest())
            {
                return Err(wrong(*number, "the block does not follow the one before it"));
            }
            self.first = self.first.or(Some(commit));
            self.last = Some(commit);
            self.blocks += 1;
        }
        Ok(())
    }
}

fn wrong(number: u64, problem: &str) -> Failure {
    Failure::new(Exit::BadProof, format!("line {number}: {problem}"))
}
