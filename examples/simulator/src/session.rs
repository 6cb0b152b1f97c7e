//! A run that somebody watches and disturbs, and that can be had again.
//!
//! [`Simulation::inject`] alone is not enough for that: an intervention at a time t has to fall between the same two
//! events when it is replayed. A [`Session`] sees to it that everything due at t has happened before the
//! intervention, and everything that follows from the intervention at t before the next one. So the history depends
//! on scenario, host and the recorded interventions only, and not on the steps in which time was advanced.

use core::time::Duration;

use crate::checker::Violation;
use crate::fault::{Fault, Scheduled};
use crate::host::Host;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// A run with interventions: those of a script at their times, and those of the moment, which become part of the
/// script.
pub struct Session<H: Host> {
    simulation: Simulation<H>,
    script: Vec<Scheduled>,
    /// How many of them were carried out.
    done: usize,
}

impl<H: Host> Session<H> {
    /// A run that has not begun. The script may be in any order; what has the same time keeps its order.
    pub fn new(scenario: Scenario, host: H, mut script: Vec<Scheduled>) -> Self {
        script.sort_by_key(|scheduled| scheduled.at);
        Self { simulation: Simulation::new(scenario, host), script, done: 0 }
    }

    /// Carries out everything up to `until`, interventions included. Answers whether the run goes on.
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

    /// Carries out everything that is due at [`next_at`](Session::next_at). Answers whether the run goes on.
    pub fn step(&mut self) -> bool {
        self.next_at().is_some_and(|at| self.advance(at))
    }

    /// When the next event or intervention is due; nothing if nothing will ever happen again.
    pub fn next_at(&self) -> Option<Duration> {
        let planned = self.script.get(self.done).map(|next| next.at);
        self.simulation.next_at().into_iter().chain(planned).min()
    }

    /// Intervenes now, and records it. What the script still holds comes at its times all the same. A run that is
    /// over takes no more.
    pub fn intervene(&mut self, fault: Fault) {
        let at = self.now();
        if self.violation().is_some() || at >= self.simulation.scenario().duration {
            return;
        }
        self.script.insert(self.done, Scheduled { at, fault: fault.clone() });
        self.done += 1;
        self.carry_out(at, fault);
    }

    /// Every intervention, past and to come, in order.
    pub fn script(&self) -> &[Scheduled] {
        &self.script
    }

    /// How many interventions of the script were carried out: those at its beginning.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The time now.
    pub fn now(&self) -> Duration {
        Duration::from_micros(self.simulation.now().0)
    }

    /// What was found wrong. The run does not go on then.
    pub fn violation(&self) -> Option<&Violation> {
        self.simulation.violation()
    }

    /// The run.
    pub fn simulation(&self) -> &Simulation<H> {
        &self.simulation
    }

    /// The host, for what it keeps for its spectators. Changing anything else breaks determinism.
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
