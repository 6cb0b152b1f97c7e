//! Validators that share one computer, simulated: the counterpart of a `quorate testnet`, under the same load.
//!
//! A validator runs the real chain and has the threads of the node: one for the machine, one that writes records and then
//! passes on messages, two that serve links, one that executes blocks, and one for clients. Each handles what has queued up
//! since its last round, as in the node. All threads of all validators share the processors of the computer.
//!
//! | cost | taken from |
//! |---|---|
//! | inputs of the machine, encoding of records and messages | the code itself, as it runs in the simulation (processor time of the thread) |
//! | durable write | the same number of files of this machine's disk, written at once |
//! | wake-up of a thread | two threads that wake each other |
//! | round of the machine's thread, frame, write to a link or read from it, block | processor time of the threads of four real validators, divided by the numbers of operations in the simulation of four |
//!
//! The last ones come from one size, and from processor time alone: the latencies of all sizes, and the processor time of the
//! other sizes, are predictions.
//!
//! Left out: the kernel's own threads, the program that makes the load, and the validators' work for each other's status.

mod costs;
mod disk;
mod load;
mod network;
mod processors;
mod threads;
mod validator;

use std::thread;

use quorate_abft::signatures::Ed25519List;

use super::committee::{Committee, Plan};
use crate::queue::Nanos;

use costs::Costs;
pub(super) use costs::ThreadTimes;
pub(super) use load::{Load, Outcome};
use network::Network;

/// Rounds of the fit: the numbers of operations depend a little on their costs.
const FITS: usize = 3;
/// Transactions of a round of the fit.
const FIT_TRANSACTIONS: usize = 20;

/// A computer with its processors and the costs of operations.
pub(super) struct Computer {
    processors: usize,
    costs: Costs,
}

impl Computer {
    /// This one. The costs that [`fit`](Self::fit) sets are zero.
    pub(super) fn this() -> Result<Self, String> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { processors, costs: Costs::measure()? })
    }

    /// Sets the costs outside the state machine from the processor time of real validators under a load.
    pub(super) fn fit(&mut self, members: u16, load: Load, real: &ThreadTimes) -> Result<(), String> {
        let load = Load { transactions: load.transactions.min(FIT_TRANSACTIONS), ..load };
        for _ in 0..FITS {
            let counts = self.run(members, load)?.counts;
            self.costs.fit(real, &counts);
        }
        Ok(())
    }

    /// Simulates validators under a load.
    pub(super) fn run(&self, members: u16, load: Load) -> Result<Outcome, String> {
        let faulty = members.saturating_sub(1) / 3;
        let plan = Plan { members, faulty, batch: members.into(), encrypted: true };
        let committee = Committee::<Ed25519List>::deal(plan).map_err(|e| e.to_string())?;
        Network::new(&committee, load, self.processors, &self.costs)?.run()
    }

    /// Describes the costs.
    pub(super) fn describe(&self) -> String {
        let Costs { wake, round, frame, link, block, disk } = &self.costs;
        let micros = |nanos: &Nanos| nanos / 1000;
        let [alone, together] = disk.medians();
        format!(
            "{} processors; µs: wake-up {}, durable write {} alone and {} with 16 files at once, of which processor {}; round of \
             the machine's thread {}, frame {}, write or read of a link {}, block {}",
            self.processors,
            micros(wake),
            micros(&alone),
            micros(&together),
            micros(&disk.processor),
            micros(round),
            micros(frame),
            micros(link),
            micros(block)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same validators on computers with one and with many processors.
    #[test]
    fn transactions_are_committed_later_with_fewer_processors() {
        let mut computer = Computer::this().unwrap();
        // Seldom enough that no two share a block, even while the disk is busy with other programs.
        let load = Load::new(0.2, 6);
        let mut on = |processors| {
            computer.processors = processors;
            let outcome = computer.run(4, load).unwrap();
            assert_eq!(outcome.latencies.len(), 6);
            // Each transaction needs a block, and two more name the state after it.
            assert!((16..=18).contains(&outcome.counts.blocks), "{:?}", outcome.counts);
            outcome
        };
        let (one, many) = (on(1), on(64));
        assert!(one.median_ms() > many.median_ms());
        // At least the durable writes and the delay of a batch.
        assert!(many.median_ms() > 2.0);
    }
}
