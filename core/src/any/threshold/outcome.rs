use alloc::vec::Vec;

use crate::machine::{Fault, MemberIndex};
use crate::threshold::combiner::{self, Instance};

/// Result of adding a share or an opening, see [`combiner::Outcome`].
#[must_use = "record the faults and request the wanted openings"]
#[derive(Debug)]
pub struct Outcome<S, E> {
    /// The signature, once available.
    pub signature: Option<S>,
    /// Members whose openings are needed; request them.
    pub wanted: Vec<MemberIndex>,
    /// Members that sent wrong shares, with evidence.
    pub faults: Vec<Fault<E>>,
}

impl<I: Instance, S: From<I::Signature>, E: From<I::Evidence>> From<combiner::Outcome<I>> for Outcome<S, E> {
    fn from(outcome: combiner::Outcome<I>) -> Self {
        let fault =
            |fault: Fault<I::Evidence>| Fault { culprit: fault.culprit, evidence: fault.evidence.into() };
        Self {
            signature: outcome.signature.map(S::from),
            wanted: outcome.wanted,
            faults: outcome.faults.into_iter().map(fault).collect(),
        }
    }
}
