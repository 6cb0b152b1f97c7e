use std::path::PathBuf;

use quorate_support::outln;

use super::change::Proposal;
use super::file::ChangeFile;
use super::source::Source;
use crate::exit::Failure;

/// Show the effect and the approvals of a membership change.
///
/// Performs the same checks as `allow` and `submit`: the change belongs to this chain and its newest epoch, it can be
/// applied, and its signatures are valid. Signs nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate member show carol-joins.toml
  quorate member show carol-joins.toml carol-joins-bob.toml --json | jq .allowed_by")]
pub(super) struct Show {
    /// The change file, or several copies of it.
    #[arg(required = true, value_name = "CHANGE")]
    files: Vec<PathBuf>,

    /// Print a JSON object instead.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    source: Source,
}

impl Show {
    /// Shows the change.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let file = ChangeFile::load_all(&self.files)?;
        let chain = self.source.chain().await?;
        let proposal = Proposal::check(&chain, file)?;
        if self.json {
            outln!("{}", proposal.json());
        } else {
            proposal.print(&chain.genesis.chain);
        }
        Ok(())
    }
}
