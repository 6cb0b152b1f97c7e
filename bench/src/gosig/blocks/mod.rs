//! Whole rounds: transactions spread as they come, blocks that name them, votes. Votes are `core::gossip` itself; how
//! transactions and blocks spread is a model with the rules of `examples/gosig`:
//!
//! - A node passes transactions that are new to it on to a few random nodes, three by default. To keep the simulation short they travel in
//!   bundles from one node, which delays them by a bundle's transmission at every step.
//! - A proposer names what it knows and nobody has named yet, up to the block's limit, in a header and a body of 6 bytes
//!   for each transaction, which is cut into signed segments. Header and segments are passed on to five random nodes by
//!   whoever gets them first; who lacks one asks for it.
//! - As soon as a segment is there, transactions that it names and that are missing are asked of random nodes, of others
//!   again after half a second.
//! - P is signed once Stage II began by the clock and the header is there, TC once there is a quorum of P and every
//!   transaction. Without pipelining of stages P waits for every transaction, too.
//! - The next round's proposer proposes once it holds a quorum of TC; without pipelining of rounds at the clock's next
//!   round. A block that has no quorum of TC by the end of its round is given up, and its transactions are named again.
//! - One proposer a round: headers of others are short and stop where a better one is known.

mod node;
mod world;

use super::costs::Costs;
use super::network::Setting;
use super::queue::Nanos;

pub(super) use world::run;

/// Bytes of a transaction, as in the paper.
pub(super) const TRANSACTION: u64 = 250;
/// What a body holds of a transaction.
const NAME: u64 = 6;
/// A header without its certificate's signers: digests, proofs, signatures.
const HEADER: u64 = 700;

/// A run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) nodes: usize,
    pub(super) silent: usize,
    pub(super) setting: Setting,
    pub(super) costs: Costs,
    /// Both stages of a round.
    pub(super) stages: [Nanos; 2],
    /// Bytes of the transactions of a block at most.
    pub(super) block: u64,
    /// Transactions per second that are submitted, evenly at all honest nodes.
    pub(super) load: f64,
    /// Transactions that travel together.
    pub(super) bundle: u64,
    pub(super) rounds: u64,
    /// To how many nodes a transaction is passed on.
    pub(super) copies: usize,
    pub(super) rules: Rules,
    pub(super) seed: u64,
}

/// What can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) stage_pipelining: bool,
    pub(super) round_pipelining: bool,
    pub(super) segments: usize,
    /// Otherwise transactions travel in the segments alone.
    pub(super) asynchronous: bool,
}

impl Rules {
    pub(super) const ALL: Self =
        Self { stage_pipelining: true, round_pipelining: true, segments: 5, asynchronous: true };
    pub(super) const NONE: Self =
        Self { stage_pipelining: false, round_pipelining: false, segments: 1, asynchronous: false };
}

/// What came of it, the first two rounds left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Committed transactions per second.
    pub(super) throughput: f64,
    /// From the submission of a transaction to its commit at the node that it was submitted to, on average, in seconds.
    pub(super) latency: f64,
    /// Rounds that committed a block, and all.
    pub(super) committed: (u64, u64),
    /// Of the last round but one, in seconds since its proposal, ascending: when each honest node had the header, all
    /// segments, all transactions, a quorum of P, a quorum of TC.
    pub(super) steps: [Vec<f64>; 5],
    /// Bits per second that a node sent on average.
    pub(super) sent: f64,
    /// Processor time of the simulation.
    pub(super) took: std::time::Duration,
}

#[cfg(test)]
mod tests {
    use super::super::cities::WORLD;
    use super::super::queue::SECOND;
    use super::*;

    fn case() -> Case {
        Case {
            nodes: 40,
            silent: 0,
            setting: Setting { cities: &WORLD, bandwidth: 20e6, connection: None, loss: 0.01 },
            costs: Costs::TYPICAL,
            stages: [2 * SECOND, 2 * SECOND],
            block: 4_000_000,
            load: 1000.0,
            bundle: 50,
            rounds: 6,
            copies: 3,
            rules: Rules::ALL,
            seed: 1,
        }
    }

    #[test]
    fn what_is_submitted_is_committed_with_and_without_silent_nodes_and_pipelining() {
        for (silent, rules) in
            [(0, Rules::ALL), (13, Rules::ALL), (0, Rules { asynchronous: true, ..Rules::NONE })]
        {
            let outcome = run(&Case { silent, rules, ..case() }).unwrap();
            assert_eq!(outcome.committed.0, outcome.committed.1, "{rules:?}");
            assert!((outcome.throughput / 1000.0 - 1.0).abs() < 0.2, "{}", outcome.throughput);
            assert!(outcome.latency > 1.0 && outcome.latency < 12.0, "{}", outcome.latency);
            let reached = outcome.steps.each_ref().map(Vec::len);
            let [header, _, transactions, p, tc] = reached;
            assert_eq!([header, p, tc], [40 - silent; 3], "{rules:?}");
            // Who had them too late commits by the others' votes, and fetches them when the run is over.
            assert!(transactions > 40 * 2 / 3 - silent / 3, "{transactions}");
        }
    }

    #[test]
    fn more_than_the_links_carry_is_not_committed() {
        let outcome = run(&Case { load: 12_000.0, block: 80_000_000, ..case() }).unwrap();
        assert!(outcome.throughput < 10_000.0, "{}", outcome.throughput);
    }

    #[test]
    fn a_block_has_a_limit() {
        let outcome = run(&Case { load: 2000.0, block: 1_000_000, ..case() }).unwrap();
        assert!(outcome.throughput <= 1_000_000.0 / 250.0 / 4.0 * 1.05, "{}", outcome.throughput);
    }
}
