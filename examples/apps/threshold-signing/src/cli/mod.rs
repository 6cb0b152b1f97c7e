//! The command line.

mod check_evidence;
mod deal;
mod demo;
mod group;
mod keys;
mod serve;
mod sign;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use quorate_support::tell;
use quorate_threshold_signing::deal::{PublicDeal, read_message};
use quorate_threshold_signing::failure::{Exit, Failure};
use quorate_threshold_signing::group::Group;

/// Parties that sign together: 3 of 4, or 5 of 7, make a signature that any ECDSA library verifies, and fewer make none. Nobody
/// has the key.
///
/// Begin with `threshold-signing demo`: it makes four parties as four processes, signs, has OpenSSL verify, and shows what
/// happens when one lies and one is killed.
///
/// By hand: each party and each requester makes its keys (`keys`), somebody puts the public halves together (`group`), a
/// dealer that everybody trusts deals, once, offline (`deal`), each party serves (`serve`), and a requester has messages
/// signed (`sign`).
#[derive(Debug, Parser)]
#[command(name = "threshold-signing", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Demo(demo::Demo),
    Keys(keys::MakeKeys),
    Group(group::MakeGroup),
    Deal(deal::MakeDeal),
    Serve(serve::Serve),
    Sign(sign::Sign),
    Verify(verify::Verify),
    CheckEvidence(check_evidence::CheckEvidence),
}

/// Runs the command line to its exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Task::Demo(command) => in_runtime(command.run()),
        Task::Keys(command) => command.run(),
        Task::Group(command) => command.run(),
        Task::Deal(command) => command.run(),
        Task::Serve(command) => in_runtime(command.run()),
        Task::Sign(command) => in_runtime(command.run()),
        Task::Verify(command) => command.run(),
        Task::CheckEvidence(command) => command.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell!("{} {failure}", quorate_support::terminal::red("threshold-signing:"));
            failure.exit.into()
        }
    }
}

/// What a command ends with.
type Outcome = Result<(), Failure>;

fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("starting: {error}")))?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_background();
    outcome
}

/// What everybody may know.
#[derive(Debug, Args)]
struct Public {
    /// The group file that `group` has made.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The public deal file that `deal` has made, of the epoch that is used now.
    #[arg(long, value_name = "FILE")]
    deal: PathBuf,
}

impl Public {
    fn load(&self) -> Result<(Group, PublicDeal), Failure> {
        let (group, public) = (Group::load(&self.group)?, PublicDeal::load(&self.deal)?);
        public.require(&group)?;
        Ok((group, public))
    }
}

/// A message.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Message {
    /// The message itself.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,

    /// A file with the message.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Message {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        match (&self.message, &self.file) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(path)) => read_message(path),
            // clap wants one of them.
            (None, None) => Err(Failure::setup("no message")),
        }
    }
}

fn json(value: &serde_json::Value) {
    quorate_support::say!("{value}");
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
