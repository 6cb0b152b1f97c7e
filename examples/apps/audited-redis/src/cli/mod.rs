//! The command line.

mod audit;
mod bench;
mod call;
mod front;
mod keygen;
mod proof;
mod sidecar;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use quorate::dsig::dynamic::SuiteId;
use quorate_audited_redis::client::Options;
use quorate_audited_redis::failure::{Exit, Failure};
use quorate_audited_redis::frame::Scheme;
use quorate_audited_redis::suites::SUITES;
use quorate_support::tell;

/// An audited Redis: every command is signed by its client, logged before it is executed, and can be proven to others.
///
/// Make a key (`keygen`), name it in the front's configuration, start the front before your redis-server (`front`),
/// and send commands (`call`), or let any Redis client send them (`sidecar`). Later verify the whole log offline
/// (`audit`), or take one operation out of it as a proof for a third party (`prove`, `check-proof`).
#[derive(Debug, Parser)]
#[command(name = "audited-redis", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Keygen(keygen::Keygen),
    Front(front::Front),
    Call(call::Call),
    Sidecar(sidecar::Sidecar),
    Audit(audit::Audit),
    Prove(proof::Prove),
    CheckProof(proof::CheckProof),
    Bench(bench::Bench),
}

/// Runs the command line to its exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Task::Keygen(command) => command.run(),
        Task::Front(command) => in_runtime(command.run()),
        Task::Call(command) => in_runtime(command.run()),
        Task::Sidecar(command) => in_runtime(command.run()),
        Task::Audit(command) => command.run(),
        Task::Prove(command) => command.run(),
        Task::CheckProof(command) => command.run(),
        Task::Bench(command) => command.run(),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            tell!("{} {failure}", quorate_support::terminal::red("audited-redis:"));
            failure.exit.into()
        }
    }
}

/// What a command ends with.
type Outcome = Result<ExitCode, Failure>;

fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::failed(format!("starting: {error}")))?.block_on(work)
}

/// How a client signs.
#[derive(Debug, Args)]
struct HowToSign {
    /// How commands are signed: dsig, eddsa, or none (for measurements; fronts refuse it unless told otherwise).
    #[arg(long, value_name = "SCHEME", default_value = "dsig")]
    signer: Scheme,
    /// DSig's suite: wots-blake3, wots-haraka-256 (fastest with AES instructions), wots-haraka-512, wots-blake3-256.
    #[arg(long, value_name = "NAME", default_value = "wots-blake3", value_parser = suite)]
    suite: SuiteId,
    /// The store that the front must have, 64 hexadecimal digits. Without it any front is believed.
    #[arg(long, value_name = "HEX", value_parser = hash)]
    store: Option<[u8; 32]>,
}

impl HowToSign {
    fn options(&self) -> Options {
        Options { scheme: self.signer, suite: self.suite, store: self.store, ..Options::default() }
    }
}

fn suite(name: &str) -> Result<SuiteId, String> {
    let found = SUITES.into_iter().find(|suite| suite.name() == name);
    found.ok_or_else(|| format!("it is none of {}", SUITES.map(SuiteId::name).join(", ")))
}

fn hash(digits: &str) -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| "it is not 64 hexadecimal digits".to_owned())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
