//! What validators do besides running their state machines, and what it costs.
//!
//! The costs come from the run that uses them: the wake-up of a thread and a durable write are measured alone, the others are
//! the processor time of real validators, divided by the number of operations that the simulation counts for the same load.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use super::disk::Disk;
use crate::queue::{Nanos, SECOND};

/// Number of wake-ups that are measured, each from one thread to another and back.
const WAKE_UPS: u32 = 2_000;

/// Costs of operations in nanoseconds.
pub(super) struct Costs {
    /// Time from the signal to a sleeping thread until it runs.
    pub(super) wake: Nanos,
    /// Processor time of a round of the machine's thread, besides that of the state machine.
    pub(super) round: Nanos,
    /// Processor time of a frame that the writer passes to a link.
    pub(super) frame: Nanos,
    /// Processor time of a write to a link, and of a read from it.
    pub(super) link: Nanos,
    /// Processor time of the execution of a block.
    pub(super) block: Nanos,
    pub(super) disk: Disk,
}

/// Numbers of operations of all validators, and the processor time of the code that the simulation runs.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Counts {
    /// Blocks of the chain.
    pub(in super::super) blocks: u64,
    /// Rounds of the machines' threads.
    pub(super) rounds: u64,
    /// Durable writes of the writers.
    pub(super) writes: u64,
    /// Frames that the writers passed to the links.
    pub(super) frames: u64,
    /// Writes to links and reads from them.
    pub(super) links: u64,
    /// Blocks that were executed.
    pub(super) executions: u64,
    /// Processor time of the state machines.
    pub(super) machines: Nanos,
    /// Processor time of the encoding of records and messages.
    pub(super) encoding: Nanos,
    /// Processor time of all threads, which the simulated processors spent.
    pub(super) processor: Nanos,
}

/// Processor time for a block in seconds, of the real validators' threads of each name.
pub(in super::super) type ThreadTimes = BTreeMap<String, f64>;

impl Costs {
    /// Measures what can be measured alone. The other costs are zero.
    pub(super) fn measure() -> Result<Self, String> {
        Ok(Self { wake: wake_up(), round: 0, frame: 0, link: 0, block: 0, disk: Disk::measure()? })
    }

    /// Sets the other costs so that the threads of simulated validators take the processor time of real ones.
    pub(super) fn fit(&mut self, real: &ThreadTimes, counts: &Counts) {
        let blocks = counts.blocks.max(1) as f64;
        let measured = |names: &[&str]| -> f64 {
            let seconds: f64 = names.iter().filter_map(|name| real.get(*name)).sum();
            seconds * SECOND as f64 * blocks
        };
        let each = |time: f64, known: Nanos, count: u64| -> Nanos {
            ((time - known as f64).max(0.0) / count.max(1) as f64) as Nanos
        };
        self.round = each(measured(&["machine"]), counts.machines, counts.rounds);
        let writing = counts.encoding + counts.writes * self.disk.processor;
        self.frame = each(measured(&["write-urgent", "write-bulk"]), writing, counts.frames);
        self.link = each(measured(&["links"]), 0, counts.links);
        self.block = each(measured(&["execution"]), 0, counts.executions);
    }
}

/// Measures the time in which one thread wakes another one.
fn wake_up() -> Nanos {
    let (turn, main) = (AtomicU32::new(0), thread::current());
    let wait_for = |expected| {
        while turn.load(Ordering::Acquire) != expected {
            thread::park();
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            for round in 0..WAKE_UPS {
                wait_for(2 * round + 1);
                turn.store(2 * round + 2, Ordering::Release);
                main.unpark();
            }
        });
        let began = Instant::now();
        for round in 0..WAKE_UPS {
            turn.store(2 * round + 1, Ordering::Release);
            other.thread().unpark();
            wait_for(2 * round + 2);
        }
        (began.elapsed().as_nanos() / u128::from(2 * WAKE_UPS)) as Nanos
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_account_for_the_time_that_the_simulation_does_not_have() {
        let disk = Disk::measure().unwrap();
        let mut costs = Costs { wake: 0, round: 0, frame: 0, link: 0, block: 0, disk };
        let per_write = costs.disk.processor;
        let counts = Counts {
            blocks: 2,
            rounds: 100,
            writes: 10,
            frames: 50,
            links: 200,
            executions: 8,
            machines: SECOND,
            encoding: SECOND / 2,
            processor: 0,
        };
        // Seconds for one of the two blocks.
        let real = [("machine", 1.0), ("write-urgent", 1.0), ("links", 0.1), ("execution", 0.004)];
        costs.fit(&real.map(|(name, time)| (name.to_owned(), time)).into(), &counts);
        assert_eq!(costs.round, SECOND / 100);
        assert_eq!(costs.frame, (3 * SECOND / 2 - 10 * per_write) / 50);
        assert_eq!((costs.link, costs.block), (SECOND / 1000, SECOND / 1000));
        // Less than the simulation has.
        costs.fit(&[("machine".to_owned(), 0.1)].into(), &counts);
        assert_eq!((costs.round, costs.link), (0, 0));
    }
}
