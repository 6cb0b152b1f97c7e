use std::sync::Arc;

use quorate::certificate::{Certificate, Equivocation};
use quorate::machine::MemberIndex;
use quorate::sortition::{Lottery, Score, Seed};
use quorate_protocol::execution::StateCheck;

use super::{Effects, HighestPrepareQc, RETAINED_ROUNDS, Replica, VERIFIED_CERTIFICATES};
use crate::assembly::Added;
use crate::block::{Block, GosigScheme};
use crate::body::Segment;
use crate::finality::Finality;
use crate::interface::Evidence;
use crate::kinds::TENTATIVE;
use crate::message::Message;
use crate::proposal::Proposal;
use crate::rounds::Entry;

/// So many proposals for the height above the next wait at most.
const MAX_EARLY: usize = 32;

impl<S: GosigScheme> Replica<S> {
    /// A proposal, from its proposer or from somebody who passes it on.
    pub(super) fn on_proposal(
        &mut self,
        from: MemberIndex,
        proposal: Arc<Proposal<S>>,
        out: &mut Effects<S>,
    ) {
        let (round, height) = (proposal.round, proposal.block.height);
        let timely =
            round.saturating_add(RETAINED_ROUNDS) >= self.clock_round && round <= self.clock_round + 1;
        let known = self.rounds.get(&round).is_some_and(|state| state.contains(&proposal));
        if height <= self.tip.height {
            // Who proposes there has missed something.
            if proposal.proposer == from {
                self.help(from, out);
            }
            return;
        }
        if height > self.tip.height + 1 {
            self.sync.note(from, height - 1);
            if height == self.tip.height + 2 && timely {
                self.on_early(from, proposal, out);
            }
            return;
        }
        if !timely || known || self.succeeded {
            return;
        }
        if let Some(entry) = self.check_proposal(from, &proposal, out) {
            self.keep_entry(from, entry, out);
        }
    }

    /// A proposal for the height above the next. Its certificate may commit the block that this member still waits for;
    /// otherwise it is judged when that is committed.
    fn on_early(&mut self, from: MemberIndex, proposal: Arc<Proposal<S>>, out: &mut Effects<S>) {
        let known = self.early.get(&proposal.proposer).is_some_and(|(_, known)| *known == proposal);
        if known || proposal.round < self.clock_round {
            return;
        }
        if let Err(error) = proposal.vote(&self.committees).check(&self.committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a proposal", error });
            return;
        }
        if self.early.len() < MAX_EARLY || self.early.contains_key(&proposal.proposer) {
            self.early.insert(proposal.proposer, (from, proposal.clone()));
        }
        let certificate = proposal.certificate.as_ref().filter(|c| c.statement().kind == TENTATIVE);
        if let Some(certificate) = certificate {
            self.on_commitment(from, certificate, out);
        }
    }

    /// A commitment certificate that somebody shows: if its block is known, it is committed.
    fn on_commitment(&mut self, from: MemberIndex, certificate: &Certificate<S>, out: &mut Effects<S>) {
        let statement = *certificate.statement();
        let entry = self.rounds.values().find_map(|state| state.by_ballot(&statement.digest)).cloned();
        if let Some(entry) = entry
            && self.check_certificate(from, certificate, out)
        {
            self.learn_commit(&entry.proposal.block, entry.seed, certificate.clone());
        }
    }

    /// Proposals that came before the block below them was committed.
    pub(super) fn reconsider_early(&mut self, out: &mut Effects<S>) {
        for (_, (from, proposal)) in std::mem::take(&mut self.early) {
            self.on_proposal(from, proposal, out);
        }
    }

    /// Checks a proposal for the next height; what is cheap comes first. Whoever passes on what does not verify is as
    /// guilty as who made it, for honest members check first.
    fn check_proposal(
        &mut self,
        from: MemberIndex,
        proposal: &Arc<Proposal<S>>,
        out: &mut Effects<S>,
    ) -> Option<Entry<S>> {
        let (round, proposer) = (proposal.round, proposal.proposer);
        let block = &proposal.block;
        if self.rounds.get(&round).is_some_and(|state| state.is_liar(proposer)) {
            return None;
        }
        let vote = proposal.vote(&self.committees);
        if let Err(error) = vote.check(&self.committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a proposal", error });
            return None;
        }
        let score = self.check_ticket(from, proposal, out)?;
        if let Err(rule) = self.check_place(proposal) {
            out.fault(proposer, Evidence::Proposal { proposal: proposal.clone(), rule });
            return None;
        }
        let seed = self.check_seed(proposal, out)?;
        if let Some(certificate) = &proposal.certificate
            && !self.check_certificate(from, certificate, out)
        {
            return None;
        }
        if let StateCheck::Differs(computed) = self.execution.check(block.executed) {
            let evidence = Evidence::StateRoot { block: block.clone(), computed };
            out.fault(block.author, evidence);
            return None;
        }
        // From here on it is known that the proposer was drawn, so that these are few.
        let state = self.rounds.entry(round).or_default();
        if let Some(first) = state.compare(&vote) {
            state.exclude(proposer);
            if let Ok(evidence) = Equivocation::new(first, vote)
                && let Ok(evidence) = evidence.verify(&self.committees.identities)
            {
                out.fault(proposer, Evidence::Identity(Box::new(evidence)));
            }
        }
        Some(Entry::new(&self.committees, proposal.clone(), score, seed))
    }

    fn check_ticket(
        &mut self,
        from: MemberIndex,
        proposal: &Proposal<S>,
        out: &mut Effects<S>,
    ) -> Option<Score> {
        let (round, height) = (proposal.round, self.tip.height);
        if let Some(score) = self.rounds.get(&round).and_then(|state| state.score(height, &proposal.ticket)) {
            return Some(score);
        }
        let lottery =
            Lottery::new(self.committees.voters.clone(), self.tip.seed, round, self.schedule.proposers);
        match proposal.ticket.clone().verify(&lottery) {
            Ok(ticket) => {
                let score = ticket.score();
                let state = self.rounds.entry(round).or_default();
                state.note_ticket(height, ticket.into_inner(), score);
                Some(score)
            }
            Err(error) => {
                out.fault(from, Evidence::Invalid { what: "ticket of a proposer", error });
                None
            }
        }
    }

    /// Whether a proposal for the next height stands on this member's chain.
    fn check_place(&self, proposal: &Proposal<S>) -> Result<(), &'static str> {
        let block = &proposal.block;
        let stated = self.tip.last.as_ref().map_or(0, |(last, _)| last.executed.height);
        if block.parent != self.tip.digest {
            Err("a block that does not extend the committed one")
        } else if proposal.certificate.is_none() && self.tip.last.is_some() {
            Err("a proposal without a certificate")
        } else if block.executed.height < stated {
            Err("a block that states an older state than its parent")
        } else {
            Ok(())
        }
    }

    /// The seed after a proposal's block; only whoever made the block can be wrong about it, and whoever proposes it
    /// has checked it.
    fn check_seed(&mut self, proposal: &Arc<Proposal<S>>, out: &mut Effects<S>) -> Option<Seed> {
        let known = self.rounds.values().find_map(|state| state.by_block(&proposal.block.digest()));
        if let Some(known) = known {
            return Some(known.seed);
        }
        match self.tip.seed.next(&proposal.block.seed, &self.committees.voters) {
            Ok(seed) => Some(seed),
            Err(_) => {
                let rule = "a block whose proof of the seed is wrong";
                out.fault(proposal.proposer, Evidence::Proposal { proposal: proposal.clone(), rule });
                None
            }
        }
    }

    /// Whether a certificate is good; each is checked once. What is remembered is the certificate and not only its
    /// statement: a proposal whose certificate is bad must be refused by all, whatever else they have seen.
    pub(super) fn check_certificate(
        &mut self,
        from: MemberIndex,
        certificate: &Certificate<S>,
        out: &mut Effects<S>,
    ) -> bool {
        let is_tips = |(_, finality): &(_, Arc<Finality<S>>)| finality.certificate() == certificate;
        if self.verified.contains(certificate) || self.tip.last.as_ref().is_some_and(is_tips) {
            return true;
        }
        if let Err(error) = certificate.check(&self.committees.voters) {
            out.fault(from, Evidence::Invalid { what: "certificate of a proposal", error });
            return false;
        }
        self.remember(certificate.clone());
        true
    }

    pub(super) fn remember(&mut self, certificate: Certificate<S>) {
        self.verified.push_back(certificate);
        while self.verified.len() > VERIFIED_CERTIFICATES {
            self.verified.pop_front();
        }
    }

    /// Keeps a proposal of this member's own; whether it is worth passing on.
    pub(super) fn keep_proposal(&mut self, proposal: Arc<Proposal<S>>, out: &mut Effects<S>) -> bool {
        match self.check_proposal(proposal.proposer, &proposal, out) {
            Some(entry) => self.keep(entry),
            None => false,
        }
    }

    /// Keeps a proposal, and passes it on if it is the best, or repeats a block with a newer certificate: those who are
    /// locked on that block need it, whatever its score.
    fn keep_entry(&mut self, from: MemberIndex, entry: Entry<S>, out: &mut Effects<S>) {
        let proposal = entry.proposal.clone();
        if let Some(certificate) = proposal.certificate.as_ref().filter(|_| proposal.is_repeated()) {
            self.note_quorum(&proposal.block, certificate);
        }
        let mut told = Vec::new();
        if self.keep(entry) {
            told = self.tell_some(&[from, proposal.proposer], &Message::Proposal(proposal.clone()), out);
        }
        self.expect_body(&proposal, from);
        if let Some(assembly) = self.assemblies.get_mut(&proposal.block.digest()) {
            assembly.told = told;
        }
    }

    /// A quorum prepared a block of the next height; its certificate was checked.
    pub(super) fn note_quorum(&mut self, block: &Arc<Block<S>>, certificate: &Certificate<S>) {
        let known = self.highest_prepare_qc.as_ref().map_or(0, HighestPrepareQc::round);
        if block.height == self.tip.height + 1 && certificate.statement().view > known {
            self.highest_prepare_qc =
                Some(HighestPrepareQc { block: block.clone(), certificate: certificate.clone() });
        }
    }

    fn keep(&mut self, entry: Entry<S>) -> bool {
        let (proposal, height) = (entry.proposal.clone(), self.tip.height + 1);
        let state = self.rounds.entry(proposal.round).or_default();
        state.unknown.remove(&entry.ballot);
        let was_liar = state.is_liar(proposal.proposer);
        if !state.insert(entry) {
            return false;
        }
        let best = state.best(height).is_some_and(|best| best.proposal == proposal);
        let newer = proposal.is_repeated() && proposal.certified_round() > state.passed;
        if newer {
            state.passed = proposal.certified_round();
        }
        // What shows that a proposer contradicts itself is worth knowing, too.
        best || newer || was_liar
    }

    /// A part of a body. Only those of the blocks that this member may prepare are looked at.
    pub(super) fn on_segment(&mut self, from: MemberIndex, segment: Arc<Segment>, out: &mut Effects<S>) {
        let (block, round, signer) = (segment.block, segment.round, segment.signer);
        let proposed = |entry: &Entry<S>| {
            let proposal = &entry.proposal;
            proposal.block.digest() == block && proposal.proposer == signer
        };
        let state = self.rounds.get(&round);
        if !state.is_some_and(|state| state.entries().iter().any(proposed)) {
            return;
        }
        let Some(assembly) = self.assemblies.get_mut(&block) else { return };
        if !assembly.wants_segments(signer) || assembly.has_segment(&segment) {
            return;
        }
        if let Err(error) = segment.vote(&self.committees).check(&self.committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a segment", error });
            return;
        }
        match assembly.add_segment(&segment) {
            Added::New => {
                assembly.hint = Some(from);
                assembly.asked = Some(self.now.plus(self.parameters.transaction_delay));
                for peer in assembly.told.iter().filter(|peer| **peer != from && **peer != signer) {
                    out.send(*peer, Message::Segment(segment.clone()));
                }
            }
            Added::Known => {}
            Added::Broken(rule) => {
                assembly.disbelieve(signer);
                if let Some(state) = self.rounds.get_mut(&round) {
                    state.exclude(signer);
                }
                out.fault(signer, Evidence::Body { block, rule });
            }
        }
    }

    /// Somebody has votes for a block that it does not know.
    pub(super) fn on_proposal_request(
        &mut self,
        from: MemberIndex,
        round: u64,
        ballot: &[u8; 32],
        out: &mut Effects<S>,
    ) {
        let entry = self.rounds.get(&round).and_then(|state| state.by_ballot(ballot));
        let Some(proposal) = entry.map(|entry| entry.proposal.clone()) else { return };
        let charge = 256 + usize::from(self.committees.voters.len());
        if self.sync.afford(self.now, from, charge, &self.parameters) {
            out.send(from, Message::Proposal(proposal));
        }
    }

    /// A proposer whose block states a state that this member computed otherwise, found out late.
    pub(super) fn accuse_state(&mut self, entry: &Entry<S>, out: &mut Effects<S>) -> bool {
        let block = &entry.proposal.block;
        let StateCheck::Differs(computed) = self.execution.check(block.executed) else { return false };
        if let Some(state) = self.rounds.get_mut(&entry.proposal.round) {
            state.exclude(entry.proposal.proposer);
        }
        out.fault(block.author, Evidence::StateRoot { block: block.clone(), computed });
        true
    }
}
