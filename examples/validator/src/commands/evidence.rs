use std::path::PathBuf;

use quorate_node::evidence::{EvidenceFile, SigningKey, Verifier};
use quorate_node::genesis::Genesis;
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_support::outln;

use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;

/// Verify evidence that a validator signed two contradicting statements.
///
/// A validator that receives both keeps them in DATA/evidence, a file for each pair. The file and the chain's genesis prove it
/// to anyone; no node is asked. Kinds of statements of which honest validators sign several are refused.
#[derive(Debug, clap::Args)]
#[command(
    name = "evidence",
    after_help = "\
Examples:
  quorate evidence --genesis genesis.toml data/evidence/epoch-0-member-2-kind-1-view-117.json
  quorate evidence --genesis genesis.toml --json data/evidence/*.json | jq .name

Exit codes: 0 if all files are valid, 7 if one is not, 3 if one cannot be read."
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
        let verified = with_protocol(&genesis, VerifyFiles { genesis: &genesis, command: &self });
        verified.or_fail(Exit::Setup, "cannot verify evidence")?
    }

    fn verify<P: Protocol>(&self, genesis: &Genesis) -> Result<(), Failure> {
        let verifier = Verifier::<P::Scheme>::new(genesis, P::proves_fault)
            .or_fail(Exit::Setup, "cannot verify evidence")?;
        for path in &self.files {
            let file = EvidenceFile::load(path).map_err(|error| {
                let exit = if error.code() == "IO" { Exit::Setup } else { Exit::BadProof };
                Failure::new(exit, format!("{}: not valid: {error}", path.display()))
            })?;
            let context = format_args!("{}: not valid", path.display());
            verifier.verify(&file).or_fail(Exit::BadProof, context)?;
            if self.json {
                outln!("{}", serde_json::json!(file));
            } else {
                outln!("{}: valid: {}", path.display(), sentence(&file));
            }
        }
        Ok(())
    }
}

fn sentence(file: &EvidenceFile) -> String {
    let EvidenceFile { name, member, kind, epoch, view, key, .. } = file;
    let key = match key {
        SigningKey::Voting => "voting",
        SigningKey::Identity => "identity",
    };
    format!(
        "the {key} key of {name} (member {member}) signed two different statements of kind {kind}, epoch {epoch}, view {view}"
    )
}

struct VerifyFiles<'a> {
    genesis: &'a Genesis,
    command: &'a VerifyEvidence,
}

impl ProtocolVisitor for VerifyFiles<'_> {
    type Output = Result<(), Failure>;

    fn visit<P: Protocol>(self) -> Self::Output {
        self.command.verify::<P>(self.genesis)
    }
}
