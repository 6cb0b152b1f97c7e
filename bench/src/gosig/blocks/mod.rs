//! A simulation of whole rounds: transactions, blocks and votes.
//!
//! Votes are `core::gossip` itself. The spreading of transactions and blocks is a model of `examples/protocols/gosig`; the
//! differences are:
//!
//! - A member forwards new transactions to a few random members (`transaction_fanout`). They travel in bundles from one
//!   member, so that the simulation has fewer events; this adds the transmission time of a bundle at every hop.
//!   Transactions that a member requested are not forwarded.
//! - On average seven members are drawn to propose in a round; the lowest score wins. A drawn member proposes once it has
//!   committed the previous block; without pipelining of rounds, at the clock's next round. It names the known uncommitted
//!   transactions, oldest first, in a header and a body of 6 bytes per transaction, cut into signed segments.
//! - A member forwards a header to five random members if it is the best so far, and segments if it knows the header. A
//!   header contains the certificate of the previous block, so that a member without that block commits it.
//! - A member that lacks segments or transactions of the best block requests both from one member at a time, first from the
//!   sender of the segment; an answer has at most 1 MiB of transactions. After a full answer it asks the same member again,
//!   otherwise a random one, and another after a timeout.
//! - A member signs P when Stage II has begun by the clock and it has the best header, and TC when it has a quorum of P and
//!   every transaction, until it prepares in a later round. Without pipelining of stages P requires every transaction too.
//!   A member commits a block with a quorum of TC and every transaction.
//! - A round without a decision halves the limit of a block, and full blocks raise it slowly. The limit starts at the case's
//!   maximum (`first_block_bytes`) and is the same for all members at once.
//! - Left out: locks. A block without a quorum of TC is not proposed again, but the next block names its transactions. Where
//!   transactions travel only in blocks, a proposer knows those of all members.

mod block;
mod lifecycle;
mod message;
mod node;
mod spread;
mod votes;
mod world;

use super::costs::Costs;
use super::network::Setting;
use crate::queue::{MILLISECOND, Nanos};

pub(super) use world::run;

/// Bytes of a transaction, as in the paper.
pub(super) const TRANSACTION: u64 = 250;

/// Parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) nodes: usize,
    pub(super) silent: usize,
    pub(super) setting: Setting,
    pub(super) costs: Costs,
    /// Both stages of a round.
    pub(super) stages: [Nanos; 2],
    /// Maximum bytes of transactions in a block.
    pub(super) block: u64,
    /// Transactions per second that are submitted, evenly at all honest nodes.
    pub(super) load: f64,
    /// Transactions that travel together.
    pub(super) bundle: u64,
    pub(super) rounds: u64,
    /// Number of nodes that a transaction is forwarded to.
    pub(super) copies: usize,
    /// Timeout of a request, after which another node is asked.
    pub(super) retry: Nanos,
    pub(super) rules: Rules,
    pub(super) seed: u64,
}

/// Delay after the last segment before missing transactions are requested.
const GATHER: Nanos = 10 * MILLISECOND;

/// Rules that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) stage_pipelining: bool,
    pub(super) round_pipelining: bool,
    /// Minimum number of segments of a body.
    pub(super) segments: usize,
    /// No segment is longer than 2 MiB, for any value of `segments`. Only the simulation can switch this off.
    pub(super) limited: bool,
    /// A member that lacks data when Stage II begins may prepare later in it. Only the simulation can switch this off.
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

/// Result of a run, without the first rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Committed transactions per second.
    pub(super) throughput: f64,
    /// Average time from the submission of a transaction to its commit at the same node, in seconds.
    pub(super) latency: f64,
    /// Number of rounds that committed a block, and of all rounds.
    pub(super) committed: (u64, u64),
    /// Times of one of the last rounds, in seconds since its proposal, ascending: when each honest node had the header, all
    /// segments, all transactions, a quorum of P, a quorum of TC.
    pub(super) steps: [Vec<f64>; 5],
    /// Bits per second that a node sent on average.
    pub(super) sent: f64,
    /// Average number of times that a transaction was sent to a node.
    pub(super) copies: f64,
    /// Processor time of the simulation.
    pub(super) took: std::time::Duration,
}

#[cfg(test)]
mod tests {
    use super::super::cities::WORLD;
    use super::*;
    use crate::queue::SECOND;

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
    fn submitted_transactions_are_committed_under_all_rules() {
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
    fn exactly_a_quorum_of_honest_nodes_commits_most_rounds() {
        let outcome = run(&Case { silent: 13, ..case() }).unwrap();
        assert!(outcome.committed.0 * 2 > outcome.committed.1, "{:?}", outcome.committed);
    }

    #[test]
    fn fewer_copies_suffice_and_take_less_bandwidth() {
        let [one, three] = [1, 3].map(|copies| run(&Case { copies, ..case() }).unwrap());
        assert_eq!((one.committed.0, three.committed.0), (one.committed.1, three.committed.1));
        assert!(one.copies < 2.0 && three.copies > 2.5, "{} {}", one.copies, three.copies);
    }

    #[test]
    fn throughput_is_limited_by_the_links() {
        let outcome = run(&Case { load: 12_000.0, block: 80_000_000, ..case() }).unwrap();
        assert!(outcome.throughput < 10_000.0, "{}", outcome.throughput);
    }

    #[test]
    fn a_block_has_a_limit() {
        let outcome = run(&Case { load: 2000.0, block: 1_000_000, ..case() }).unwrap();
        assert!(outcome.throughput <= 1_000_000.0 / 250.0 / 4.0 * 1.05, "{}", outcome.throughput);
    }
}
