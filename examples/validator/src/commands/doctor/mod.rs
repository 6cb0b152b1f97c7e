//! `quorate doctor`: checks a validator's files, machine and peers without changing or signing anything.

mod data;
mod files;
mod finding;
mod machine;
mod peers;
mod setup;

use std::path::{Path, PathBuf};

use quorate_node::config::NodeConfig;
use quorate_node::genesis::Genesis;
use quorate_support::outln;

use crate::exit::{Exit, Failure};
use crate::protocols::with_protocol;
use finding::{Finding, State};
use setup::InspectSetup;

/// Check a validator's files, machine and peers.
///
/// For the time before the first start, after a change of the machine, and when something is wrong. Run it as the user of
/// the validator, with the limits of its service; the validator may run meanwhile. It checks
///
///   - that configuration, genesis, keys and shares can be used and belong together, and their modes;
///
///   - the data directory: chain, validator, format, completeness, free space, whether a process uses it;
///
///   - open files, the clock, and that listen addresses are free or held by the running validator;
///
///   - that each member answers at its address and proves its identity key;
///
///   - the running validator: its version, failure, abstention, clock and links.
///
/// It signs nothing and writes nothing into the data directory. Each peer logs one refused connection, because this command
/// does not offer the validator's key. The exit code is 0 without a failed check, also if there are warnings, and 14 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sudo -u quorate quorate doctor --config /etc/quorate/config.toml
  quorate doctor --config alice/config.toml --json | jq '.checks[] | select(.state != \"ok\")'")]
pub(crate) struct Doctor {
    /// The configuration file of the validator.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,

    /// Print a JSON object {"ok", "checks"}; a check is {"check", "state", "detail", "remedy"}, state is ok, warning or failed.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Checks everything that can be checked, and prints a line for each check.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let mut findings = Vec::new();
        examine(&self.config, &mut findings).await;
        let failed = findings.iter().filter(|finding| finding.state == State::Failed).count();
        if self.json {
            outln!("{}", serde_json::json!({ "ok": failed == 0, "checks": findings }));
        } else {
            findings.iter().for_each(|finding| outln!("{finding}"));
        }
        match failed {
            0 => Ok(()),
            1 => Err(Failure::new(Exit::Unhealthy, "one check failed")),
            _ => Err(Failure::new(Exit::Unhealthy, format!("{failed} checks failed"))),
        }
    }
}

async fn examine(path: &Path, findings: &mut Vec<Finding>) {
    findings.push(Finding::ok("version", files::versions()));
    let Some(config) = Finding::of("configuration", NodeConfig::load(path), findings) else { return };
    findings.push(files::public("configuration", path));
    let Some(genesis) = Finding::of("genesis", Genesis::load(&config.node.genesis), findings) else { return };
    findings.push(files::public("genesis", &config.node.genesis));
    let inspected = with_protocol(&genesis, InspectSetup { config: &config, genesis: &genesis, findings });
    let setup = match inspected {
        Ok(setup) => setup,
        Err(error) => return findings.push(Finding::error("genesis", &error)),
    };
    let Some(setup) = setup else { return };
    let is_running = setup.binding.as_ref().is_some_and(|binding| data::inspect(&config, binding, findings));
    findings.push(machine::open_files(&config, genesis.members.len()));
    let own = setup.me.and_then(|me| genesis.members.get(me)).map(|member| member.address.as_str());
    machine::addresses(&config, own, is_running, findings).await;
    let clock = machine::Clock::start();
    peers::check(&config, &genesis, &setup, findings).await;
    findings.push(clock.check().await);
    if is_running {
        peers::running(&config, &genesis, findings).await;
    }
}
