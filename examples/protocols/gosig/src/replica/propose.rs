use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::sortition::{Lottery, SeedProof, Ticket};

use super::{Effects, HighestPrepareQc, Replica, STALLED_ROUNDS};
use crate::assembly::{Assembly, cut};
use crate::block::{Block, Content, GosigScheme};
use crate::block_size::BlockLimits;
use crate::body::{Segment, ShortId, UnsignedSegment};
use crate::digests::BlockDigest;
use crate::message::Message;
use crate::payload::{MAX_PAYLOAD_BYTES, MAX_TRANSACTIONS, Payload};
use crate::proposal::Proposal;
use crate::record::{Lock, Record};

/// What is proposed: a block, its transactions, and its proposal certificate.
type Proposable<S> = (Arc<Block<S>>, Arc<Payload>, Option<Certificate<S>>);

impl<S: GosigScheme> Replica<S> {
    /// Proposes in the round that this member is in, if it is drawn and there is something to propose.
    pub(super) fn try_propose(&mut self, out: &mut Effects<S>) {
        let round = self.round;
        let height = self.tip.height + 1;
        let waits = self.safety.lock().is_none() && !self.wants_block();
        let late = self.now >= self.schedule.second_stage(round) && self.schedule.round_at(self.now) >= round;
        // What others say of their height does not count here: one liar could silence this member.
        let behind = !self.sync.queue().is_empty() || self.safety.abstains(height);
        if round == 0 || self.succeeded || waits || late || behind || round <= self.safety.proposed_round() {
            return;
        }
        let Some(me) = self.me else { return };
        let Some(ticket) = self.draw_ticket(round) else { return };
        let Some((block, payload, certificate)) = self.block_to_propose(me, round, height) else { return };
        if certificate.as_ref().is_some_and(|certificate| certificate.statement().view >= round) {
            // The others' clocks are ahead: what they did is not to be built upon in a round before.
            return;
        }
        let digest = Proposal::digest_of(&block, round, me, certificate.as_ref(), &ticket);
        // A refusal is impossible after the check above, and harmless.
        let Ok((vote, record)) = self.safety.propose(&self.committees, round, digest) else { return };
        out.persist(Record::ProposalGuard(record));
        let signature = vote.signature().clone();
        let proposal =
            Arc::new(Proposal { block: block.clone(), round, proposer: me, certificate, ticket, signature });
        let segments = self.segments_of(me, &block, &payload, round);
        let assembly = self
            .assemblies
            .entry(block.digest())
            .or_insert_with(|| Assembly::whole(block.digest(), height, payload));
        assembly.propose(me, round, &segments);
        if self.keep_proposal(proposal.clone(), out) {
            let told = self.tell_some(&[], &Message::Proposal(proposal), out);
            for segment in segments {
                told.iter().for_each(|peer| out.send(*peer, Message::Segment(segment.clone())));
            }
        }
    }

    /// This member's ticket in a round, if it won. Drawn once for each height.
    fn draw_ticket(&mut self, round: u64) -> Option<Ticket<S>> {
        let height = self.tip.height;
        let drawn = self.rounds.get(&round).and_then(|state| state.drawn.clone());
        if let Some((_, ticket)) = drawn.filter(|(of, _)| *of == height) {
            return ticket;
        }
        let lottery =
            Lottery::new(self.committees.voters.clone(), self.tip.seed, round, self.schedule.proposers);
        let ticket = lottery.draw(&self.voting_key).ok().flatten();
        let state = self.rounds.entry(round).or_default();
        let ticket = ticket.map(|ticket| {
            let score = ticket.score();
            let ticket = ticket.into_inner();
            state.note_ticket(height, ticket.clone(), score);
            ticket
        });
        state.drawn = Some((height, ticket.clone()));
        ticket
    }

    /// The locked block again, or a new one; and its proposal certificate.
    ///
    /// After undecided rounds it is the block with the newest certificate that is known, also if this member is not locked
    /// on it: others may be, who prepare nothing else. With no more members there than a quorum, one such member stops
    /// all others, until its own ticket is the best. Whoever is to prepare it decides that as ever.
    fn block_to_propose(&self, me: MemberIndex, round: u64, height: u64) -> Option<Proposable<S>> {
        let locked = self.safety.lock().map_or(0, Lock::round);
        let newer =
            |again: &&HighestPrepareQc<S>| self.idle_rounds >= STALLED_ROUNDS && again.round() > locked;
        if let Some(again) = self.highest_prepare_qc.as_ref().filter(newer)
            && let Some(payload) = self.payload_of(&again.block.digest())
        {
            return Some((again.block.clone(), payload, Some(again.certificate.clone())));
        }
        if let Some(lock) = self.safety.lock() {
            let block = self.locked.clone().filter(|block| block.digest() == lock.block)?;
            return Some((block, self.payload_of(&lock.block)?, Some(lock.certificate.clone())));
        }
        let BlockLimits { transactions, bytes } = self.block_size.allowance();
        let transactions = self.pool.oldest(bytes.min(MAX_PAYLOAD_BYTES), transactions.min(MAX_TRANSACTIONS));
        let payload = Arc::new(Payload::new(transactions).ok()?);
        let stated = self.tip.last.as_ref().map(|(block, _)| block.executed);
        let newest = self.execution.up_to(self.tip.height)?;
        let executed = stated.filter(|stated| stated.height > newest.height).unwrap_or(newest);
        let content = Content {
            epoch: self.committees.voters.epoch(),
            round,
            height,
            author: me,
            parent: self.tip.digest,
            seed: SeedProof::sign(&self.voting_key, &self.committees.voters, &self.tip.seed).ok()?,
            payload: *payload.summary(),
            executed,
            timestamp: self.now.0,
        };
        let certificate = self.tip.last.as_ref().map(|(_, finality)| finality.certificate().clone());
        Some((Arc::new(Block::new(content)), payload, certificate))
    }

    /// All transactions of a block, if they are here.
    fn payload_of(&self, block: &BlockDigest) -> Option<Arc<Payload>> {
        self.assemblies.get(block)?.payload().cloned()
    }

    /// The signed body of this member's proposal.
    fn segments_of(
        &self,
        me: MemberIndex,
        block: &Block<S>,
        payload: &Payload,
        round: u64,
    ) -> Vec<Arc<Segment>> {
        let digest = block.digest();
        let mut known: BTreeMap<ShortId, Vec<Hash>> = BTreeMap::new();
        for transaction in self.pool.all().filter(|_| self.parameters.short_hashes) {
            let id = transaction.id();
            known.entry(ShortId::new(&digest, &id)).or_default().push(id);
        }
        let colliding = |short: &ShortId, id: &Hash| {
            known.get(short).is_some_and(|known| known.iter().any(|other| other != id))
        };
        let parts = cut(digest, payload, &self.parameters, colliding);
        let count = parts.len() as u16;
        let make = |(index, (first, entries))| {
            let part = UnsignedSegment { block: digest, round, signer: me, index, count, first, entries };
            part.sign(&self.committees, &self.identity_key).ok().map(Arc::new)
        };
        (0u16..).zip(parts).filter_map(make).collect()
    }

    /// Sends to as many as something is passed on to at a time; to whom.
    pub(super) fn tell_some(
        &mut self,
        but: &[MemberIndex],
        message: &Message<S>,
        out: &mut Effects<S>,
    ) -> Vec<MemberIndex> {
        let peers = self.random(self.parameters.fanout, but);
        peers.iter().for_each(|peer| out.send(*peer, message.clone()));
        peers
    }
}
