//! Whole rounds: transactions spread as they come, blocks that name them, votes.
//!
//! Votes are `core::gossip` itself. How transactions and blocks spread is a model of what `examples/protocols/gosig` does; where the
//! two differ, this page says so:
//!
//! - A member passes transactions that are new to it on to a few random others (`transaction_fanout`). To keep the
//!   simulation short they travel in bundles from one member, which delays them by a bundle's transmission at every step.
//!   Transactions that came because they were asked for are not passed on.
//! - Seven members are drawn to propose in a round, on average; the lowest score wins. Who is drawn proposes once it has
//!   committed the block before; without pipelining of rounds, at the clock's next round. It names what it knows and is
//!   not committed, the oldest first, in a header and a body of 6 bytes for each transaction, cut into signed segments.
//! - A header goes to five random others by whoever finds it the best so far, and its segments by whoever knows the
//!   header. A header shows the certificate of the block before, so that who lacks that one commits it.
//! - Who lacks segments or transactions of the best block asks one member at a time for both, at first who sent the segment; an
//!   answer has 1 MiB of transactions at most. Who sent as much is asked for more, otherwise a random one is, and another
//!   again if no answer comes in time.
//! - P is signed once Stage II has begun by the clock and the best header is there, TC once there is a quorum of P and every
//!   transaction, until the member prepares in a later round. Without pipelining of stages P waits for every transaction,
//!   too. A block is committed where a quorum of TC and every transaction are there.
//! - A round that decides nothing halves what a block may have, and full blocks raise it slowly. It begins with all that the
//!   case allows (`first_block_bytes`), and is everybody's at once.
//! - Left out: locks, so that a block without a quorum of TC is not proposed again as it was, but its transactions are
//!   named by the next. Who proposes where transactions travel in blocks alone knows everybody's.

mod chain;
mod node;
mod spread;
mod votes;
mod world;

use super::costs::Costs;
use super::network::Setting;
use super::queue::{MILLISECOND, Nanos};

pub(super) use world::run;

/// Bytes of a transaction, as in the paper.
pub(super) const TRANSACTION: u64 = 250;

/// A run.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// How long before an unanswered request is sent to somebody else.
    pub(super) retry: Nanos,
    pub(super) rules: Rules,
    pub(super) seed: u64,
}

/// How long after the last segment transactions that are missing are asked for.
const GATHER: Nanos = 10 * MILLISECOND;

/// What can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) stage_pipelining: bool,
    pub(super) round_pipelining: bool,
    /// Into how many segments a body is cut at least.
    pub(super) segments: usize,
    /// No segment is longer than 2 MiB, whatever `segments` says. This cannot be switched off but here.
    pub(super) limited: bool,
    /// Who lacks what it needs when Stage II begins may prepare later in it. This cannot be switched off but here.
    pub(super) late: bool,
    /// Otherwise transactions travel in the segments alone.
    pub(super) asynchronous: bool,
}

impl Rules {
    pub(super) const ALL: Self = Self {
        stage_pipelining: true,
        round_pipelining: true,
        segments: 5,
        limited: true,
        late: true,
        asynchronous: true,
    };
    pub(super) const NONE: Self = Self {
        stage_pipelining: false,
        round_pipelining: false,
        segments: 1,
        asynchronous: false,
        ..Self::ALL
    };
}

/// What came of it, the first rounds left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Committed transactions per second.
    pub(super) throughput: f64,
    /// From the submission of a transaction to its commit at the node that it was submitted to, on average, in seconds.
    pub(super) latency: f64,
    /// Rounds that committed a block, and all.
    pub(super) committed: (u64, u64),
    /// Of one of the last rounds, in seconds since its proposal, ascending: when each honest node had the header, all
    /// segments, all transactions, a quorum of P, a quorum of TC.
    pub(super) steps: [Vec<f64>; 5],
    /// Bits per second that a node sent on average.
    pub(super) sent: f64,
    /// How often a transaction was sent to a node, on average.
    pub(super) copies: f64,
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
            retry: SECOND / 2,
            rules: Rules::ALL,
            seed: 1,
        }
    }

    #[test]
    fn what_is_submitted_is_committed_with_and_without_silent_nodes_and_pipelining() {
        for (silent, rules) in
            [(0, Rules::ALL), (10, Rules::ALL), (0, Rules { asynchronous: true, ..Rules::NONE })]
        {
            let outcome = run(&Case { silent, rules, ..case() }).unwrap();
            assert_eq!(outcome.committed.0, outcome.committed.1, "{rules:?}");
            assert!((outcome.throughput / 1000.0 - 1.0).abs() < 0.2, "{}", outcome.throughput);
            assert!(outcome.latency > 1.0 && outcome.latency < 12.0, "{}", outcome.latency);
            let reached = outcome.steps.each_ref().map(Vec::len);
            assert_eq!(reached, [40 - silent; 5], "{rules:?}");
        }
    }

    #[test]
    fn exactly_a_quorum_commits_most_rounds_for_which_everybody_must_have_everything() {
        let outcome = run(&Case { silent: 13, ..case() }).unwrap();
        assert!(outcome.committed.0 * 2 > outcome.committed.1, "{:?}", outcome.committed);
    }

    #[test]
    fn few_copies_are_enough_and_cost_less() {
        let [one, three] = [1, 3].map(|copies| run(&Case { copies, ..case() }).unwrap());
        assert_eq!((one.committed.0, three.committed.0), (one.committed.1, three.committed.1));
        assert!(one.copies < 2.0 && three.copies > 2.5, "{} {}", one.copies, three.copies);
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
