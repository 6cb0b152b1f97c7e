//! An observer of all links that detects equivocation.
//!
//! A validator sees only the messages sent to it: an equivocator that sends a different block to each half of the
//! committee is at first undetected, and harmless. An observer of both blocks has the proof, which the core verifies.

use std::collections::{BTreeMap, BTreeSet};

use quorate::certificate::{Equivocation, Vote};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;

/// Number of past views whose signatures are kept.
const VIEWS: u64 = 64;

/// Key of a signature: view, kind, signer.
type StatementKey = (u64, u8, u16);

/// An observer of all links and the signatures it saw.
pub(crate) struct Auditor<S: Scheme> {
    votes: SignatureLog<S>,
    proposals: SignatureLog<Ed25519>,
}

struct SignatureLog<S: Scheme> {
    signed: BTreeMap<StatementKey, Vote<S>>,
    reported: BTreeSet<StatementKey>,
}

impl<S: Scheme> Default for Auditor<S> {
    fn default() -> Self {
        Self { votes: SignatureLog::default(), proposals: SignatureLog::default() }
    }
}

impl<S: Scheme> Auditor<S> {
    /// Records a vote. Returns its signer if it contradicts a recorded vote and both signatures are valid.
    pub(crate) fn vote(&mut self, vote: &Vote<S>, voters: &Committee<S>) -> Option<u16> {
        self.votes.record(vote, voters)
    }

    /// Records a proposal's signature. Returns its author if it signed another proposal for the same view.
    pub(crate) fn proposal(
        &mut self,
        proposal: &Vote<Ed25519>,
        identities: &Committee<Ed25519>,
    ) -> Option<u16> {
        self.proposals.record(proposal, identities)
    }
}

impl<S: Scheme> Default for SignatureLog<S> {
    fn default() -> Self {
        Self { signed: BTreeMap::new(), reported: BTreeSet::new() }
    }
}

impl<S: Scheme> SignatureLog<S> {
    fn record(&mut self, vote: &Vote<S>, committee: &Committee<S>) -> Option<u16> {
        let key = (vote.statement().view, vote.statement().kind.number(), vote.signer());
        let recorded = self.signed.entry(key).or_insert_with(|| vote.clone());
        let evidence = Equivocation::new(recorded.clone(), vote.clone());
        while let (Some(((oldest, ..), _)), Some(((newest, ..), _))) =
            (self.signed.first_key_value(), self.signed.last_key_value())
            && newest.saturating_sub(*oldest) > VIEWS
        {
            self.signed.pop_first();
        }
        // A forged vote is recorded like any other; it is no evidence against its alleged signer.
        evidence.ok()?.verify(committee).ok()?;
        self.reported.insert(key).then_some(vote.signer())
    }
}
