//! Stage II: signing PREPARE and TENTATIVE, and collecting and gossiping signatures.

use core::time::Duration;
use std::collections::btree_map::Entry;

use quorate::certificate::{Certificate, Kind, Vote};
use quorate::committee::Verified;
use quorate::gossip::{Aggregate, Gossip, Received};
use quorate::machine::{MemberIndex, Time};
use quorate_protocol::execution::StateCheck;

use super::effects::Effects;
use super::phase::{Phase, VoteStep};
use super::state::{HighestPrepareQc, Replica};
use crate::block::GosigScheme;
use crate::decide::{Candidate, Decision, decide_block};
use crate::digests::{BlockDigest, PayloadDigest};
use crate::interface::{Evidence, Output};
use crate::kinds::{PREPARE, TENTATIVE};
use crate::membership::MAX_CHANGES;
use crate::message::Message;
use crate::record::Record;
use crate::rounds::ValidProposal;
use crate::safety::Prepared;

/// Bytes that surround a message on a link: its kind and epoch, a frame, the seal of the link.
const FRAME: usize = 64;
/// Maximum number of unknown blocks of a round whose proposals are requested.
const MAX_UNKNOWN: usize = 8;
/// Pause until the member looks again for a peer to send signatures to.
pub(super) const GOSSIP_INTERVAL: Duration = Duration::from_millis(20);
/// Minimum pause of that kind, while messages are leaving.
const MIN_GOSSIP_INTERVAL: Duration = Duration::from_millis(1);

impl<S: GosigScheme> Replica<S> {
    /// Prepares the block that DecideBlock names, if it names one.
    ///
    /// That happens once per round: as soon as Stage II begins, or later if nothing could be prepared then.
    pub(super) fn prepare(&mut self, out: &mut Effects<S>) {
        let (round, height) = (self.rounds.clock, self.chain.tip.height + 1);
        if !self.sync.queue().is_empty() {
            return;
        }
        let Some(valid) = self.decidable_proposals(round, height, out) else { return };
        let lock = self.safety.lock().filter(|lock| lock.height == height);
        let lock = lock.map(|lock| (lock.block, lock.round()));
        let candidates: Vec<_> = valid
            .iter()
            .map(|known| Candidate {
                block: known.proposal.block.digest(),
                certified: known.proposal.certified_round(),
                score: known.score,
            })
            .collect();
        let decision = decide_block(lock, &candidates);
        let (Decision::Prepare(place) | Decision::Release(place) | Decision::Renew(place)) = decision else {
            return;
        };
        let Some(chosen) = valid.get(place) else { return };
        let proposal = chosen.proposal.clone();
        let digest = proposal.block.digest();
        let committees = &self.identity.committees;
        let Ok((vote, record)) = self.safety.prepare(committees, round, height, digest) else { return };
        match decision {
            Decision::Release(_) => self.release_lock(out),
            Decision::Renew(_) => {
                if let Some(certificate) = &proposal.certificate {
                    self.safety.renew(certificate);
                }
            }
            Decision::Prepare(_) | Decision::Nothing => {}
        }
        self.phase = Phase::Voting(VoteStep::Prepared);
        out.persist(Record::VoteGuard(record));
        self.expect_proposed_body(&proposal, proposal.proposer);
        self.cast(vote, out);
    }

    /// Returns the valid proposals of a round, or `None` if the member cannot decide among them now: it must know the state
    /// that the best one states and, without pipelining of stages, hold its transactions.
    fn decidable_proposals(
        &mut self,
        round: u64,
        height: u64,
        out: &mut Effects<S>,
    ) -> Option<Vec<ValidProposal<S>>> {
        let state = self.rounds.states.get(&round)?;
        let at_height = |known: &&ValidProposal<S>| known.proposal.block.height == height;
        let mut valid: Vec<ValidProposal<S>> = state.eligible().filter(at_height).cloned().collect();
        valid.retain(|known| !self.accuse_state(known, out));
        if !self.parameters.stage_pipelining {
            let is_complete = |known: &ValidProposal<S>| {
                let assembly = self.assemblies.get(&known.proposal.block.digest());
                assembly.is_some_and(|assembly| assembly.payload().is_some())
            };
            valid.retain(is_complete);
        }
        let stated = self.chain.tip.last.as_ref().map(|(block, _)| block.executed);
        let is_agreed = |known: &ValidProposal<S>| {
            let executed = known.proposal.block.executed;
            // Honest members compared the state when a quorum prepared the block. A member that restarted may not know
            // that state any more.
            let checked_by_quorum = stated == Some(executed) || known.proposal.is_repeated();
            checked_by_quorum || self.chain.execution.check(executed) == StateCheck::Matches
        };
        let best = valid.iter().min_by_key(|known| (known.score, known.proposal.block.digest()))?;
        if !is_agreed(best) {
            // Execution is behind; the member decides once it knows the state.
            return None;
        }
        valid.retain(is_agreed);
        Some(valid)
    }

    /// Gives up the lock, as DecideBlock decided.
    fn release_lock(&mut self, out: &mut Effects<S>) {
        let Some(lock) = self.safety.release() else { return };
        out.persist(Record::Lock(None));
        self.prune_lock(lock.block, None, out);
    }

    /// Reports the records of a formerly locked block as obsolete, except a payload that the committed block shares.
    pub(super) fn prune_lock(
        &mut self,
        block: BlockDigest,
        committed: Option<PayloadDigest>,
        out: &mut Effects<S>,
    ) {
        let locked = self.chain.locked.take().filter(|locked| locked.digest() == block);
        let Some(locked) = locked else { return };
        let payload = locked.payload.digest();
        out.output(Output::PruneBlocks(vec![block]));
        let is_needed = committed == Some(payload) || self.transactions.pool.is_own(&payload);
        if !is_needed && !locked.payload.is_empty() {
            out.output(Output::PrunePayloads(vec![payload]));
        }
    }

    /// Commits tentatively the block that this member prepared last, if a quorum prepared it and all its transactions are
    /// here: sets the lock and signs TENTATIVE.
    pub(super) fn commit_tentatively(&mut self, out: &mut Effects<S>) {
        let Some(Prepared { round, height, block }) = self.safety.prepared() else { return };
        if height != self.chain.tip.height + 1 || round <= self.safety.tentative_round() {
            return;
        }
        let ballot = self.identity.committees.ballot(height, block);
        let Some(state) = self.rounds.states.get(&round) else { return };
        let Some(gossip) = state.votes.get(&(PREPARE, ballot)) else { return };
        let Some(certificate) = gossip.certificate().map(|certificate| (**certificate).clone()) else {
            return;
        };
        let Some(header) = state.by_block(&block).map(|known| known.proposal.block.clone()) else { return };
        let payload = self.assemblies.get(&block).and_then(|assembly| assembly.payload()).cloned();
        // A block with more changes is not valid: its commit would cost each member a verification for each of them.
        let Some(payload) = payload.filter(|payload| payload.changes() <= MAX_CHANGES) else { return };
        let before = self.safety.lock().map(|lock| lock.block).filter(|before| *before != block);
        let committees = &self.identity.committees;
        let Ok((vote, record)) = self.safety.commit_tentatively(committees, certificate) else { return };
        if round == self.rounds.clock {
            self.phase = Phase::Voting(VoteStep::Tentative);
        }
        if let Some(before) = before {
            self.prune_lock(before, Some(payload.digest()), out);
        }
        if self.chain.locked.as_ref().is_none_or(|locked| locked.digest() != block) {
            if !payload.is_empty() {
                out.persist(Record::Payload(payload));
            }
            out.persist(Record::Block(header.clone()));
            self.chain.locked = Some(header);
        }
        out.persist(Record::Lock(self.safety.lock().cloned().map(Box::new)));
        out.persist(Record::VoteGuard(record));
        self.cast(vote, out);
    }

    /// Adds this member's own vote to the signatures that it gossips.
    fn cast(&mut self, vote: Vote<S>, out: &mut Effects<S>) {
        let statement = *vote.statement();
        // The vote was made with the member's own key; verifying it gives the type that the gossip requires.
        let Ok(vote) = vote.verify(&self.identity.committees.voters) else { return };
        if let Some(gossip) = self.gossip(statement.kind, statement.view, statement.digest) {
            // The committee and the statement match, so this cannot fail.
            let _ = gossip.vote(&vote);
        }
        if !self.parameters.aggregation {
            self.broadcast_vote(&vote, out);
        }
    }

    /// Sends this member's signature to all members, for a member that does not aggregate.
    fn broadcast_vote(&mut self, vote: &Verified<Vote<S>>, out: &mut Effects<S>) {
        if let Ok(aggregate) = Aggregate::from_vote(vote, &self.identity.committees.voters) {
            out.broadcast(Message::Signatures(vec![aggregate.into_inner()]));
        }
    }

    /// Returns the collected signatures on a block, if its proposal is known.
    fn gossip(&mut self, kind: Kind, round: u64, ballot: [u8; 32]) -> Option<&mut Gossip<S>> {
        let me = self.identity.me?;
        let state = self.rounds.states.get_mut(&round)?;
        state.by_ballot(&ballot)?;
        let voters = self.identity.committees.voters.clone();
        let statement = voters.statement(kind, round, ballot);
        match state.votes.entry((kind, ballot)) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(place) => {
                let gossip = Gossip::new(voters, me, statement, self.parameters.gossip()).ok()?;
                Some(place.insert(gossip))
            }
        }
    }

    /// Handles signatures that another member forwards.
    pub(super) fn on_signatures(
        &mut self,
        from: MemberIndex,
        aggregates: Vec<Aggregate<S>>,
        out: &mut Effects<S>,
    ) {
        if self.parameters.aggregation {
            out.send(from, Message::Heard);
        }
        let now = self.now;
        for aggregate in aggregates {
            let statement = *aggregate.statement();
            let (round, ballot) = (statement.view, statement.digest);
            if self.gossip(statement.kind, round, ballot).is_none() {
                self.request_proposal(from, round, ballot, out);
                continue;
            }
            let state = self.rounds.states.get_mut(&round);
            let gossip = state.and_then(|state| state.votes.get_mut(&(statement.kind, ballot)));
            let Some(gossip) = gossip else { continue };
            let received = gossip.receive(from, aggregate, now, &mut self.network.peers);
            if let Received::Invalid(error) = received {
                out.fault(from, Evidence::Invalid { what: "aggregate", error });
            }
        }
    }

    /// Requests the proposal of a block that signatures name and this member does not know.
    fn request_proposal(&mut self, from: MemberIndex, round: u64, ballot: [u8; 32], out: &mut Effects<S>) {
        let recent = round == self.rounds.clock || round + 1 == self.rounds.clock;
        if !recent || self.phase == Phase::Succeeded {
            return;
        }
        let (now, retry) = (self.now, self.parameters.retry);
        let requested = &mut self.rounds.states.entry(round).or_default().requested;
        let is_pending = requested.get(&ballot).is_some_and(|at| at.plus(retry) > now);
        if is_pending || (requested.len() >= MAX_UNKNOWN && !requested.contains_key(&ballot)) {
            return;
        }
        requested.insert(ballot, now);
        out.send(from, Message::ProposalRequest { round, ballot });
    }

    /// Verifies the signatures that arrived, and handles the certificates that they complete.
    pub(super) fn count_votes(&mut self, out: &mut Effects<S>) {
        let (now, entropy) = (self.now, self.network.sampler.next_bytes());
        let known_round = self.chain.highest_prepare_qc.as_ref().map_or(0, HighestPrepareQc::round);
        let mut quorums: Vec<(Kind, ValidProposal<S>, Certificate<S>)> = Vec::new();
        for state in self.rounds.states.values_mut() {
            for gossip in state.votes.values_mut() {
                while gossip.waiting() > 0 {
                    let checked = gossip.check(now, Some(&entropy), &mut self.network.peers);
                    for fault in checked.faults {
                        let evidence = Evidence::Invalid { what: "aggregate", error: fault.evidence };
                        out.fault(fault.culprit, evidence);
                    }
                }
            }
            for ((kind, ballot), gossip) in &state.votes {
                let known = state.by_ballot(ballot);
                let known = known.filter(|known| known.proposal.block.height == self.chain.tip.height + 1);
                let is_new = *kind == TENTATIVE || gossip.statement().view > known_round;
                if let (true, Some(known), Some(certificate)) = (is_new, known, gossip.certificate()) {
                    quorums.push((*kind, known.clone(), (**certificate).clone()));
                }
            }
        }
        for (kind, known, certificate) in quorums {
            match kind {
                TENTATIVE => self.on_commit_certificate(&known.proposal.block, known.seed, certificate),
                _ => self.on_prepare_certificate(&known.proposal.block, &certificate),
            }
        }
    }

    /// Sends signatures to peers as long as a peer lacks some and the uplink has room. A random statement comes first, so
    /// that each gets its turn.
    pub(super) fn gossip_signatures(&mut self, out: &mut Effects<S>) {
        if !self.parameters.aggregation {
            return;
        }
        let now = self.now;
        self.network.uplink.advance(now, &mut self.network.peers);
        for _ in 0..self.parameters.fanout {
            let random = self.network.sampler.next_u64();
            let mut gossips: Vec<&mut Gossip<S>> =
                self.rounds.states.values_mut().flat_map(|state| state.votes.values_mut()).collect();
            let len = gossips.len().max(1) as u64;
            gossips.rotate_left((random % len) as usize);
            let peers = &mut self.network.peers;
            let next = gossips.into_iter().find_map(|gossip| gossip.next(now, random, peers));
            let Some((peer, aggregate)) = next else { break };
            self.network.uplink.sent(now, peer, FRAME + aggregate.encoded_len());
            out.send(peer, Message::Signatures(vec![aggregate]));
        }
    }

    /// Returns the time at which to look again for a peer to send signatures to.
    pub(super) fn gossip_due(&self) -> Option<Time> {
        let has_votes = self.rounds.states.values().any(|state| !state.votes.is_empty());
        let latest = self.now.plus(GOSSIP_INTERVAL);
        let earliest = self.now.plus(MIN_GOSSIP_INTERVAL);
        has_votes.then(|| self.network.uplink.due().map_or(latest, |due| due.max(earliest).min(latest)))
    }
}
