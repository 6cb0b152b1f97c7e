use std::path::PathBuf;

use quorate_support::outln;

use super::change::Proposal;
use super::source::Source;
use crate::commands::genesis::read_member;
use crate::exit::{Exit, Failure};

/// Create the change by which a validator joins.
///
/// PUBLIC is the file that `quorate keygen` wrote for it. The command writes the change to a file for the members to
/// approve. Meanwhile the validator can be started with an empty data directory: `quorate run --observe`. The members
/// accept its links once the change is committed; it then reads the chain up to its epoch and starts to vote.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate member join carol/public.toml --out carol-joins.toml
  quorate member join carol/public.toml=3 --out carol-joins.toml      (with weight 3)")]
pub(super) struct Join {
    /// The validator's public file, with an optional weight after an equals sign (default: 1).
    #[arg(value_name = "PUBLIC[=WEIGHT]")]
    public: String,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "change.toml")]
    out: PathBuf,

    #[command(flatten)]
    source: Source,
}

/// Create the change by which a member leaves.
///
/// The member votes until the change is committed, then it stops. Its keys must not be used again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate member leave carol --out carol-leaves.toml")]
pub(super) struct Leave {
    /// The member's name, or its identity key.
    #[arg(value_name = "NAME")]
    name: String,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "change.toml")]
    out: PathBuf,

    #[command(flatten)]
    source: Source,
}

impl Join {
    /// Creates the change.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (public, weight) = read_member(&self.public)?;
        let chain = self.source.chain().await?;
        if public.scheme != chain.genesis.scheme {
            let text = format!(
                "{} has keys for {}, but the chain uses {}; generate new keys: quorate keygen --scheme {}",
                public.name, public.scheme, chain.genesis.scheme, chain.genesis.scheme
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        written(&Proposal::join(&chain, public.into_member(weight))?, &self.out, &chain.genesis.chain)
    }
}

impl Leave {
    /// Creates the change.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let chain = self.source.chain().await?;
        written(&Proposal::leave(&chain, &self.name)?, &self.out, &chain.genesis.chain)
    }
}

fn written(proposal: &Proposal, path: &std::path::Path, chain: &str) -> Result<(), Failure> {
    proposal.file.create(path)?;
    proposal.print(chain);
    let path = path.display();
    outln!("\n{path}: next, each approving member runs: quorate member allow {path} --keys FILE");
    Ok(())
}
