//! Merging of overlapping aggregates in any order: the highest counts, and the length of messages.
//!
//! `Gossip` sends aggregates of halves of the committee, which share no signer, so counts above 1 are rare. This does not
//! test the mechanism that keeps counts low where aggregates overlap. Therefore every node here sends the whole aggregate of
//! its [`Pool`] to random nodes, as in the paper, and these merge it with their own.

use quorate::Result;
use quorate::gossip::{Aggregate, Parameters, Pool};
use quorate::scheme::Toy;
use quorate::wire::Encode;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::signers::Signers;
use super::stage::FRAME;
use crate::row::{Row, figure};

/// Number of steps after which the run is given up.
const STEPS: usize = 100;
/// The highest count that a target allows.
const HIGHEST: u16 = 16;

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Merged {
    /// Highest count of any aggregate that was sent before its sender had a quorum.
    spreading: u16,
    /// Highest count of any node's first aggregate of a quorum.
    quorum: u16,
    /// Bytes of the longest such aggregate, and of all of them together.
    longest: usize,
    bytes: usize,
    /// Number of steps; each node sends once per step.
    steps: usize,
    /// Number of nodes without a quorum after the last step.
    without: usize,
}

/// Starts each node with its own vote; all nodes send their aggregates until each has a quorum or the run is given up.
pub(super) fn run(signers: &Signers<Toy>, seed: u64) -> Result<Merged> {
    let parameters = Parameters::default();
    let mut random = StdRng::seed_from_u64(seed);
    let nodes = signers.votes.len();
    let mut pools = Vec::new();
    for (me, vote) in (0..).zip(&signers.votes) {
        let mut pool = Pool::new(signers.committee.clone(), me, signers.statement, parameters);
        pool.insert(signers.single(vote)?)?;
        pools.push(pool);
    }
    let mut merged = Merged::default();
    let mut order: Vec<usize> = (0..nodes).collect();
    while merged.steps < STEPS && pools.iter().any(|pool| pool.certificate().is_none()) {
        merged.steps += 1;
        order.shuffle(&mut random);
        for from in &order {
            let Some(pool) = pools.get(*from) else { continue };
            let Some(sum) = pool.best().cloned() else { continue };
            if pool.certificate().is_none() {
                merged.spreading = merged.spreading.max(sum.counts().highest());
            }
            for _ in 0..parameters.fan_out {
                let to = random.random_range(0..nodes);
                let Some(pool) = pools.get_mut(to).filter(|pool| pool.certificate().is_none()) else {
                    continue;
                };
                pool.insert(sum.clone())?;
            }
        }
    }
    merged.without = pools.iter().filter(|pool| pool.certificate().is_none()).count();
    for sum in pools.iter().filter_map(Pool::best) {
        let len = sum.encode().len();
        merged.quorum = merged.quorum.max(sum.counts().highest());
        merged.longest = merged.longest.max(len);
        merged.bytes += len;
    }
    Ok(merged)
}

/// The rows: merging with the number of nodes of the target, because the number of steps grows with it; bytes of
/// `Gossip`'s messages with the number of nodes of the largest simulation.
pub(super) fn measure(largest: usize) -> Result<Vec<Row>> {
    let (some, many) = (Signers::<Toy>::new(MERGING)?, Signers::<Toy>::new(largest)?);
    let mut highest = Merged::default();
    for seed in 1..=SEEDS {
        let merged = run(&some, seed)?;
        highest.spreading = highest.spreading.max(merged.spreading);
        highest.quorum = highest.quorum.max(merged.quorum);
        highest.steps = highest.steps.max(merged.steps);
        highest.without = highest.without.max(merged.without);
        highest.longest = highest.longest.max(merged.longest);
        highest.bytes = highest.bytes.max(merged.bytes);
    }
    let message = |aggregate: &Aggregate<Toy>| FRAME as f64 + aggregate.encode().len() as f64;
    let (ones, even) = (many.aggregate(largest, 1)?, many.aggregate(largest, HIGHEST)?);
    Ok(vec![
        Row::new(
            format!("highest count below a quorum, N = {MERGING}, merged in any order"),
            highest.spreading.into(),
            "",
        )
        .at_most(HIGHEST.into())
        .note(format!("sums of `Pool`s alone to 5 random others; {SEEDS} runs")),
        Row::new("the same, of every node's quorum", highest.quorum.into(), "")
            .at_most(HIGHEST.into())
            .note("`Gossip` sends sums of halves, and uses a `Pool` only for other sums"),
        Row::new("the same, nodes without a quorum", highest.without as f64, "nodes")
            .at_most(0.0)
            .note(format!("after at most {} steps, in each of which every node sends once", highest.steps)),
        Row::new(format!("message bytes, {largest} nodes, all signed"), message(&ones), "B")
            .at_most(5000.0)
            .note("as `Gossip` sends it: sums of halves, counts of 1; the paper: 40,256 B, 20 kB compressed"),
        Row::new(
            format!("the same, merged in any order, {MERGING} nodes"),
            FRAME as f64 + highest.bytes as f64 / MERGING as f64,
            "B",
        )
        .note(format!(
            "the highest average; the longest {} B; sent only by nodes that spread by a `Pool` alone",
            figure(FRAME as f64 + highest.longest as f64),
        )),
        Row::new(format!("the same, all signed, counts evenly from 1 to {HIGHEST}"), message(&even), "B")
            .note("the longest with counts to 16; generated for this row, not sent"),
    ])
}

/// Number of nodes that merge overlapping aggregates.
const MERGING: usize = 1000;
/// Number of runs with them.
const SEEDS: u64 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_gets_a_valid_quorum_with_low_counts() {
        let signers = Signers::new(60).unwrap();
        for seed in 1..5 {
            let merged = run(&signers, seed).unwrap();
            assert_eq!(merged.without, 0);
            assert!(merged.quorum > 1, "nothing overlapped: {merged:?}");
            assert!(merged.quorum <= HIGHEST && merged.spreading <= HIGHEST, "{merged:?}");
            assert!(merged.longest >= merged.bytes / 60, "{merged:?}");
        }
    }
}
