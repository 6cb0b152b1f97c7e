//! This member's own proposals.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::sortition::{Lottery, SeedProof, Ticket};

use super::effects::Effects;
use super::limits::STALLED_ROUNDS;
use super::state::{HighestPrepareQc, Replica};
use crate::assembly::{Assembly, cut_into_segments};
use crate::block::{Block, BlockContent, GosigScheme};
use crate::block_size::BlockLimits;
use crate::body::{Segment, ShortId, UnsignedSegment};
use crate::digests::BlockDigest;
use crate::membership::MAX_CHANGES;
use crate::message::Message;
use crate::payload::{MAX_PAYLOAD_BYTES, MAX_TRANSACTIONS, Payload};
use crate::proposal::Proposal;
use crate::record::{Lock, Record};

/// A block to propose, its transactions, and its proposal certificate.
type Proposable<S> = (Arc<Block<S>>, Arc<Payload>, Option<Certificate<S>>);

impl<S: GosigScheme> Replica<S> {
    /// Proposes in the current round if this member's ticket wins and there is something to propose.
    pub(super) fn propose(&mut self, out: &mut Effects<S>) {
        let round = self.rounds.current;
        let height = self.chain.tip.height + 1;
        let has_nothing = self.safety.lock().is_none() && !self.wants_block();
        // Heights that peers claim do not count here: one faulty peer could silence this member.
        let behind = !self.sync.queue().is_empty();
        if round == 0 || has_nothing || behind || round <= self.safety.proposed_round() {
            return;
        }
        let Some(me) = self.identity.me else { return };
        let Some(ticket) = self.draw_ticket(round) else { return };
        let Some((block, payload, certificate)) = self.block_to_propose(me, round, height) else { return };
        if certificate.as_ref().is_some_and(|certificate| certificate.statement().view >= round) {
            // The clocks of the other members are ahead: a proposal needs a certificate of an earlier round.
            return;
        }
        let digest = Proposal::digest_of(&block, round, me, certificate.as_ref(), &ticket);
        // The guard cannot refuse after the check above; if it did, nothing would be lost.
        let Ok((vote, record)) = self.safety.propose(&self.identity.committees, round, digest) else {
            return;
        };
        out.persist(Record::ProposalGuard(record));
        let signature = vote.signature().clone();
        let proposal =
            Arc::new(Proposal { block: block.clone(), round, proposer: me, certificate, ticket, signature });
        let segments = self.sign_segments(me, &block, &payload, round);
        let assembly = self
            .assemblies
            .entry(block.digest())
            .or_insert_with(|| Assembly::complete(block.digest(), height, payload));
        assembly.set_own_segments(me, round, &segments);
        if self.insert_own_proposal(proposal.clone(), out) {
            let peers = self.send_to_some(&[], &Message::Proposal(proposal), out);
            for segment in segments {
                peers.iter().for_each(|peer| out.send(*peer, Message::Segment(segment.clone())));
            }
        }
    }

    /// Returns this member's ticket in a round, if it wins. The result is cached per height.
    fn draw_ticket(&mut self, round: u64) -> Option<Ticket<S>> {
        let height = self.chain.tip.height;
        let drawn = self.rounds.states.get(&round).and_then(|state| state.own_ticket.clone());
        if let Some((_, ticket)) = drawn.filter(|(of, _)| *of == height) {
            return ticket;
        }
        let voters = self.identity.committees.voters.clone();
        let lottery = Lottery::new(voters, self.chain.tip.seed, round, self.schedule.proposers);
        let ticket = lottery.draw(&self.identity.voting_key).ok().flatten();
        let state = self.rounds.states.entry(round).or_default();
        let ticket = ticket.map(|ticket| {
            let score = ticket.score();
            let ticket = ticket.into_inner();
            state.insert_ticket(height, ticket.clone(), score);
            ticket
        });
        state.own_ticket = Some((height, ticket.clone()));
        ticket
    }

    /// Returns the locked block or a new one, with its proposal certificate.
    ///
    /// After undecided rounds, it is instead the block with the newest known PREPARE certificate, also if this member is not
    /// locked on it: other members may be, and prepare nothing else. If no more members than a quorum are alive, a single
    /// such member stops all others until its own ticket is the best. DecideBlock still protects each voter's lock.
    fn block_to_propose(&self, me: MemberIndex, round: u64, height: u64) -> Option<Proposable<S>> {
        let locked = self.safety.lock().map_or(0, Lock::round);
        let newer =
            |qc: &&HighestPrepareQc<S>| self.rounds.undecided >= STALLED_ROUNDS && qc.round() > locked;
        if let Some(qc) = self.chain.highest_prepare_qc.as_ref().filter(newer)
            && let Some(payload) = self.payload_of(&qc.block.digest())
            && payload.changes() <= MAX_CHANGES
        {
            return Some((qc.block.clone(), payload, Some(qc.certificate.clone())));
        }
        if let Some(lock) = self.safety.lock() {
            let block = self.chain.locked.clone().filter(|block| block.digest() == lock.block)?;
            return Some((block, self.payload_of(&lock.block)?, Some(lock.certificate.clone())));
        }
        self.new_block(me, round, height)
    }

    /// Builds a new block on the tip from the oldest pending transactions.
    fn new_block(&self, me: MemberIndex, round: u64, height: u64) -> Option<Proposable<S>> {
        let tip = &self.chain.tip;
        let BlockLimits { transactions, bytes } = self.transactions.block_size.limits();
        let (bytes, count) = (bytes.min(MAX_PAYLOAD_BYTES), transactions.min(MAX_TRANSACTIONS));
        let payload = Arc::new(Payload::new(self.transactions.pool.oldest(bytes, count)).ok()?);
        let stated = tip.last.as_ref().map(|(block, _)| block.executed);
        let newest = self.chain.execution.up_to(tip.height)?;
        let executed = stated.filter(|stated| stated.height > newest.height).unwrap_or(newest);
        let voters = &self.identity.committees.voters;
        let content = BlockContent {
            epoch: voters.epoch(),
            round,
            height,
            author: me,
            parent: tip.digest,
            seed: SeedProof::sign(&self.identity.voting_key, voters, &tip.seed).ok()?,
            payload: *payload.summary(),
            executed,
            timestamp: self.now.0,
        };
        let certificate = tip.last.as_ref().map(|(_, finality)| finality.certificate().clone());
        Some((Arc::new(Block::new(content)), payload, certificate))
    }

    /// Returns the payload of a block, if all its transactions are known.
    fn payload_of(&self, block: &BlockDigest) -> Option<Arc<Payload>> {
        self.assemblies.get(block)?.payload().cloned()
    }

    /// Returns the signed segments of this member's proposal.
    fn sign_segments(
        &self,
        me: MemberIndex,
        block: &Block<S>,
        payload: &Payload,
        round: u64,
    ) -> Vec<Arc<Segment>> {
        let digest = block.digest();
        let mut known: BTreeMap<ShortId, Vec<Hash>> = BTreeMap::new();
        for transaction in self.transactions.pool.all().filter(|_| self.parameters.short_hashes) {
            let id = transaction.id();
            known.entry(ShortId::new(&digest, &id)).or_default().push(id);
        }
        let collides = |short: &ShortId, id: &Hash| {
            known.get(short).is_some_and(|known| known.iter().any(|other| other != id))
        };
        let bodies = cut_into_segments(digest, payload, &self.parameters, collides);
        let count = bodies.len() as u16;
        let sign = |(index, (first, entries))| {
            let segment = UnsignedSegment { block: digest, round, signer: me, index, count, first, entries };
            segment.sign(&self.identity.committees, &self.identity.identity_key).ok().map(Arc::new)
        };
        (0u16..).zip(bodies).filter_map(sign).collect()
    }

    /// Sends a message to random members, up to the fan-out. Returns these members.
    pub(super) fn send_to_some(
        &mut self,
        but: &[MemberIndex],
        message: &Message<S>,
        out: &mut Effects<S>,
    ) -> Vec<MemberIndex> {
        let peers = self.sample_peers(self.parameters.fanout, but);
        peers.iter().for_each(|peer| out.send(*peer, message.clone()));
        peers
    }
}
