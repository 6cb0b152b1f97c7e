//! Report of a run.

use core::fmt;

use quorate::machine::Time;

use crate::checker::Violation;
use crate::metrics::Metrics;
use crate::scenario::Scenario;
use crate::trace::TraceEntry;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scenario.
    pub name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number of members.
    pub nodes: usize,
    /// `Ok` if all checks passed.
    pub outcome: Result<(), Violation>,
    /// Virtual time at the end of the run.
    pub at: Time,
    /// Number of events processed.
    pub events: u64,
    /// Hash of the history. Equal hashes mean equal histories.
    pub trace_hash: u64,
    /// Metrics of the run.
    pub metrics: Metrics,
    /// Last entries of the trace, if the run kept any.
    pub tail: Vec<TraceEntry>,
}

impl Report {
    /// Creates the report of a run that panicked; only its scenario is known.
    pub(crate) fn panicked(scenario: &Scenario, text: &str) -> Report {
        Report {
            name: scenario.name.clone(),
            seed: scenario.seed,
            nodes: scenario.nodes,
            outcome: Err(Violation::new("panic", text)),
            at: Time(0),
            events: 0,
            trace_hash: 0,
            metrics: Metrics::default(),
            tail: Vec::new(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.at.0 / 1_000_000, self.at.0 % 1_000_000);
        let Report { name, seed, nodes, events, trace_hash, .. } = self;
        for entry in &self.tail {
            writeln!(f, "{entry}")?;
        }
        match &self.outcome {
            Ok(()) => write!(f, "ok       ")?,
            Err(violation) => writeln!(f, "VIOLATION of {violation}")?,
        }
        write!(
            f,
            "scenario {name}, seed {seed}, {nodes} nodes, {seconds}.{rest:06} s, {events} events, trace {trace_hash:016x}"
        )
    }
}
