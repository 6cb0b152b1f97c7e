use std::collections::btree_map;

use quorate::certificate::{Certificate, Kind, Vote};
use quorate::committee::Verified;
use quorate::gossip::{Aggregate, Gossip, Received};
use quorate::machine::{MemberIndex, Time};
use quorate_protocol::execution::StateCheck;

use super::{Effects, GOSSIP_INTERVAL, HighestPrepareQc, MIN_GOSSIP_INTERVAL, Replica};
use crate::block::GosigScheme;
use crate::decide::{Candidate, Decision, decide_block};
use crate::digests::{BlockDigest, PayloadDigest};
use crate::interface::{Evidence, Output};
use crate::kinds::{PREPARE, TENTATIVE};
use crate::message::Message;
use crate::record::Record;
use crate::rounds::Entry;
use crate::safety::Prepared;

/// What goes around a message on the way: its kind and epoch, a frame, the seal of the link.
const FRAME: usize = 64;
/// So many unknown blocks of a round are asked for.
const MAX_UNKNOWN: usize = 8;

impl<S: GosigScheme> Replica<S> {
    /// The second stage: prepares what DecideBlock names, once a round. As soon as it begins, or later if nothing could
    /// be prepared then: what counts for safety is that it is once.
    pub(super) fn try_prepare(&mut self, out: &mut Effects<S>) {
        let (round, height) = (self.clock_round, self.tip.height + 1);
        let early = round == 0 || self.now < self.schedule.second_stage(round);
        let done = round <= self.safety.prepared_round() || self.safety.abstains(height);
        if early || done || self.succeeded || !self.sync.queue().is_empty() {
            return;
        }
        let Some(candidates) = self.candidates(round, height, out) else { return };
        let lock = self.safety.lock().filter(|lock| lock.height == height);
        let lock = lock.map(|lock| (lock.block, lock.round()));
        let z: Vec<_> = candidates
            .iter()
            .map(|entry| Candidate {
                block: entry.proposal.block.digest(),
                certified: entry.proposal.certified_round(),
                score: entry.score,
            })
            .collect();
        let decision = decide_block(lock, &z);
        let (Decision::Prepare(place) | Decision::Release(place) | Decision::Renew(place)) = decision else {
            return;
        };
        let Some(entry) = candidates.get(place) else { return };
        let proposal = entry.proposal.clone();
        let digest = proposal.block.digest();
        let Ok((vote, record)) = self.safety.prepare(&self.committees, round, height, digest) else { return };
        match decision {
            Decision::Release(_) => self.release_lock(out),
            Decision::Renew(_) => {
                if let Some(certificate) = &proposal.certificate {
                    self.safety.renew(certificate);
                }
            }
            _ => {}
        }
        out.persist(Record::VoteGuard(record));
        self.expect_body(&proposal, proposal.proposer);
        self.cast(vote, out);
    }

    /// The valid proposals of a round, if it can be decided among them now: the best must state a state that this
    /// member knows and, without pipelining of stages, its transactions must be here.
    fn candidates(&mut self, round: u64, height: u64, out: &mut Effects<S>) -> Option<Vec<Entry<S>>> {
        let state = self.rounds.get(&round)?;
        let at_height = |entry: &&Entry<S>| entry.proposal.block.height == height;
        let mut entries: Vec<Entry<S>> = state.eligible().filter(at_height).cloned().collect();
        entries.retain(|entry| !self.accuse_state(entry, out));
        if !self.parameters.stage_pipelining {
            let whole = |entry: &Entry<S>| {
                let assembly = self.assemblies.get(&entry.proposal.block.digest());
                assembly.is_some_and(|assembly| assembly.payload().is_some())
            };
            entries.retain(whole);
        }
        let stated = self.tip.last.as_ref().map(|(block, _)| block.executed);
        let agreed = |entry: &Entry<S>| {
            let executed = entry.proposal.block.executed;
            // What a quorum has prepared, honest members have compared: who restarted may not know that state any more.
            let vouched = stated == Some(executed) || entry.proposal.is_repeated();
            vouched || self.execution.check(executed) == StateCheck::Matches
        };
        let best = entries.iter().min_by_key(|entry| (entry.score, entry.proposal.block.digest()))?;
        if !agreed(best) {
            // Execution is behind; it will know.
            return None;
        }
        entries.retain(agreed);
        Some(entries)
    }

    /// DecideBlock gave the lock up.
    fn release_lock(&mut self, out: &mut Effects<S>) {
        let Some(lock) = self.safety.release() else { return };
        out.persist(Record::Lock(None));
        self.forget_lock(lock.block, None, out);
    }

    /// The records of a block that was locked are not needed any more, unless that very block was committed.
    pub(super) fn forget_lock(
        &mut self,
        block: BlockDigest,
        committed: Option<PayloadDigest>,
        out: &mut Effects<S>,
    ) {
        let Some(locked) = self.locked.take().filter(|locked| locked.digest() == block) else { return };
        let payload = locked.payload.digest();
        out.output(Output::ForgetBlocks(vec![block]));
        if committed != Some(payload) && !self.pool.is_own(&payload) && !locked.payload.is_empty() {
            out.output(Output::Forget(vec![payload]));
        }
    }

    /// A quorum prepared what this member prepared last, and it has all of it: commit it tentatively.
    fn try_tentative(&mut self, out: &mut Effects<S>) {
        let Some(Prepared { round, height, block }) = self.safety.prepared() else { return };
        let current = height == self.tip.height + 1 && round > self.safety.tentative_round();
        if !current || self.succeeded {
            return;
        }
        let ballot = self.committees.ballot(height, block);
        let Some(state) = self.rounds.get(&round) else { return };
        let Some(gossip) = state.votes.get(&(PREPARE, ballot)) else { return };
        let Some(certificate) = gossip.certificate().map(|certificate| (**certificate).clone()) else {
            return;
        };
        let Some(header) = state.by_block(&block).map(|entry| entry.proposal.block.clone()) else { return };
        let payload = self.assemblies.get(&block).and_then(|assembly| assembly.payload()).cloned();
        let Some(payload) = payload else { return };
        let before = self.safety.lock().map(|lock| lock.block).filter(|before| *before != block);
        let Ok((vote, record)) = self.safety.commit_tentatively(&self.committees, certificate) else {
            return;
        };
        if let Some(before) = before {
            self.forget_lock(before, Some(payload.digest()), out);
        }
        if self.locked.as_ref().is_none_or(|locked| locked.digest() != block) {
            if !payload.is_empty() {
                out.persist(Record::Payload(payload));
            }
            out.persist(Record::Block(header.clone()));
            self.locked = Some(header);
        }
        out.persist(Record::Lock(self.safety.lock().cloned().map(Box::new)));
        out.persist(Record::VoteGuard(record));
        self.cast(vote, out);
    }

    /// This member's own vote joins the others'.
    fn cast(&mut self, vote: Vote<S>, out: &mut Effects<S>) {
        let statement = *vote.statement();
        // It was made with the member's own key; this turns it into a checked one.
        let Ok(vote) = vote.verify(&self.committees.voters) else { return };
        if let Some(gossip) = self.gossip(statement.kind, statement.view, statement.digest) {
            // Of the right committee and statement.
            let _ = gossip.vote(&vote);
        }
        if !self.parameters.aggregation {
            self.tell_all(&vote, out);
        }
    }

    /// Without aggregation: one's own signature, to all.
    fn tell_all(&mut self, vote: &Verified<Vote<S>>, out: &mut Effects<S>) {
        if let Ok(aggregate) = Aggregate::of_vote(vote, &self.committees.voters) {
            out.broadcast(Message::Signatures(vec![aggregate.into_inner()]));
        }
    }

    /// Where the signatures on a block are collected, if its proposal is known.
    fn gossip(&mut self, kind: Kind, round: u64, ballot: [u8; 32]) -> Option<&mut Gossip<S>> {
        let me = self.me?;
        let state = self.rounds.get_mut(&round)?;
        state.by_ballot(&ballot)?;
        let statement = self.committees.voters.statement(kind, round, ballot);
        let voters = self.committees.voters.clone();
        match state.votes.entry((kind, ballot)) {
            btree_map::Entry::Occupied(known) => Some(known.into_mut()),
            btree_map::Entry::Vacant(place) => {
                let gossip = Gossip::new(voters, me, statement, self.parameters.gossip()).ok()?;
                Some(place.insert(gossip))
            }
        }
    }

    /// Signatures from somebody who passes on what it knows.
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
                self.ask_proposal(from, round, ballot, out);
                continue;
            }
            let state = self.rounds.get_mut(&round);
            let gossip = state.and_then(|state| state.votes.get_mut(&(statement.kind, ballot)));
            let Some(gossip) = gossip else { continue };
            if let Received::Invalid(error) = gossip.receive(from, aggregate, now, &mut self.peers) {
                out.fault(from, Evidence::Invalid { what: "aggregate", error });
            }
        }
    }

    /// Votes speak of a block whose proposal did not come.
    fn ask_proposal(&mut self, from: MemberIndex, round: u64, ballot: [u8; 32], out: &mut Effects<S>) {
        let recent = round == self.clock_round || round + 1 == self.clock_round;
        if !recent || self.succeeded {
            return;
        }
        let (now, retry) = (self.now, self.parameters.retry);
        let unknown = &mut self.rounds.entry(round).or_default().unknown;
        let asked = unknown.get(&ballot).is_some_and(|at| at.plus(retry) > now);
        if asked || (unknown.len() >= MAX_UNKNOWN && !unknown.contains_key(&ballot)) {
            return;
        }
        unknown.insert(ballot, now);
        out.send(from, Message::ProposalRequest { round, ballot });
    }

    /// Verifies what came, and does what follows from quorums.
    pub(super) fn check_votes(&mut self, out: &mut Effects<S>) {
        let (now, entropy) = (self.now, self.sampler.bytes());
        let known = self.highest_prepare_qc.as_ref().map_or(0, HighestPrepareQc::round);
        let mut quorums: Vec<(Kind, Entry<S>, Certificate<S>)> = Vec::new();
        for state in self.rounds.values_mut() {
            for gossip in state.votes.values_mut() {
                while gossip.waiting() > 0 {
                    let checked = gossip.check(now, Some(&entropy), &mut self.peers);
                    for fault in checked.faults {
                        let evidence = Evidence::Invalid { what: "aggregate", error: fault.evidence };
                        out.fault(fault.culprit, evidence);
                    }
                }
            }
            for ((kind, ballot), gossip) in &state.votes {
                let entry = state.by_ballot(ballot);
                let entry = entry.filter(|entry| entry.proposal.block.height == self.tip.height + 1);
                let awaited = *kind == TENTATIVE || gossip.statement().view > known;
                if let (true, Some(entry), Some(certificate)) = (awaited, entry, gossip.certificate()) {
                    quorums.push((*kind, entry.clone(), (**certificate).clone()));
                }
            }
        }
        for (kind, entry, certificate) in quorums {
            match kind {
                TENTATIVE => self.learn_commit(&entry.proposal.block, entry.seed, certificate),
                _ => self.note_quorum(&entry.proposal.block, &certificate),
            }
        }
        self.try_tentative(out);
    }

    /// Passes signatures on, as long as there is somebody to tell and the way out is free. Each statement has its turn to
    /// be the first.
    pub(super) fn pass_on(&mut self, out: &mut Effects<S>) {
        if !self.parameters.aggregation {
            return;
        }
        let now = self.now;
        self.uplink.pass(now, &mut self.peers);
        for _ in 0..self.parameters.fanout {
            let draw = self.sampler.number();
            let mut gossips: Vec<&mut Gossip<S>> =
                self.rounds.values_mut().flat_map(|state| state.votes.values_mut()).collect();
            let len = gossips.len().max(1) as u64;
            gossips.rotate_left((draw % len) as usize);
            let said = gossips.into_iter().find_map(|gossip| gossip.next(now, draw, &mut self.peers));
            let Some((peer, aggregate)) = said else { break };
            self.uplink.sent(now, peer, FRAME + aggregate.encoded_len());
            out.send(peer, Message::Signatures(vec![aggregate]));
        }
    }

    /// When to look again whether there is somebody to tell.
    pub(super) fn pulse(&self) -> Option<Time> {
        let live = self.rounds.values().any(|state| !state.votes.is_empty());
        let pulse = self.now.plus(GOSSIP_INTERVAL);
        live.then(|| {
            self.uplink.due().map_or(pulse, |due| due.max(self.now.plus(MIN_GOSSIP_INTERVAL)).min(pulse))
        })
    }
}
