//! `quorate member`: lists and changes the validators of a running chain.

mod allow;
mod change;
mod file;
mod list;
mod make;
mod show;
mod source;
mod submit;

use crate::exit::Failure;

pub(crate) use change::Proposal;
pub(crate) use submit::{Begun, make};

/// Change the validators of a running chain: create, approve and submit membership changes.
///
/// A change is a small file. `join` or `leave` creates it. Members review it and approve it with their keys (`allow`), in
/// one file or each in a copy. Once members with more than two thirds of the weight have approved, any client can submit
/// it (`submit`). The block that contains the change ends the epoch: the new members decide from the next height on, and
/// every validator follows without a restart.
///
/// A change is valid for one epoch. If another change was committed first, create it again.
///
/// Gosig supports membership changes; Jolteon does not.
#[derive(Debug, clap::Args)]
#[command(
    name = "member",
    after_help = "\
Example: carol joins a chain of alice, bob, and two others
  carol$ quorate keygen --name carol --address 203.0.113.9:7100 --out carol/
  carol$ quorate member join carol/public.toml --out carol-joins.toml
  carol$ quorate run --config carol/config.toml --observe      (waits for admission, then catches up;
                                                    set its address in the file: [links] listen)
  alice$ quorate member allow carol-joins.toml --keys alice/keys
    bob$ quorate member allow carol-joins.toml --keys bob/keys
    …    (each member may sign a copy of the file)
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
    /// Runs the subcommand.
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
