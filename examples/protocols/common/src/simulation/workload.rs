//! The simulated clients of a node.

use std::time::Duration;

use quorate::machine::Machine;
use quorate_simulator::Actions;

/// Rate and number of the submissions to each node.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Mean pause between two submissions to a node.
    pub pause: Duration,
    /// Number of submissions to each node.
    pub times: u64,
}

impl Default for Workload {
    fn default() -> Self {
        Self { pause: Duration::from_millis(600), times: u64::MAX }
    }
}

impl Workload {
    /// Schedules the first wake-up when a node starts.
    pub fn start<M: Machine>(&self, actions: &mut Actions<'_, M>) {
        let first = actions.rng().duration(Duration::from_millis(1), self.pause);
        actions.wake(0, first);
    }

    /// Schedules the next wake-up after `times` submissions.
    pub fn schedule_next<M: Machine>(&self, times: u64, actions: &mut Actions<'_, M>) {
        if times < self.times {
            let pause = actions.rng().duration(self.pause / 2, self.pause * 3 / 2);
            actions.wake(0, pause);
        }
    }
}
