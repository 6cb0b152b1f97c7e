//! Somebody who reads every link, and holds members to what they signed.
//!
//! A validator sees only what is sent to it: an equivocator that shows each half of the committee another block is
//! caught by none of them at first, and harmless. Whoever sees both blocks has the proof, and the core checks it.

use std::collections::{BTreeMap, BTreeSet};

use quorate::bls::MinSig;
use quorate::certificate::{Equivocation, Vote};
use quorate::ed25519::Ed25519;
use quorate_jolteon::{Block, Committees};

/// For so many views back signatures are kept.
const VIEWS: u64 = 64;

/// The auditor's files.
#[derive(Default)]
pub(crate) struct Auditor {
    votes: BTreeMap<(u64, u16), Vote<MinSig>>,
    proposals: BTreeMap<(u64, u16), Vote<Ed25519>>,
    convicted: BTreeSet<(u64, u16, &'static str)>,
}

impl Auditor {
    /// Files a vote. Answers with its signer if it contradicts one that is filed, and both signatures are good.
    pub(crate) fn vote(&mut self, vote: &Vote<MinSig>, committees: &Committees<MinSig>) -> Option<u16> {
        let (view, signer) = (vote.statement().view, vote.signer());
        let filed = self.votes.entry((view, signer)).or_insert_with(|| vote.clone());
        let evidence = Equivocation::new(filed.clone(), vote.clone());
        forget(&mut self.votes);
        // A forged vote is filed like any other; it proves nothing and convicts nobody.
        evidence.ok()?.verify(&committees.voters).ok()?;
        self.convicted.insert((view, signer, "votes")).then_some(signer)
    }

    /// Files a block's signature. Answers with its author if it signed another one for the same view.
    pub(crate) fn proposal(&mut self, block: &Block<MinSig>, committees: &Committees<MinSig>) -> Option<u16> {
        let proposal = block.proposal(committees);
        let (view, author) = (block.view, block.author);
        let filed = self.proposals.entry((view, author)).or_insert_with(|| proposal.clone());
        let evidence = Equivocation::new(filed.clone(), proposal);
        forget(&mut self.proposals);
        evidence.ok()?.verify(&committees.identities).ok()?;
        self.convicted.insert((view, author, "blocks")).then_some(author)
    }
}

/// Drops what is many views behind the newest.
fn forget<T>(files: &mut BTreeMap<(u64, u16), T>) {
    while let (Some(((oldest, _), _)), Some(((newest, _), _))) =
        (files.first_key_value(), files.last_key_value())
        && newest.saturating_sub(*oldest) > VIEWS
    {
        files.pop_first();
    }
}
