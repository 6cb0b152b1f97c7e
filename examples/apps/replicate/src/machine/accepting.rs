use quorate::machine::{MemberIndex, Step, Time};
use quorate_broadcast::authentication::Authentication;

use super::Replica;
use crate::application::Application;
use crate::interface::{Path, Timer};
use crate::message::{Message, Record};
use crate::statement::Ballot;
use crate::value::Value;

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Accepts a value: the replica accepts no other one in this slot and view. `announce` is sent on the fast path.
    pub(super) fn accept(
        &mut self,
        now: Time,
        slot: u64,
        value: Value,
        announce: Message<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let (view, me, is_slow) = (self.view, self.me, self.is_forced_slow(now));
        let is_fast = self.parameters.path == Path::Fast || matches!(announce, Message::Propose(_));
        let state = self.slots.entry(slot).or_default();
        if state.accepted.is_some_and(|(before, _)| before >= view) {
            return;
        }
        step.persist(Record::Accepted(Ballot { view, slot, value }));
        state.accepted = Some((view, value));
        state.votes.proposal = None;
        state.votes.accepts.insert(me, value);
        state.votes.is_slow |= is_slow;
        self.dirty.insert(slot);
        if is_fast {
            step.broadcast(announce);
        }
        if !is_slow {
            step.set_timer(Timer::Fast(slot), self.parameters.fast_timeout);
        }
    }

    /// Handles the leader's proposal. It is accepted once its request is known to come from its client.
    pub(super) fn on_propose(&mut self, now: Time, from: MemberIndex, ballot: Ballot, step: &mut Step<Self>) {
        let Ballot { view, slot, value } = ballot;
        if !self.is_current(view, slot) || from != self.leader() {
            return;
        }
        let state = self.slots.entry(slot).or_default();
        // Only the first proposal counts.
        if state.votes.accepts.contains_key(&from) {
            return;
        }
        state.votes.accepts.insert(from, value);
        if state.accepted.is_none_or(|(before, _)| before < view) {
            state.votes.proposal = Some(value);
            self.accept_proposal(now, slot, step);
        }
        self.dirty.insert(slot);
    }

    /// Accepts the proposal of a slot if its request is authentic.
    pub(super) fn accept_proposal(&mut self, now: Time, slot: u64, step: &mut Step<Self>) {
        let proposal = self.slots.get(&slot).and_then(|state| state.votes.proposal);
        if let Some(value) = proposal.filter(|value| self.is_authentic(value)) {
            let ballot = Ballot { view: self.view, slot, value };
            self.accept(now, slot, value, Message::Accept(ballot), step);
        }
    }

    /// Handles another replica's acceptance on the fast path.
    pub(super) fn on_accept(&mut self, from: MemberIndex, ballot: Ballot) {
        let Ballot { view, slot, value } = ballot;
        if self.is_current(view, slot) {
            self.slots.entry(slot).or_default().votes.accepts.entry(from).or_insert(value);
            self.dirty.insert(slot);
        }
    }

    /// Begins the slow path of a slot that not all replicas accepted in time, and of the next slots.
    pub(super) fn begin_slow_path(&mut self, now: Time, slot: u64) {
        let Some(state) = self.slots.get_mut(&slot).filter(|state| state.decided.is_none()) else { return };
        state.votes.is_slow = true;
        self.slow_until = now.plus(self.parameters.slow_for);
        self.dirty.insert(slot);
    }

    /// Returns true if votes for this view and slot count.
    pub(super) fn is_current(&self, view: u64, slot: u64) -> bool {
        self.active && view == self.view && self.in_window(slot)
    }
}
