use std::path::PathBuf;

use quorate_support::say;

use super::Source;
use super::change::Proposal;
use crate::commands::genesis::read_member;
use crate::exit::{Exit, Failure};

/// Make the change by which a validator joins.
///
/// PUBLIC is what `quorate keygen` wrote for it. The change is written to a file, for the members to allow. Meanwhile
/// the validator may be started with an empty data directory: `quorate run --observe`. The members let it in once the
/// change is committed; then it reads the chain up to its epoch, and takes part.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate member join carol/public.toml --out carol-joins.toml
  quorate member join carol/public.toml=3 --out carol-joins.toml      (with three times the usual weight)")]
pub(super) struct Join {
    /// The validator's public file, with an optional weight behind an equals sign (1 if there is none).
    #[arg(value_name = "PUBLIC[=WEIGHT]")]
    public: String,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "change.toml")]
    out: PathBuf,

    #[command(flatten)]
    source: Source,
}

/// Make the change by which a member leaves.
///
/// It goes on voting until the change is committed; then it stops by itself. Its keys are not to be used again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate member leave carol --out carol-leaves.toml")]
pub(super) struct Leave {
    /// The member's name, or its identity key.
    #[arg(value_name = "NAME")]
    who: String,

    /// The file to write; it must not exist.
    #[arg(long, value_name = "FILE", default_value = "change.toml")]
    out: PathBuf,

    #[command(flatten)]
    source: Source,
}

impl Join {
    /// Makes it.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (public, weight) = read_member(&self.public)?;
        let chain = self.source.chain().await?;
        if public.scheme != chain.genesis.scheme {
            let text = format!(
                "{} has keys for {}, and the chain votes with {}; make others: quorate keygen --scheme {}",
                public.name, public.scheme, chain.genesis.scheme, chain.genesis.scheme
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        written(&Proposal::join(&chain, public.into_member(weight))?, &self.out, &chain.genesis.chain)
    }
}

impl Leave {
    /// Makes it.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let chain = self.source.chain().await?;
        written(&Proposal::leave(&chain, &self.who)?, &self.out, &chain.genesis.chain)
    }
}

fn written(proposal: &Proposal, path: &std::path::Path, chain: &str) -> Result<(), Failure> {
    proposal.file.create(path)?;
    proposal.print(chain);
    let path = path.display();
    say!("\n{path}: now members allow it, each with: quorate member allow {path} --keys FILE");
    Ok(())
}
