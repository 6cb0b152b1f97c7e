//! How a member collects the shares of one statement.

use std::fmt::{self, Debug};
use std::sync::Arc;

use quorate::machine::{Fault, Machine, MemberIndex, Step};
use quorate::threshold::Combiner;
use quorate::threshold::combiner::{Counts, Instance, Outcome};
use quorate::threshold::lagrange::Cache;
use quorate::{Error, Result};

use super::scheme::{Collected, ShareCollector, ThresholdScheme};
use crate::violation::Violation;

/// Shares of one instance, combined optimistically (the paper's section II.A.2): they are verified only if their
/// combination fails, at most t + f of them.
pub struct Shares<I: Instance> {
    combiner: Combiner<I>,
    cache: Cache<I::Scalar>,
}

impl<I: Instance> Shares<I> {
    pub(super) fn new(instance: I) -> Self {
        Self { combiner: Combiner::new(instance), cache: Cache::default() }
    }

    /// Returns the number of combinations and of verified shares.
    pub fn counts(&self) -> Counts {
        self.combiner.counts()
    }

    pub(super) fn add(&mut self, from: MemberIndex, share: I::Share) -> Result<Outcome<I>> {
        self.combiner.add(&mut self.cache, from, share)
    }

    pub(super) fn open(&mut self, from: MemberIndex, opening: &I::Opening) -> Result<Outcome<I>> {
        self.combiner.open(&mut self.cache, from, opening)
    }
}

impl<I: Instance> Debug for Shares<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shares({:?})", self.counts())
    }
}

/// Translates the result of a combiner.
pub(super) fn collected<I: Instance, S: ThresholdScheme>(
    outcome: Outcome<I>,
    wrap: impl Fn(I::Signature) -> S::Signature,
    encode: impl Fn(&I::Evidence) -> Vec<u8>,
) -> Collected<S> {
    let Outcome { signature, wanted, faults } = outcome;
    let encoded =
        |fault: Fault<I::Evidence>| Fault { culprit: fault.culprit, evidence: encode(&fault.evidence) };
    Collected { signature: signature.map(wrap), wanted, faults: faults.into_iter().map(encoded).collect() }
}

/// The collector of a machine, which turns wrong shares into faults of their senders.
pub(crate) struct Collector<S: ThresholdScheme> {
    what: &'static str,
    collector: S::Collector,
    is_complete: bool,
    is_in_doubt: bool,
}

impl<S: ThresholdScheme> Collector<S> {
    /// Creates a collector; `what` names the operation in faults.
    pub(crate) fn new(what: &'static str, key: &Arc<S::GroupKey>, statement: &[u8]) -> Self {
        Self { what, collector: S::collector(key, statement), is_complete: false, is_in_doubt: false }
    }

    /// Returns true if a combination failed: openings or further shares may name the members whose shares are wrong, also
    /// when the signature exists.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.is_in_doubt
    }

    /// Adds a share that a link delivered from `from`. Returns the signature when this share completes it; adds to `wanted`
    /// the members whose openings are needed.
    pub(crate) fn add<M: Machine<Fault = Violation>>(
        &mut self,
        from: MemberIndex,
        share: S::Share,
        wanted: &mut Vec<MemberIndex>,
        step: &mut Step<M>,
    ) -> Option<S::Signature> {
        match self.collector.add(from, share) {
            Ok(collected) => self.collect(collected, wanted, step),
            // A repeated message is not a violation: links may deliver twice.
            Err(Error::DuplicateSigner { .. } | Error::BadShare { .. }) => None,
            Err(error) => {
                step.fault(from, Violation::Invalid { what: self.what, error });
                None
            }
        }
    }

    /// Adds the opening of a member's share. Returns the signature when this opening completes it.
    pub(crate) fn open<M: Machine<Fault = Violation>>(
        &mut self,
        from: MemberIndex,
        opening: &S::Opening,
        wanted: &mut Vec<MemberIndex>,
        step: &mut Step<M>,
    ) -> Option<S::Signature> {
        match self.collector.open(from, opening) {
            Ok(collected) => self.collect(collected, wanted, step),
            Err(error) => {
                step.fault(from, Violation::Invalid { what: self.what, error });
                None
            }
        }
    }

    fn collect<M: Machine<Fault = Violation>>(
        &mut self,
        collected: Collected<S>,
        wanted: &mut Vec<MemberIndex>,
        step: &mut Step<M>,
    ) -> Option<S::Signature> {
        for Fault { culprit, evidence } in collected.faults {
            step.fault(culprit, Violation::WrongShare { what: self.what, evidence });
        }
        self.is_in_doubt |= !collected.wanted.is_empty();
        wanted.extend(collected.wanted);
        let had = self.is_complete;
        self.is_complete |= collected.signature.is_some();
        collected.signature.filter(|_| !had)
    }
}
