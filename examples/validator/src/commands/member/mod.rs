//! `quorate member`: who the validators of a running chain are, and how others become it.

mod allow;
mod change;
mod file;
mod list;
mod make;
mod show;
mod submit;

use std::fs;
use std::path::PathBuf;

use crate::chain::{Chain, ServedEpoch, ServedEpochs};
use crate::exit::{Exit, Failure, OrFail};
use crate::target::Target;

pub(crate) use change::Proposal;
use file::ChangeFile;
pub(crate) use submit::{Begun, make};

/// Change the validators of a running chain: join, leave, and allow others to.
///
/// A change is a small file that goes from hand to hand. Somebody makes it (`join`, `leave`); members look at it and
/// allow it with their keys (`allow`), each in a copy of their own if they like; and once the members who allow it
/// weigh more than two thirds, anybody hands it in (`submit`). The block that has it ends the epoch: from the next
/// height on the new members decide, and every validator follows by itself.
///
/// A change is allowed for one epoch. If another change came first, make it again.
///
/// Chains of Gosig can do this; those of Jolteon keep their validators.
#[derive(Debug, clap::Args)]
#[command(
    name = "member",
    after_help = "\
Example: carol joins a chain of alice, bob, and two others
  carol$ quorate keygen --name carol --address 203.0.113.9:7100 --out carol/
  carol$ quorate member join carol/public.toml --out carol-joins.toml
  carol$ quorate run --config carol/config.toml --observe      (waits to be let in, then catches up;
                                                    the file says where she listens: [links] listen)
  alice$ quorate member allow carol-joins.toml --keys alice/keys
    bob$ quorate member allow carol-joins.toml --keys bob/keys
    …    (alice's, bob's and the third file may be three copies)
  carol$ quorate member submit carol-joins.toml --wait"
)]
pub(crate) struct Members {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::List),
    Join(make::Join),
    Leave(make::Leave),
    Show(show::Show),
    Allow(allow::Allow),
    Submit(submit::Submit),
}

impl Members {
    /// Does it.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::List(command) => command.run().await,
            Command::Join(command) => command.run().await,
            Command::Leave(command) => command.run().await,
            Command::Show(command) => command.run().await,
            Command::Allow(command) => command.run().await,
            Command::Submit(command) => command.run().await,
        }
    }
}

/// From where a command knows who the members are.
#[derive(Debug, clap::Args)]
struct Source {
    /// The chain's epochs, as `quorate member list --save FILE` wrote them, instead of asking a validator.
    ///
    /// For machines without a network: the file is checked against the genesis file as a validator's answer is.
    #[arg(long, value_name = "FILE")]
    epochs: Option<PathBuf>,

    #[command(flatten)]
    target: Target,
}

impl Source {
    /// The chain with its epochs.
    async fn chain(&self) -> Result<Chain, Failure> {
        self.served().await.map(|(chain, _)| chain)
    }

    /// The chain, and what proves its epochs.
    async fn served(&self) -> Result<(Chain, Vec<ServedEpoch>), Failure> {
        let mut chain = Chain::new(self.target.genesis()?)?;
        // Told before anybody is asked.
        chain.current()?;
        let served = match &self.epochs {
            None => chain.learn(&self.target.reachable().await?).await?,
            Some(path) => {
                let doing = format!("cannot use the epochs in {}", path.display());
                let text = fs::read(path).or_fail(Exit::Setup, &doing)?;
                let read: ServedEpochs = serde_json::from_slice(&text).or_fail(Exit::Setup, doing)?;
                chain.extend(&read.epochs)?;
                read.epochs
            }
        };
        Ok((chain, served))
    }
}
