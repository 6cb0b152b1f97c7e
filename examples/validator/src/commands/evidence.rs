use std::path::PathBuf;

use quorate_node::evidence::{EvidenceFile, SigningKey};
use quorate_node::genesis::Genesis;
use quorate_support::outln;

use crate::exit::{Exit, Failure, OrFail};

/// Verify evidence that a validator signed two contradicting statements.
///
/// A validator that receives both keeps them in DATA/evidence, a file for each pair. The file and the chain's genesis prove it
/// to anyone; no node is asked.
#[derive(Debug, clap::Args)]
#[command(
    name = "evidence",
    after_help = "\
Examples:
  quorate evidence --genesis genesis.toml data/evidence/member-2-1-0-117.json
  quorate evidence --genesis genesis.toml --json data/evidence/*.json | jq .name

Exit codes: 0 if all files are valid, 7 if one is not."
)]
pub(crate) struct VerifyEvidence {
    /// The files.
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// The chain's genesis file. Obtain it from a trusted source.
    #[arg(long, value_name = "FILE", env = "QUORATE_GENESIS")]
    genesis: PathBuf,

    /// Print a JSON object per file.
    #[arg(long)]
    json: bool,
}

impl VerifyEvidence {
    /// Verifies all files, and fails at the first that is not valid evidence.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let genesis = Genesis::load(&self.genesis).or_fail(Exit::Setup, "cannot verify evidence")?;
        for path in &self.files {
            let file = EvidenceFile::load(path).or_fail(Exit::BadProof, "not valid")?;
            file.verify(&genesis).or_fail(Exit::BadProof, format_args!("{}: not valid", path.display()))?;
            if self.json {
                outln!("{}", serde_json::json!(file));
                continue;
            }
            let EvidenceFile { name, member, kind, epoch, view, key, .. } = &file;
            let key = match key {
                SigningKey::Voting => "voting",
                SigningKey::Identity => "identity",
            };
            outln!(
                "{}: valid: the {key} key of {name} (member {member}) signed two statements of kind {kind}, epoch {epoch}, \
                 view {view}",
                path.display()
            );
        }
        Ok(())
    }
}
