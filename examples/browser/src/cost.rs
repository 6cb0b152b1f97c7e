//! Cost of collecting votes, in curve operations.
//!
//! The core does not count operations, so this model follows the algorithm documented in `quorate::certificate` step
//! by step: first the sum; if it fails, a search for the only bad vote, then halves, then single votes; suspects and
//! second votes one by one. The tests compare the model with the core: the blamed members, their order, and the vote that completes the
//! certificate.

use core::ops::AddAssign;
use std::collections::{BTreeMap, BTreeSet};

use quorate::certificate::DEFAULT_BATCH_THRESHOLD;

/// Maximum size of a group whose votes are verified one by one.
const LEAF: usize = 4;
/// Number of failed searches after which only halves are tried.
const FAILED_SEARCHES: u8 = 4;

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Pairings.
    pub pairings: u64,
    /// Messages hashed to the curve.
    pub hashes: u64,
    /// Point additions: signatures into a sum, keys into an aggregate.
    pub additions: u64,
    /// Short scalar multiplications, to find an invalid vote.
    pub multiplications: u64,
    /// Pairing equations checked.
    pub checks: u64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.pairings += other.pairings;
        self.hashes += other.hashes;
        self.additions += other.additions;
        self.multiplications += other.multiplications;
        self.checks += other.checks;
    }
}

impl Cost {
    /// A single vote.
    pub const SINGLE: Cost = Cost { pairings: 2, hashes: 1, additions: 0, multiplications: 0, checks: 1 };

    /// A certificate with this many signers of a committee of `n`, or the sum of their votes without computing the
    /// sum.
    pub fn certificate(n: usize, signers: usize) -> Cost {
        let keys = n.saturating_sub(signers).min(signers) as u64;
        Cost { pairings: 2, hashes: 1, additions: keys, multiplications: 0, checks: 1 }
    }

    fn sum(n: usize, votes: usize) -> Cost {
        let mut cost = Cost::certificate(n, votes);
        cost.additions += votes as u64;
        cost
    }

    /// The weighted sum, whose exponent points at a vote.
    fn search(votes: usize) -> Cost {
        Cost { pairings: 2, hashes: 0, additions: 0, multiplications: 2 * votes as u64, checks: 0 }
    }

    /// The proof that this vote is the only bad one: its own equation, and the sums without it.
    const PROOF: Cost = Cost { pairings: 2, hashes: 0, additions: 2, multiplications: 0, checks: 1 };
}

/// A vote held by the model.
#[derive(Clone, Copy, Debug)]
struct HeldVote {
    good: bool,
    status: VoteStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VoteStatus {
    Pending,
    Together,
    Alone,
}

/// A collector that counts operations instead of performing them.
#[derive(Debug)]
pub(crate) struct CostModel {
    n: usize,
    quorum: usize,
    held: BTreeMap<u16, HeldVote>,
    suspects: BTreeSet<u16>,
    settled: BTreeSet<u16>,
    confirmed: BTreeSet<u16>,
    failed_searches: u8,
    pub(crate) done: bool,
    pub(crate) cost: Cost,
    /// Blamed members, in order; a member with two invalid votes occurs twice.
    pub(crate) blamed: Vec<u16>,
}

impl CostModel {
    pub(crate) fn new(n: usize, quorum: usize) -> Self {
        Self {
            n,
            quorum,
            held: BTreeMap::new(),
            suspects: BTreeSet::new(),
            settled: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            failed_searches: 0,
            done: false,
            cost: Cost::default(),
            blamed: Vec::new(),
        }
    }

    /// Adds a member's first vote.
    pub(crate) fn vote(&mut self, member: u16, good: bool) {
        self.held.insert(member, HeldVote { good, status: VoteStatus::Pending });
        if !self.done && self.held.len() >= self.quorum {
            self.settle();
            self.done = self.verified() >= self.quorum;
        }
    }

    /// Adds a member's second, valid vote for another block.
    pub(crate) fn contradiction(&mut self, member: u16) {
        if self.settled.contains(&member) || !self.held.contains_key(&member) {
            return;
        }
        if self.confirm(member) {
            self.cost += Cost::SINGLE;
            self.settled.insert(member);
        }
    }

    fn verified(&self) -> usize {
        self.held.values().filter(|held| held.status != VoteStatus::Pending).count()
    }

    fn settle(&mut self) {
        let pending = self.held.iter().filter(|(_, held)| held.status == VoteStatus::Pending);
        let (doubtful, clean): (Vec<u16>, Vec<u16>) =
            pending.map(|(member, _)| *member).partition(|member| self.suspects.contains(member));
        let singles = if clean.len() >= DEFAULT_BATCH_THRESHOLD.max(2) {
            self.failed_searches = 0;
            let mut bad = Vec::new();
            self.bisect(&clean, false, &mut bad);
            for member in bad {
                self.blame(member);
                self.held.remove(&member);
            }
            doubtful
        } else {
            clean.into_iter().chain(doubtful).collect()
        };
        for member in singles {
            if self.verified() >= self.quorum {
                break;
            }
            self.confirm(member);
        }
    }

    fn good(&self, member: u16) -> bool {
        self.held.get(&member).is_some_and(|held| held.good)
    }

    fn promote(&mut self, member: u16, status: VoteStatus) {
        if let Some(held) = self.held.get_mut(&member) {
            held.status = status;
        }
    }

    fn accept(&mut self, votes: &[u16]) -> bool {
        self.cost += Cost::sum(self.n, votes.len());
        let good = votes.iter().all(|member| self.good(*member));
        if good {
            votes.iter().for_each(|member| self.promote(*member, VoteStatus::Together));
        }
        good
    }

    fn bisect(&mut self, votes: &[u16], known_bad: bool, bad: &mut Vec<u16>) -> bool {
        if votes.is_empty() {
            return true;
        }
        let is_leaf = votes.len() <= LEAF;
        let search = !is_leaf && self.failed_searches < FAILED_SEARCHES;
        if votes.len() > 1 && (search || !known_bad) {
            if self.accept(votes) {
                return true;
            }
            if search && self.all_but_one(votes, bad) {
                return false;
            }
        }
        if is_leaf {
            return self.one_by_one(votes, known_bad || votes.len() > 1, bad);
        }
        let (left, right) = votes.split_at(votes.len() / 2);
        let left_good = self.bisect(left, false, bad);
        self.bisect(right, left_good, bad);
        false
    }

    fn all_but_one(&mut self, votes: &[u16], bad: &mut Vec<u16>) -> bool {
        self.cost += Cost::search(votes.len());
        let wrong: Vec<u16> = votes.iter().copied().filter(|member| !self.good(*member)).collect();
        let [only] = wrong.as_slice() else {
            self.failed_searches += 1;
            return false;
        };
        self.cost += Cost::PROOF;
        for member in votes.iter().filter(|member| *member != only) {
            self.promote(*member, VoteStatus::Together);
        }
        bad.push(*only);
        true
    }

    fn one_by_one(&mut self, votes: &[u16], some_bad: bool, bad: &mut Vec<u16>) -> bool {
        let mut all_good = true;
        for (left, member) in (0..votes.len()).rev().zip(votes) {
            let inferred = some_bad && all_good && left == 0;
            if !inferred {
                self.cost += Cost::SINGLE;
            }
            if !inferred && self.good(*member) {
                self.promote(*member, VoteStatus::Alone);
            } else {
                all_good = false;
                bad.push(*member);
            }
        }
        all_good
    }

    fn confirm(&mut self, member: u16) -> bool {
        let Some(held) = self.held.get(&member).copied() else { return false };
        if held.status == VoteStatus::Alone || self.confirmed.contains(&member) {
            return true;
        }
        self.cost += Cost::SINGLE;
        if held.good {
            if held.status == VoteStatus::Pending {
                self.promote(member, VoteStatus::Alone);
            } else {
                self.confirmed.insert(member);
            }
            return true;
        }
        self.blame(member);
        if held.status == VoteStatus::Pending {
            self.held.remove(&member);
        } else {
            self.settled.insert(member);
        }
        false
    }

    fn blame(&mut self, member: u16) {
        self.suspects.insert(member);
        self.blamed.push(member);
    }
}
