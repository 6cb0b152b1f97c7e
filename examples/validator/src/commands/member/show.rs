use std::path::PathBuf;

use quorate_support::say;

use super::change::Proposal;
use super::{ChangeFile, Source};
use crate::exit::Failure;

/// Show what a change does and who allows it.
///
/// Checked as `allow` and `submit` check it: that it belongs to this chain and its newest epoch, that it is possible,
/// and every signature. Nothing is signed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate member show carol-joins.toml
  quorate member show carol-joins.toml carol-joins-bob.toml --json | jq .allowed_by")]
pub(super) struct Show {
    /// The file of the change, or several copies of it.
    #[arg(required = true, value_name = "CHANGE")]
    files: Vec<PathBuf>,

    /// Print a JSON object instead.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    source: Source,
}

impl Show {
    /// Shows it.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let file = ChangeFile::load_all(&self.files)?;
        let chain = self.source.chain().await?;
        let proposal = Proposal::check(&chain, file)?;
        if self.json {
            say!("{}", proposal.json());
        } else {
            proposal.print(&chain.genesis.chain);
        }
        Ok(())
    }
}
