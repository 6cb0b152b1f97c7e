//! What the clients of a node do.

use std::time::Duration;

use quorate::machine::Machine;
use quorate_simulator::Actions;

/// How often they come to each node, and how many times.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// They come about this often.
    pub pause: Duration,
    /// And no more after so many times.
    pub times: u64,
}

impl Default for Workload {
    fn default() -> Self {
        Self { pause: Duration::from_millis(600), times: u64::MAX }
    }
}

impl Workload {
    /// A node starts: asks for the first wake-up.
    pub fn start<M: Machine>(&self, actions: &mut Actions<'_, M>) {
        let first = actions.rng().duration(Duration::from_millis(1), self.pause);
        actions.wake(0, first);
    }

    /// They came so many times by now: asks for the next wake-up.
    pub fn came<M: Machine>(&self, times: u64, actions: &mut Actions<'_, M>) {
        if times < self.times {
            let pause = actions.rng().duration(self.pause / 2, self.pause * 3 / 2);
            actions.wake(0, pause);
        }
    }
}
