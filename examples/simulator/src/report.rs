//! What came of a run.

use core::fmt;

use quorate::machine::Time;

use crate::checker::Violation;
use crate::metrics::Metrics;
use crate::scenario::Scenario;
use crate::trace::TraceEntry;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scenario's name.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// How many members there were.
    pub nodes: usize,
    /// Whether everything that was checked held.
    pub outcome: Result<(), Violation>,
    /// The virtual time at which the run ended.
    pub at: Time,
    /// How many events it had.
    pub events: u64,
    /// Two runs with the same hash went the same way.
    pub trace_hash: u64,
    /// What was counted.
    pub metrics: Metrics,
    /// The last entries of the trace, if any were kept.
    pub tail: Vec<TraceEntry>,
}

impl Report {
    /// Nothing is left of a run that panicked but where it was.
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
