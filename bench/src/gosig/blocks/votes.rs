//! P and TC: `core::gossip` itself collects the signatures.

use std::collections::btree_map;

use quorate::Result;
use quorate::certificate::{Kind, Vote};
use quorate::gossip::{Aggregate, Gossip};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Toy;
use rand::{Rng, RngExt};

use super::super::network::Node;
use super::super::stage::{P, TC};
use super::block::Id;
use super::message::Message;
use super::node::Votes;
use super::world::{Event, World, time};
use crate::queue::{MILLISECOND, Nanos};

/// Intervals after which an idle node checks again: without and with all quorums.
const IDLE: [Nanos; 2] = [50 * MILLISECOND, 500 * MILLISECOND];

impl World<'_> {
    /// Signatures on a block whose header is known.
    pub(super) fn receive(
        &mut self,
        me: Node,
        from: Node,
        of: (Id, usize),
        aggregate: Aggregate<Toy>,
        now: Time,
    ) -> Result<()> {
        self.gossip(me, of)?;
        let round = self.block(of.0).map_or(0, |block| block.round);
        let Some(member) = self.member(me) else { return Ok(()) };
        let votes = member.rounds.get_mut(&round).and_then(|round| round.votes.get_mut(&of));
        if let Some(votes) = votes {
            votes.gossip.receive(from as MemberIndex, aggregate, now, &mut member.peers);
        }
        Ok(())
    }

    /// Creates the gossip of a block's P or TC if there is none.
    fn gossip(&mut self, me: Node, of: (Id, usize)) -> Result<()> {
        let (committee, parameters) = (self.committee.clone(), self.parameters);
        let Some(round) = self.block(of.0).map(|block| block.round) else { return Ok(()) };
        let Some(state) = self.round(me, round) else { return Ok(()) };
        if let btree_map::Entry::Vacant(place) = state.votes.entry(of) {
            let mut digest = [7; 32];
            digest.iter_mut().zip(of.0.to_le_bytes()).for_each(|(byte, of)| *byte = of);
            let statement = committee.statement(Kind::new(of.1 as u8 + 1), round, digest);
            let gossip = Box::new(Gossip::new(committee, me as MemberIndex, statement, parameters)?);
            place.insert(Votes { gossip, is_recorded: false });
        }
        Ok(())
    }

    /// Verifies received votes, advances the rounds, requests missing data, and sends.
    pub(super) fn check(&mut self, me: Node) -> Result<()> {
        let (now, costs) = (self.queue.now(), self.case.costs);
        let Some(member) = self.members.get_mut(me as usize).and_then(Option::as_deref_mut) else {
            return Ok(());
        };
        if member.busy > now {
            return Ok(());
        }
        let mut cost = costs.check(1, 0) * std::mem::take(&mut member.pending_checks) as Nanos;
        for votes in member.rounds.values_mut().flat_map(|round| round.votes.values_mut()) {
            if votes.gossip.waiting() > 0 {
                let mut entropy = [0; 32];
                self.random.fill_bytes(&mut entropy);
                let checked = votes.gossip.check(time(now), Some(&entropy), &mut member.peers);
                cost += costs.check(checked.aggregates, checked.signers);
            }
        }
        member.busy = now + cost;
        self.advance(me)?;
        let Some(member) = self.member(me) else { return Ok(()) };
        if member.busy > now {
            let until = member.busy;
            self.queue.put(until, Event::Check(me));
            return Ok(());
        }
        self.send(me);
        Ok(())
    }

    /// Takes all steps that are possible now.
    fn advance(&mut self, me: Node) -> Result<()> {
        let Some(member) = self.member(me) else { return Ok(()) };
        let open: Vec<Id> = member.bodies.iter().filter(|(_, body)| !body.whole).map(|(id, _)| *id).collect();
        for id in open {
            self.finish_body(me, id);
        }
        let Some(member) = self.member(me) else { return Ok(()) };
        let mut quorums = Vec::new();
        for round in member.rounds.values_mut() {
            for (of, votes) in &mut round.votes {
                if !votes.is_recorded && votes.gossip.certificate().is_some() {
                    votes.is_recorded = true;
                    quorums.push(*of);
                }
            }
        }
        for (id, which) in quorums {
            match which {
                P => self.step(3, id),
                _ => self.certify(me, id),
            }
        }
        self.commit(me);
        self.prepare(me)?;
        self.commit_tentatively(me)?;
        self.propose(me);
        self.request_bodies(me);
        Ok(())
    }

    fn finish_body(&mut self, me: Node, id: Id) {
        let all = self.all_segments(self.block(id).map_or(0, |block| block.bundles.len()));
        let Some(body) = self.member(me).and_then(|member| member.bodies.get_mut(&id)) else { return };
        if body.segments == all && body.missing.is_empty() {
            body.whole = true;
            self.step(2, id);
        }
    }

    /// Signs P for the best block of the clock's round, once.
    fn prepare(&mut self, me: Node) -> Result<()> {
        let (rules, next) = (self.case.rules, self.height(me) + 1);
        let Some(member) = self.members.get(me as usize).and_then(Option::as_deref) else { return Ok(()) };
        let [prepared, _] = member.signed;
        if !member.begun || prepared >= member.clock || member.certified.is_some() {
            return Ok(());
        }
        let headers = member.rounds.get(&member.clock).map_or(&[] as &[Id], |round| &round.headers);
        let blocks = headers.iter().filter_map(|id| self.block(*id));
        let blocks = blocks.filter(|block| block.height == next);
        let blocks = blocks.filter(|block| rules.stage_pipelining || member.has_all(block.id));
        let best = blocks.min_by_key(|block| block.score).map(|block| block.id);
        let clock = member.clock;
        let Some(member) = self.member(me) else { return Ok(()) };
        if best.is_some() || !rules.late {
            let [prepared, _] = &mut member.signed;
            *prepared = clock;
        }
        if let Some(id) = best {
            member.prepared = Some(id);
            self.expect_body(me, id, None);
            self.sign(me, (id, P))?;
        }
        Ok(())
    }

    /// Signs TC for the last prepared block once a quorum has prepared it and its body is complete.
    fn commit_tentatively(&mut self, me: Node) -> Result<()> {
        let next = self.height(me) + 1;
        let Some(member) = self.members.get(me as usize).and_then(Option::as_deref) else { return Ok(()) };
        let Some(block) = member.prepared.and_then(|id| self.block(id)) else { return Ok(()) };
        let (id, round, [_, signed]) = (block.id, block.round, member.signed);
        let votes = member.rounds.get(&round).and_then(|round| round.votes.get(&(id, P)));
        let quorum = votes.is_some_and(|votes| votes.gossip.certificate().is_some());
        if block.height != next || signed >= round || !quorum || !member.has_all(id) {
            return Ok(());
        }
        if let Some(member) = self.member(me) {
            let [_, signed] = &mut member.signed;
            *signed = round;
        }
        self.sign(me, (id, TC))
    }

    fn sign(&mut self, me: Node, of: (Id, usize)) -> Result<()> {
        self.gossip(me, of)?;
        let (committee, now, sign) = (self.committee.clone(), self.queue.now(), self.case.costs.sign);
        let round = self.block(of.0).map_or(0, |block| block.round);
        let secret = self.secrets.get(me as usize);
        let Some(member) = self.members.get_mut(me as usize).and_then(Option::as_deref_mut) else {
            return Ok(());
        };
        let votes = member.rounds.get_mut(&round).and_then(|round| round.votes.get_mut(&of));
        if let (Some(votes), Some(secret)) = (votes, secret) {
            let vote = Vote::sign_unguarded(secret, &committee, *votes.gossip.statement())?;
            votes.gossip.vote(&vote.verify(&committee)?)?;
        }
        member.busy = member.busy.max(now) + sign;
        Ok(())
    }

    /// Requests missing data of the blocks that are needed now: certified, prepared, and the best of the running rounds.
    fn request_bodies(&mut self, me: Node) {
        let (now, next) = (self.queue.now(), self.height(me) + 1);
        let Some(member) = self.members.get(me as usize).and_then(Option::as_deref) else { return };
        let best = member.rounds.range(member.clock..).filter_map(|(_, round)| round.best);
        let prepared = member.prepared.into_iter().chain(best);
        let prepared = prepared.filter(|id| self.block(*id).is_some_and(|block| block.height == next));
        let mut wanted: Vec<Id> = member.certified.into_iter().chain(prepared).collect();
        wanted.retain(|id| member.bodies.get(id).is_some_and(|body| !body.whole && body.asks <= now));
        wanted.dedup();
        for id in wanted {
            self.request_body(me, id);
        }
    }

    fn send(&mut self, me: Node) {
        let now = self.queue.now();
        let draw: u64 = self.random.random();
        loop {
            let Some(member) = self.member(me) else { return };
            let mut all: Vec<(&(Id, usize), &mut Votes)> =
                member.rounds.values_mut().flat_map(|round| &mut round.votes).collect();
            // A random one is first.
            let len = all.len().max(1);
            all.rotate_left(draw as usize % len);
            let next = all.into_iter().find_map(|((id, which), votes)| {
                let (to, aggregate) = votes.gossip.next(time(now), draw, &mut member.peers)?;
                Some((to, Message::Signatures(*id, *which, aggregate)))
            });
            let Some((to, message)) = next else { break };
            self.send_message(me, to.into(), message);
        }
        let Some(member) =
            self.member(me).filter(|member| member.next_check <= now && !member.rounds.is_empty())
        else {
            return;
        };
        let done =
            member.rounds.values().flat_map(|round| round.votes.values()).all(|votes| votes.is_recorded);
        let [soon, later] = IDLE;
        member.next_check = now + if done { later } else { soon };
        let next_check = member.next_check;
        self.queue.put(next_check, Event::Check(me));
    }
}
