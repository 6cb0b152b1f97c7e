//! Stage I: proposals and segments of other members.

use std::sync::Arc;

use quorate::certificate::{Certificate, Equivocation};
use quorate::machine::MemberIndex;
use quorate::sortition::{Lottery, Score, Seed};
use quorate_protocol::execution::StateCheck;

use super::effects::Effects;
use super::limits::RETAINED_ROUNDS;
use super::phase::Phase;
use super::state::{HighestPrepareQc, Replica};
use crate::assembly::Added;
use crate::block::{Block, GosigScheme};
use crate::body::Segment;
use crate::finality::Finality;
use crate::interface::Evidence;
use crate::kinds::TENTATIVE;
use crate::message::Message;
use crate::proposal::Proposal;
use crate::rounds::ValidProposal;

/// Maximum number of proposals for the height above the next that wait for a commit.
const MAX_EARLY: usize = 32;
/// Maximum number of verified certificates that are remembered.
const MAX_VERIFIED: usize = 32;

impl<S: GosigScheme> Replica<S> {
    /// Handles a proposal, from its proposer or from a member that forwards it.
    pub(super) fn on_proposal(
        &mut self,
        from: MemberIndex,
        proposal: Arc<Proposal<S>>,
        out: &mut Effects<S>,
    ) {
        let (round, height, next) = (proposal.round, proposal.block.height, self.chain.tip.height + 1);
        let timely =
            round.saturating_add(RETAINED_ROUNDS) >= self.rounds.clock && round <= self.rounds.clock + 1;
        if height < next {
            // A member that proposes at a committed height is behind.
            if proposal.proposer == from {
                self.send_welcome(from, out);
                self.check_committed_parent(from, &proposal, out);
            }
            return;
        }
        if height > next {
            self.sync.record_height(from, height - 1);
            if height == next + 1 && timely {
                self.on_early_proposal(from, proposal, out);
            }
            return;
        }
        if proposal.block.parent != self.chain.tip.digest {
            // Before the ticket, which depends on the proposer's chain.
            self.check_committed_parent(from, &proposal, out);
        }
        let known = self.rounds.states.get(&round).is_some_and(|state| state.contains(&proposal));
        if !timely || known || self.phase == Phase::Succeeded {
            return;
        }
        if let Some(valid) = self.check_proposal(from, &proposal, out) {
            self.insert_and_forward(from, valid, out);
        }
    }

    /// Handles a proposal for the height above the next. Its certificate may commit the block that this member waits for;
    /// otherwise it is checked once that block is committed.
    fn on_early_proposal(&mut self, from: MemberIndex, proposal: Arc<Proposal<S>>, out: &mut Effects<S>) {
        let known = self.rounds.early.get(&proposal.proposer).is_some_and(|(_, known)| *known == proposal);
        if known || proposal.round < self.rounds.clock {
            return;
        }
        let committees = &self.identity.committees;
        if let Err(error) = proposal.vote(committees).check(&committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a proposal", error });
            return;
        }
        let early = &mut self.rounds.early;
        if early.len() < MAX_EARLY || early.contains_key(&proposal.proposer) {
            early.insert(proposal.proposer, (from, proposal.clone()));
        }
        let certificate = proposal.certificate.as_ref().filter(|c| c.statement().kind == TENTATIVE);
        if let Some(certificate) = certificate {
            self.on_shown_certificate(from, certificate, out);
        }
    }

    /// Handles a commitment certificate that a member shows: commits its block if that is known.
    fn on_shown_certificate(
        &mut self,
        from: MemberIndex,
        certificate: &Certificate<S>,
        out: &mut Effects<S>,
    ) {
        let statement = *certificate.statement();
        let known = self.rounds.states.values().find_map(|state| state.by_ballot(&statement.digest)).cloned();
        if let Some(known) = known
            && self.check_certificate(from, certificate, out)
        {
            self.on_commit_certificate(&known.proposal.block, known.seed, certificate.clone());
        }
    }

    /// Handles the proposals that waited for a commit.
    pub(super) fn reconsider_early(&mut self, out: &mut Effects<S>) {
        for (_, (from, proposal)) in std::mem::take(&mut self.rounds.early) {
            self.on_proposal(from, proposal, out);
        }
    }

    /// Checks a proposal for the next height, cheap checks first. A member that forwards an invalid proposal is at fault
    /// like its proposer: honest members check before they forward.
    fn check_proposal(
        &mut self,
        from: MemberIndex,
        proposal: &Arc<Proposal<S>>,
        out: &mut Effects<S>,
    ) -> Option<ValidProposal<S>> {
        let (round, proposer) = (proposal.round, proposal.proposer);
        let block = &proposal.block;
        if self.rounds.states.get(&round).is_some_and(|state| state.is_excluded(proposer)) {
            return None;
        }
        let vote = proposal.vote(&self.identity.committees);
        if let Err(error) = vote.check(&self.identity.committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a proposal", error });
            return None;
        }
        let score = self.check_ticket(from, proposal, out)?;
        if let Err(rule) = self.check_parent(proposal) {
            out.fault(proposer, Evidence::Proposal { proposal: proposal.clone(), rule });
            return None;
        }
        let seed = self.check_seed(proposal, out)?;
        if let Some(certificate) = &proposal.certificate
            && !self.check_certificate(from, certificate, out)
        {
            return None;
        }
        if let StateCheck::Differs(computed) = self.chain.execution.check(block.executed) {
            let evidence = Evidence::StateRoot { block: block.clone(), computed };
            out.fault(block.author, evidence);
            return None;
        }
        // The proposer's ticket has won, so there are few such proposals.
        let state = self.rounds.states.entry(round).or_default();
        if let Some(first) = state.first_contradicted(&vote) {
            state.exclude(proposer);
            if let Ok(evidence) = Equivocation::new(first, vote)
                && let Ok(evidence) = evidence.verify(&self.identity.committees.identities)
            {
                out.fault(proposer, Evidence::Identity(Box::new(evidence)));
            }
        }
        Some(ValidProposal::new(&self.identity.committees, proposal.clone(), score, seed))
    }

    fn check_ticket(
        &mut self,
        from: MemberIndex,
        proposal: &Proposal<S>,
        out: &mut Effects<S>,
    ) -> Option<Score> {
        let (round, height) = (proposal.round, self.chain.tip.height);
        let state = self.rounds.states.get(&round);
        if let Some(score) = state.and_then(|state| state.score(height, &proposal.ticket)) {
            return Some(score);
        }
        let voters = self.identity.committees.voters.clone();
        let lottery = Lottery::new(voters, self.chain.tip.seed, round, self.schedule.proposers);
        match proposal.ticket.clone().verify(&lottery) {
            Ok(ticket) => {
                let score = ticket.score();
                let state = self.rounds.states.entry(round).or_default();
                state.insert_ticket(height, ticket.into_inner(), score);
                Some(score)
            }
            Err(error) => {
                out.fault(from, Evidence::Invalid { what: "ticket of a proposer", error });
                None
            }
        }
    }

    /// Checks that a proposal for the next height extends this member's chain.
    fn check_parent(&self, proposal: &Proposal<S>) -> Result<(), &'static str> {
        let (block, tip) = (&proposal.block, &self.chain.tip);
        let stated = tip.last.as_ref().map_or(0, |(last, _)| last.executed.height);
        if block.parent != tip.digest {
            Err("a block that does not extend the committed one")
        } else if proposal.certificate.is_none() && tip.last.is_some() {
            Err("a proposal without a certificate")
        } else if block.executed.height < stated {
            Err("a block that states an older state than its parent")
        } else {
            Ok(())
        }
    }

    /// Returns the seed after a proposal's block. A wrong seed proof is the author's fault, and also that of each proposer,
    /// who must have checked it.
    fn check_seed(&mut self, proposal: &Arc<Proposal<S>>, out: &mut Effects<S>) -> Option<Seed> {
        let digest = proposal.block.digest();
        if let Some(known) = self.rounds.states.values().find_map(|state| state.by_block(&digest)) {
            return Some(known.seed);
        }
        match self.chain.tip.seed.next(&proposal.block.seed, &self.identity.committees.voters) {
            Ok(seed) => Some(seed),
            Err(_) => {
                let rule = "a block whose proof of the seed is wrong";
                out.fault(proposal.proposer, Evidence::Proposal { proposal: proposal.clone(), rule });
                None
            }
        }
    }

    /// Verifies a certificate, each one once.
    ///
    /// The cache holds whole certificates and not only their statements: all members must refuse a proposal with an invalid
    /// certificate, independently of earlier messages.
    fn check_certificate(
        &mut self,
        from: MemberIndex,
        certificate: &Certificate<S>,
        out: &mut Effects<S>,
    ) -> bool {
        let is_tips = |(_, finality): &(_, Arc<Finality<S>>)| finality.certificate() == certificate;
        let is_known = self.rounds.verified.contains(certificate);
        if is_known || self.chain.tip.last.as_ref().is_some_and(is_tips) {
            return true;
        }
        if let Err(error) = certificate.check(&self.identity.committees.voters) {
            out.fault(from, Evidence::Invalid { what: "certificate of a proposal", error });
            return false;
        }
        self.remember_certificate(certificate.clone());
        true
    }

    /// Adds a verified certificate to the cache.
    pub(super) fn remember_certificate(&mut self, certificate: Certificate<S>) {
        self.rounds.verified.push_back(certificate);
        while self.rounds.verified.len() > MAX_VERIFIED {
            self.rounds.verified.pop_front();
        }
    }

    /// Inserts this member's own proposal. Returns true if it should be sent to other members.
    pub(super) fn insert_own_proposal(&mut self, proposal: Arc<Proposal<S>>, out: &mut Effects<S>) -> bool {
        match self.check_proposal(proposal.proposer, &proposal, out) {
            Some(valid) => self.insert(valid),
            None => false,
        }
    }

    /// Inserts a proposal and forwards it if it should be forwarded.
    fn insert_and_forward(&mut self, from: MemberIndex, valid: ValidProposal<S>, out: &mut Effects<S>) {
        let proposal = valid.proposal.clone();
        if let Some(certificate) = proposal.certificate.as_ref().filter(|_| proposal.is_repeated()) {
            self.on_prepare_certificate(&proposal.block, certificate);
        }
        let mut forwarded_to = Vec::new();
        if self.insert(valid) {
            let but = [from, proposal.proposer];
            forwarded_to = self.send_to_some(&but, &Message::Proposal(proposal.clone()), out);
        }
        self.expect_proposed_body(&proposal, from);
        if let Some(assembly) = self.assemblies.get_mut(&proposal.block.digest()) {
            assembly.forwarded_to = forwarded_to;
        }
    }

    /// Handles a verified PREPARE certificate of a block of the next height.
    pub(super) fn on_prepare_certificate(&mut self, block: &Arc<Block<S>>, certificate: &Certificate<S>) {
        let known = self.chain.highest_prepare_qc.as_ref().map_or(0, HighestPrepareQc::round);
        if block.height == self.chain.tip.height + 1 && certificate.statement().view > known {
            let (block, certificate) = (block.clone(), certificate.clone());
            self.chain.highest_prepare_qc = Some(HighestPrepareQc { block, certificate });
        }
    }

    /// Inserts a proposal. Returns true if it should be forwarded: it is the best, repeats a block with a newer certificate,
    /// or shows an equivocation. Members that are locked on a repeated block need it, at any score.
    fn insert(&mut self, valid: ValidProposal<S>) -> bool {
        let (proposal, height) = (valid.proposal.clone(), self.chain.tip.height + 1);
        let state = self.rounds.states.entry(proposal.round).or_default();
        state.requested.remove(&valid.ballot);
        let shows_equivocation = state.is_excluded(proposal.proposer);
        if !state.insert(valid) {
            return false;
        }
        let is_best = state.best(height).is_some_and(|best| best.proposal == proposal);
        let is_newer = proposal.is_repeated() && proposal.certified_round() > state.forwarded_round;
        if is_newer {
            state.forwarded_round = proposal.certified_round();
        }
        is_best || is_newer || shows_equivocation
    }

    /// Handles a segment of a body. Only bodies of blocks that this member may prepare are collected.
    pub(super) fn on_segment(&mut self, from: MemberIndex, segment: Arc<Segment>, out: &mut Effects<S>) {
        let (block, round, signer) = (segment.block, segment.round, segment.signer);
        let is_proposed = |known: &ValidProposal<S>| {
            let proposal = &known.proposal;
            proposal.block.digest() == block && proposal.proposer == signer
        };
        let state = self.rounds.states.get(&round);
        if !state.is_some_and(|state| state.proposals().iter().any(is_proposed)) {
            return;
        }
        let Some(assembly) = self.assemblies.get_mut(&block) else { return };
        if !assembly.wants_segments(signer) || assembly.has_segment(&segment) {
            return;
        }
        let committees = &self.identity.committees;
        if let Err(error) = segment.vote(committees).check(&committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a segment", error });
            return;
        }
        match assembly.add_segment(&segment) {
            Added::New => {
                assembly.hint = Some(from);
                assembly.due = Some(self.now.plus(self.parameters.transaction_delay));
                for peer in assembly.forwarded_to.iter().filter(|peer| **peer != from && **peer != signer) {
                    out.send(*peer, Message::Segment(segment.clone()));
                }
            }
            Added::Known => {}
            Added::Invalid(rule) => {
                assembly.reject_signer(signer);
                if let Some(state) = self.rounds.states.get_mut(&round) {
                    state.exclude(signer);
                }
                out.fault(signer, Evidence::Body { block, rule });
            }
        }
    }

    /// Handles a request for the proposal of a block that votes name.
    pub(super) fn on_proposal_request(
        &mut self,
        from: MemberIndex,
        round: u64,
        ballot: &[u8; 32],
        out: &mut Effects<S>,
    ) {
        let known = self.rounds.states.get(&round).and_then(|state| state.by_ballot(ballot));
        let Some(proposal) = known.map(|known| known.proposal.clone()) else { return };
        let charge = 256 + usize::from(self.identity.committees.voters.len());
        if self.sync.try_serve(self.now, from, charge, &self.parameters) {
            out.send(from, Message::Proposal(proposal));
        }
    }

    /// Reports a block that states another state than this member computed, if it learnt that only after it had accepted
    /// the proposal.
    pub(super) fn accuse_state(&mut self, known: &ValidProposal<S>, out: &mut Effects<S>) -> bool {
        let block = &known.proposal.block;
        let StateCheck::Differs(computed) = self.chain.execution.check(block.executed) else { return false };
        if let Some(state) = self.rounds.states.get_mut(&known.proposal.round) {
            state.exclude(known.proposal.proposer);
        }
        out.fault(block.author, Evidence::StateRoot { block: block.clone(), computed });
        true
    }
}
