use std::time::Duration;

use quorate::Error;
use quorate::machine::{MemberIndex, Step, Time};
use quorate_broadcast::authentication::Authentication;

use super::Replica;
use super::state::{Triage, agreed};
use crate::application::Application;
use crate::interface::{Misbehaviour, Timer};
use crate::message::{Message, Prepared, Record, Vote};
use crate::statement::{Ballot, Certificate, Equivocation, Statement};

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Handles a vote or a checkpoint. One that is slow to verify is deferred, and dropped if it is not needed any more
    /// when its turn comes.
    pub(super) fn on_signed(
        &mut self,
        from: MemberIndex,
        message: Message<A::Signature>,
        step: &mut Step<Self>,
    ) {
        if let Message::Prepare(vote) = &message {
            self.join_slow_path(from, &vote.ballot, step);
        }
        let (triage, Some(signature)) = (self.triage(from, &message), signature(&message)) else { return };
        match triage {
            Triage::Ignore => {}
            Triage::Verify if self.authentication.can_verify_fast(from, signature) => {
                self.verified.0 += 1;
                self.verify(from, message, step);
            }
            Triage::Verify | Triage::Defer => {
                if self.deferred.push(from, message) {
                    step.set_timer(Timer::Deferred, Duration::ZERO);
                }
            }
        }
    }

    fn triage(&self, from: MemberIndex, message: &Message<A::Signature>) -> Triage {
        let (vote, is_prepare) = match message {
            Message::Prepare(vote) => (vote, true),
            Message::Commit(vote) => (vote, false),
            Message::Checkpoint { slot, .. } => return self.triage_checkpoint(from, *slot),
            _ => return Triage::Ignore,
        };
        let Ballot { view, slot, value } = vote.ballot;
        if !self.is_current(view, slot) {
            return Triage::Ignore;
        }
        let Some(state) = self.slots.get(&slot) else { return Triage::Verify };
        let votes = if is_prepare { &state.votes.prepares } else { &state.votes.commits };
        match votes.get(&from) {
            Some((before, _)) if *before != value && is_prepare && !self.is_accused(from) => Triage::Defer,
            Some(_) => Triage::Ignore,
            // A replica that has decided needs no commitments, but others may need its own, and thus its certificate.
            None if !is_prepare && state.decided.is_some() => Triage::Ignore,
            None if is_prepare && state.prepared.as_ref().is_some_and(|prepared| prepared.view == view) => {
                Triage::Ignore
            }
            None => Triage::Verify,
        }
    }

    /// Verifies a signed message and counts it.
    fn verify(&mut self, from: MemberIndex, message: Message<A::Signature>, step: &mut Step<Self>) {
        let (statement, signature) = match &message {
            Message::Prepare(vote) => (Statement::Prepare(vote.ballot), &vote.signature),
            Message::Commit(vote) => (Statement::Commit(vote.ballot), &vote.signature),
            Message::Checkpoint { slot, digest, signature } => {
                (Statement::Checkpoint { slot: *slot, digest: *digest }, signature)
            }
            _ => return,
        };
        let bytes = statement.bytes(&self.group.id(), from);
        if let Err(error) = self.authentication.verify(from, &bytes, signature) {
            return self.invalid(from, "vote", error, step);
        }
        match message {
            Message::Prepare(Vote { ballot, signature }) => {
                let state = self.slots.entry(ballot.slot).or_default();
                state.votes.prepares.insert(from, (ballot.value, signature));
                self.dirty.insert(ballot.slot);
            }
            Message::Commit(Vote { ballot, signature }) => {
                let state = self.slots.entry(ballot.slot).or_default();
                state.votes.commits.insert(from, (ballot.value, signature));
                self.dirty.insert(ballot.slot);
            }
            Message::Checkpoint { slot, digest, signature } => {
                self.note_checkpoint(from, slot, digest, signature);
            }
            _ => {}
        }
    }

    /// Verifies one slow signature when nothing else waits.
    pub(super) fn verify_one_deferred(&mut self, step: &mut Step<Self>) {
        if let Some((from, message)) = self.deferred.pop() {
            match self.triage(from, &message) {
                Triage::Ignore => {}
                Triage::Verify => {
                    self.verified.1 += 1;
                    self.verify(from, message, step);
                    // Its batch of keys is known from now on.
                    self.verify_fast_deferred(from, step);
                }
                Triage::Defer => {
                    self.verified.1 += 1;
                    if let Message::Prepare(vote) = message {
                        self.accuse(from, from, vote, step);
                    }
                }
            }
        }
        if !self.deferred.is_empty() {
            step.set_timer(Timer::Deferred, Duration::ZERO);
        }
    }

    /// Handles the deferred messages of a replica that have become fast to verify.
    pub(super) fn verify_fast_deferred(&mut self, from: MemberIndex, step: &mut Step<Self>) {
        let authentication = &self.authentication;
        let fast = self.deferred.take(from, |message| {
            signature(message).is_some_and(|signature| authentication.can_verify_fast(from, signature))
        });
        for message in fast {
            self.on_signed(from, message, step);
        }
    }

    /// A replica that votes with a signature did not see all acceptances: this one votes too. If the votes differ and the
    /// leader signed this one's value, the other replica gets the leader's vote, which may complete its evidence.
    fn join_slow_path(&mut self, from: MemberIndex, ballot: &Ballot, step: &mut Step<Self>) {
        let leader = self.leader();
        if !self.is_current(ballot.view, ballot.slot) {
            return;
        }
        let state = self.slots.entry(ballot.slot).or_default();
        if !state.votes.is_slow {
            state.votes.is_slow = true;
            self.dirty.insert(ballot.slot);
        }
        let Some((value, signature)) = state.votes.prepares.get(&leader) else { return };
        if *value != ballot.value && from != leader && state.votes.witnessed.insert(from) {
            let ballot = Ballot { value: *value, ..*ballot };
            let vote = Vote { ballot, signature: signature.clone() };
            step.send(from, Message::Witness { replica: leader, vote });
        }
    }

    /// Handles the vote of a third replica that contradicts the one that this replica counted.
    pub(super) fn on_witness(
        &mut self,
        from: MemberIndex,
        replica: MemberIndex,
        vote: Vote<A::Signature>,
        step: &mut Step<Self>,
    ) {
        if replica != self.me
            && !self.is_accused(replica)
            && self.is_current(vote.ballot.view, vote.ballot.slot)
        {
            self.accuse(from, replica, vote, step);
        }
    }

    /// Reports a vote, which arrived from `from`, that contradicts the counted vote of `culprit`.
    fn accuse(
        &mut self,
        from: MemberIndex,
        culprit: MemberIndex,
        vote: Vote<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let Vote { ballot, signature } = vote;
        let state = self.slots.get(&ballot.slot);
        let before = state.and_then(|state| state.votes.prepares.get(&culprit));
        let Some(before) = before.filter(|(value, _)| *value != ballot.value).cloned() else { return };
        let evidence =
            Equivocation::new(culprit, ballot.view, ballot.slot, before, (ballot.value, signature));
        // Without remembered keys: a stateful verifier would refuse a one-time key that signed both.
        match evidence.verify::<A>(&self.group) {
            Ok(()) => {
                if let Some(peer) = self.peer_mut(culprit) {
                    peer.accused = true;
                }
                step.fault(culprit, Misbehaviour::Equivocation(Box::new(evidence)));
            }
            Err(Error::NotEvidence) => {}
            Err(error) => self.invalid(from, "contradicting vote", error, step),
        }
    }

    fn is_accused(&self, replica: MemberIndex) -> bool {
        self.peers.get(usize::from(replica)).is_none_or(|peer| peer.accused)
    }

    /// Sends the votes that a slot has become ready for, and decides it.
    pub(super) fn advance(&mut self, now: Time, slot: u64, step: &mut Step<Self>) {
        if !self.in_window(slot) {
            return;
        }
        if self.active {
            self.accept_proposal(now, slot, step);
            self.prepare(now, slot, step);
            self.commit(now, slot, step);
        }
        self.decide(slot, step);
    }

    /// Sends this replica's signed vote.
    fn prepare(&mut self, now: Time, slot: u64, step: &mut Step<Self>) {
        let (me, view) = (self.me, self.view);
        let Some(state) = self.slots.get(&slot) else { return };
        let Some((_, value)) = state.accepted.filter(|(accepted, _)| *accepted == view) else { return };
        if !state.votes.is_slow || state.votes.prepares.contains_key(&me) {
            return;
        }
        let ballot = Ballot { view, slot, value };
        let Some(signature) = self.sign(now, &Statement::Prepare(ballot), step) else {
            self.dirty.insert(slot);
            return;
        };
        if let Some(state) = self.slots.get_mut(&slot) {
            state.votes.prepares.insert(me, (value, signature.clone()));
        }
        step.broadcast(Message::Prepare(Vote { ballot, signature }));
    }

    /// Keeps the certificate of a slot, and sends this replica's commitment to it.
    fn commit(&mut self, now: Time, slot: u64, step: &mut Step<Self>) {
        let (me, view, quorum) = (self.me, self.view, self.quorum());
        let Some(state) = self.slots.get_mut(&slot) else { return };
        if state.prepared.as_ref().is_none_or(|prepared| prepared.view < view) {
            let values = state.votes.prepares.values().map(|(value, _)| value);
            let Some(value) = agreed(values, quorum) else { return };
            let same = state.votes.prepares.iter().filter(|(_, (other, _))| *other == value);
            let signatures = same.map(|(replica, (_, signature))| (*replica, signature.clone()));
            let Some(certificate) = Certificate::new(signatures, quorum) else { return };
            let prepared = Prepared { view, value, certificate };
            step.persist(Record::Prepared(slot, prepared.clone()));
            state.prepared = Some(prepared);
        }
        let Some(prepared) = state.prepared.as_ref().filter(|prepared| prepared.view == view) else { return };
        if state.votes.commits.contains_key(&me) {
            return;
        }
        let ballot = Ballot { view, slot, value: prepared.value };
        let Some(signature) = self.sign(now, &Statement::Commit(ballot), step) else {
            self.dirty.insert(slot);
            return;
        };
        if let Some(state) = self.slots.get_mut(&slot) {
            state.votes.commits.insert(me, (ballot.value, signature.clone()));
        }
        step.broadcast(Message::Commit(Vote { ballot, signature }));
    }
}

fn signature<S>(message: &Message<S>) -> Option<&S> {
    match message {
        Message::Prepare(vote) | Message::Commit(vote) => Some(&vote.signature),
        Message::Checkpoint { signature, .. } => Some(signature),
        _ => None,
    }
}
