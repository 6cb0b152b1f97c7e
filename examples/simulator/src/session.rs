//! Runs with interventions that can be replayed exactly.
//!
//! [`Simulation::inject`] alone does not suffice: a replayed intervention at time t must occur between the same two
//! events. A [`Session`] processes everything due at t before the intervention, and everything that follows from the
//! intervention at t before the next one. The history therefore depends only on the scenario, the host and the
//! recorded interventions, not on the increments in which time was advanced.

use core::time::Duration;

use crate::checker::Violation;
use crate::fault::{Fault, Scheduled};
use crate::host::Host;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// A run with interventions: scheduled ones from a script, and live ones, which are added to the script.
pub struct Session<H: Host> {
    simulation: Simulation<H>,
    script: Vec<Scheduled>,
    /// Number of executed interventions.
    done: usize,
}

impl<H: Host> Session<H> {
    /// Creates a run that has not started. The script may be in any order; interventions at the same time keep their
    /// order.
    pub fn new(scenario: Scenario, host: H, mut script: Vec<Scheduled>) -> Self {
        script.sort_by_key(|scheduled| scheduled.at);
        Self { simulation: Simulation::new(scenario, host), script, done: 0 }
    }

    /// Processes everything up to `until`, including interventions. Returns `true` if the run continues.
    pub fn advance(&mut self, until: Duration) -> bool {
        while let Some(next) = self.script.get(self.done).filter(|next| next.at <= until) {
            let Scheduled { at, fault } = next.clone();
            self.done += 1;
            if !self.carry_out(at, fault) {
                return false;
            }
        }
        self.simulation.advance(until)
    }

    /// Processes everything due at [`next_at`](Session::next_at). Returns `true` if the run continues.
    pub fn step(&mut self) -> bool {
        self.next_at().is_some_and(|at| self.advance(at))
    }

    /// Returns the time of the next event or intervention; `None` if there is none.
    pub fn next_at(&self) -> Option<Duration> {
        let planned = self.script.get(self.done).map(|next| next.at);
        self.simulation.next_at().into_iter().chain(planned).min()
    }

    /// Intervenes now and records the intervention. The rest of the script keeps its times. A finished run ignores
    /// interventions.
    pub fn intervene(&mut self, fault: Fault) {
        let at = self.now();
        if self.violation().is_some() || at >= self.simulation.scenario().duration {
            return;
        }
        self.script.insert(self.done, Scheduled { at, fault: fault.clone() });
        self.done += 1;
        self.carry_out(at, fault);
    }

    /// Returns all interventions, past and future, in order.
    pub fn script(&self) -> &[Scheduled] {
        &self.script
    }

    /// Returns the number of executed interventions: a prefix of the script.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns the current virtual time.
    pub fn now(&self) -> Duration {
        Duration::from_micros(self.simulation.now().0)
    }

    /// Returns the violation that ended the run, if any.
    pub fn violation(&self) -> Option<&Violation> {
        self.simulation.violation()
    }

    /// Returns the underlying simulation.
    pub fn simulation(&self) -> &Simulation<H> {
        &self.simulation
    }

    /// Returns the host mutably, for its observer state. Any other change breaks determinism.
    pub fn host_mut(&mut self) -> &mut H {
        self.simulation.host_mut()
    }

    fn carry_out(&mut self, at: Duration, fault: Fault) -> bool {
        if !self.simulation.advance(at) {
            return false;
        }
        self.simulation.inject(fault);
        self.simulation.advance(at)
    }
}
