//! Somebody who reads every link, and holds members to what they signed.
//!
//! A validator sees only what is sent to it: an equivocator that shows each half of the committee another block is
//! caught by none of them at first, and harmless. Whoever sees both blocks has the proof, and the core checks it.

use std::collections::{BTreeMap, BTreeSet};

use quorate::certificate::{Equivocation, Vote};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;

/// For so many views back signatures are kept.
const VIEWS: u64 = 64;

/// Where a signature is filed: view, kind, signer.
type StatementKey = (u64, u8, u16);

/// The auditor's files.
pub(crate) struct Auditor<S: Scheme> {
    votes: SignatureLog<S>,
    proposals: SignatureLog<Ed25519>,
}

struct SignatureLog<S: Scheme> {
    signed: BTreeMap<StatementKey, Vote<S>>,
    convicted: BTreeSet<StatementKey>,
}

impl<S: Scheme> Default for Auditor<S> {
    fn default() -> Self {
        Self { votes: SignatureLog::default(), proposals: SignatureLog::default() }
    }
}

impl<S: Scheme> Auditor<S> {
    /// Files a vote. Answers with its signer if it contradicts one that is filed, and both signatures are good.
    pub(crate) fn vote(&mut self, vote: &Vote<S>, voters: &Committee<S>) -> Option<u16> {
        self.votes.file(vote, voters)
    }

    /// Files a proposal's signature. Answers with its author if it signed another one for the same view.
    pub(crate) fn proposal(
        &mut self,
        proposal: &Vote<Ed25519>,
        identities: &Committee<Ed25519>,
    ) -> Option<u16> {
        self.proposals.file(proposal, identities)
    }
}

impl<S: Scheme> Default for SignatureLog<S> {
    fn default() -> Self {
        Self { signed: BTreeMap::new(), convicted: BTreeSet::new() }
    }
}

impl<S: Scheme> SignatureLog<S> {
    fn file(&mut self, vote: &Vote<S>, committee: &Committee<S>) -> Option<u16> {
        let place = (vote.statement().view, vote.statement().kind.number(), vote.signer());
        let filed = self.signed.entry(place).or_insert_with(|| vote.clone());
        let evidence = Equivocation::new(filed.clone(), vote.clone());
        while let (Some(((oldest, ..), _)), Some(((newest, ..), _))) =
            (self.signed.first_key_value(), self.signed.last_key_value())
            && newest.saturating_sub(*oldest) > VIEWS
        {
            self.signed.pop_first();
        }
        // A forged vote is filed like any other; it proves nothing and convicts nobody.
        evidence.ok()?.verify(committee).ok()?;
        self.convicted.insert(place).then_some(vote.signer())
    }
}
