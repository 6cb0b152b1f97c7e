use std::time::Duration;

use quorate_broadcast::authentication::Eddsa;
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_replicate::simulation::{ReplicaHost, SimulatedAuthentication, SimulatedDsig, group, shape};
use quorate_simulator::{PRESETS, Scenario, check, preset, replay};
use quorate_support::outln;
use serde::Serialize;

use crate::signer::SignerName;

/// Run replicas in the deterministic simulator with virtual time, faults, crashes and Byzantine replicas; one run per
/// seed.
///
/// The first failing seed ends the program with the violation and the command that replays it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  replicate simulate --seeds 1000
  replicate simulate --scenario byzantine --nodes 7 --signer dsig --seed 12 --seeds 1 --trace

Scenarios: calm wan lossy slow partitions crashes byzantine chaos")]
pub(crate) struct SimulateArgs {
    /// Number of seeds.
    #[arg(long, default_value_t = 100)]
    seeds: u64,

    /// First seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Scenario of every run; by default each seed uses the next of the list.
    #[arg(long, value_parser = scenario)]
    scenario: Option<String>,

    /// Number of replicas, 3f + 1; by default 4, and 7 for every third seed.
    #[arg(long, value_parser = replicas)]
    nodes: Option<usize>,

    /// Signature scheme; by default each seed uses the other one.
    #[arg(long, value_enum)]
    signer: Option<SignerName>,

    /// Print every event of the first seed.
    #[arg(long, conflicts_with = "json")]
    trace: bool,

    /// Print one JSON object per run.
    #[arg(long)]
    json: bool,
}

/// Output for a run.
#[derive(Debug, Serialize)]
struct Line<'a> {
    seed: u64,
    scenario: &'a str,
    nodes: usize,
    signer: &'static str,
    /// Duration in virtual time.
    lasted_us: u64,
    events: u64,
    /// Median time from a request to its answer, in virtual time.
    request_median_us: Option<u64>,
    violated: Option<Violated<'a>>,
}

#[derive(Debug, Serialize)]
struct Violated<'a> {
    property: &'a str,
    detail: &'a str,
    /// Command that replays the run.
    replay: &'a str,
}

impl SimulateArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        for seed in self.seed..self.seed.saturating_add(self.seeds) {
            let turn = seed as usize;
            let drawn = PRESETS.get(turn % PRESETS.len()).map_or("calm", |(name, _)| name);
            let name = self.scenario.as_deref().unwrap_or(drawn);
            let nodes = self.nodes.unwrap_or(if turn % 3 == 2 { 7 } else { 4 });
            // Uses another period than the scenarios.
            let turn = turn / PRESETS.len() + turn;
            let drawn = if turn.is_multiple_of(2) { SignerName::Dsig } else { SignerName::Eddsa };
            match self.signer.unwrap_or(drawn) {
                SignerName::Eddsa => self.one::<Eddsa>(name, nodes, seed)?,
                SignerName::Dsig => self.one::<SimulatedDsig>(name, nodes, seed)?,
            }
        }
        if !self.json {
            outln!("{} runs, no violation", self.seeds);
        }
        Ok(())
    }

    fn one<A: SimulatedAuthentication>(&self, name: &str, nodes: usize, seed: u64) -> Result<(), Failure> {
        let Some(scenario) = preset(name, &shape(nodes), seed) else {
            return Err(Failure::new(Exit::Usage, format!("unknown scenario {name}")));
        };
        let members = group(nodes);
        let host = |_: &Scenario| ReplicaHost::<A>::new(members.clone());
        if self.trace && seed == self.seed {
            outln!("{}", replay(&scenario, host, Box::new(|entry| outln!("{entry}"))));
        }
        let command = format!("replicate simulate --seeds 1 --signer {}", A::NAME);
        let checked = check(&scenario, host, &command);
        let (report, replay) = match &checked {
            Ok(report) => (report, ""),
            Err(failure) => (&failure.report, failure.command.as_str()),
        };
        let median = report.metrics.measured.get("request").and_then(|histogram| histogram.median());
        if self.json {
            let violated = report.outcome.as_ref().err();
            let line = Line {
                seed,
                scenario: name,
                nodes,
                signer: A::NAME,
                lasted_us: report.at.0,
                events: report.events,
                request_median_us: median.and_then(|median| u64::try_from(median.as_micros()).ok()),
                violated: violated.map(|violation| Violated {
                    property: violation.property,
                    detail: &violation.detail,
                    replay,
                }),
            };
            outln!("{}", serde_json::to_string(&line).or_fail(Exit::Failed, "cannot print")?);
        } else if checked.is_ok() {
            outln!("{seed} {} {report} median request {:?}", A::NAME, median.unwrap_or(Duration::ZERO));
        }
        match checked {
            Ok(_) => Ok(()),
            Err(failure) => Err(Failure::new(Exit::Violated, failure.to_string())),
        }
    }
}

fn scenario(name: &str) -> Result<String, String> {
    let known = PRESETS.iter().any(|(known, _)| *known == name);
    let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    if known { Ok(name.to_owned()) } else { Err(format!("expected one of {}", names.join(", "))) }
}

fn replicas(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 4..=100) if n % 3 == 1 => Ok(n),
        _ => Err("expected 3f + 1 from 4 to 100".to_owned()),
    }
}
