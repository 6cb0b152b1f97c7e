use std::sync::Arc;

use quorate::machine::{MemberIndex, Step, Time};
use quorate::{Error, Result};
use quorate_broadcast::authentication::Authentication;

use super::state::{CheckpointVotes, Triage, agreed};
use super::{Limited, Replica};
use crate::application::{Application, Executed, state_digest};
use crate::interface::{Flaw, Output, Timer};
use crate::message::{Checkpoint, Message, Record, StableState};
use crate::statement::{Certificate, Digest, Statement};
use crate::value::{Request, Value};

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Decides a slot: if all replicas accepted the same value, if n − f committed it, or if f + 1 report it as decided.
    pub(super) fn decide(&mut self, slot: u64, step: &mut Step<Self>) {
        let (all, quorum, faulty) = (usize::from(self.group.len()), self.quorum(), self.faulty());
        let Some(state) = self.slots.get_mut(&slot).filter(|state| state.decided.is_none()) else { return };
        let fast = agreed(state.votes.accepts.values(), all).map(|value| (0, value));
        let slow =
            || agreed(state.votes.commits.values().map(|(value, _)| value), quorum).map(|value| (1, value));
        let reported = || agreed(state.reports.values(), faulty + 1).map(|value| (2, value));
        let Some((path, value)) = fast.or_else(slow).or_else(reported) else { return };
        state.decided = Some(value);
        if let Some(count) = self.decided.get_mut(path) {
            *count += 1;
        }
        step.persist(Record::Decided(slot, value));
        step.cancel_timer(Timer::Fast(slot));
    }

    /// Handles another replica's report of a decision.
    pub(super) fn on_decided(&mut self, from: MemberIndex, slot: u64, value: Value) {
        if self.in_window(slot) {
            self.slots.entry(slot).or_default().reports.insert(from, value);
            self.dirty.insert(slot);
        }
    }

    /// Executes decided slots in order, and makes checkpoints.
    pub(super) fn execute(&mut self, now: Time, step: &mut Step<Self>) {
        while let Some(value) = self.slots.get(&(self.executed + 1)).and_then(|state| state.decided) {
            self.executed += 1;
            let slot = self.executed;
            let applied = self.apply(value, step);
            step.output(Output::Executed { slot, value, applied });
            self.failures = 0;
            self.rest(step);
            if slot.is_multiple_of(self.parameters.checkpoint) {
                let state: Arc<[u8]> = self.executed_requests.encode_with(&self.application.state()).into();
                let digest = state_digest(&state);
                self.checkpoints.entry(slot).or_default().state = Some((state, digest));
            }
        }
        self.sign_checkpoints(now, step);
        self.stabilise(step);
    }

    /// Executes a request, unless it was executed before. Returns true if it was executed.
    fn apply(&mut self, value: Value, step: &mut Step<Self>) -> bool {
        let Value::Request(request) = value else { return false };
        let Request { client, sequence, operation } = request;
        let executed = match self.executed_requests.execute(&mut self.application, request) {
            None if self.parameters.flaw == Some(Flaw::RepeatsRequests) => {
                Some(self.application.apply(client, operation))
            }
            executed => executed,
        };
        let Some(answer) = executed else { return false };
        step.output(Output::Reply { client, sequence, answer });
        true
    }

    /// Signs and sends the checkpoints that this replica has not signed yet.
    fn sign_checkpoints(&mut self, now: Time, step: &mut Step<Self>) {
        let me = self.me;
        let unsigned = |(slot, checkpoint): (&u64, &CheckpointVotes<A::Signature>)| {
            let (_, digest) = checkpoint.state.as_ref()?;
            (!checkpoint.votes.contains_key(&me)).then_some((*slot, *digest))
        };
        let unsigned: Vec<_> = self.checkpoints.iter().filter_map(unsigned).collect();
        for (slot, digest) in unsigned {
            let Some(signature) = self.sign(now, &Statement::Checkpoint { slot, digest }, step) else {
                return;
            };
            self.note_checkpoint(me, slot, digest, signature.clone());
            step.broadcast(Message::Checkpoint { slot, digest, signature });
        }
    }

    /// Returns this replica's signed checkpoints above a slot.
    pub(super) fn own_checkpoints(&self, above: u64) -> impl Iterator<Item = Message<A::Signature>> {
        let me = self.me;
        self.checkpoints.range(above + 1..).filter_map(move |(slot, checkpoint)| {
            let (digest, signature) = checkpoint.votes.get(&me)?;
            Some(Message::Checkpoint { slot: *slot, digest: *digest, signature: signature.clone() })
        })
    }

    pub(super) fn triage_checkpoint(&self, from: MemberIndex, slot: u64) -> Triage {
        let known = self.checkpoints.get(&slot).is_some_and(|votes| votes.votes.contains_key(&from));
        if known || !self.in_window(slot) || !slot.is_multiple_of(self.parameters.checkpoint) {
            return Triage::Ignore;
        }
        Triage::Verify
    }

    /// Counts a verified checkpoint.
    pub(super) fn note_checkpoint(
        &mut self,
        from: MemberIndex,
        slot: u64,
        digest: Digest,
        signature: A::Signature,
    ) {
        self.checkpoints.entry(slot).or_default().votes.insert(from, (digest, signature));
    }

    /// Makes the newest checkpoint stable that n − f replicas signed, this one among them.
    fn stabilise(&mut self, step: &mut Step<Self>) {
        let quorum = self.quorum();
        let stable = self.checkpoints.iter().rev().find_map(|(slot, checkpoint)| {
            let (state, digest) = checkpoint.state.clone()?;
            let same = checkpoint.votes.iter().filter(|(_, (other, _))| *other == digest);
            let signatures = same.map(|(replica, (_, signature))| (*replica, signature.clone()));
            let certificate = Certificate::new(signatures, quorum)?;
            Some(StableState { checkpoint: Checkpoint { slot: *slot, digest, certificate }, state })
        });
        if let Some(stable) = stable {
            self.discard(stable, step);
        }
    }

    /// Discards everything up to a stable checkpoint.
    fn discard(&mut self, stable: StableState<A::Signature>, step: &mut Step<Self>) {
        let low = stable.checkpoint.slot;
        step.persist(Record::Stable(stable.clone()));
        self.stable = Some(stable);
        for slot in self.slots.range(..=low).map(|(slot, _)| *slot) {
            step.cancel_timer(Timer::Fast(slot));
        }
        self.slots.retain(|slot, _| *slot > low);
        self.checkpoints.retain(|slot, _| *slot > low);
        self.dirty.retain(|slot| *slot > low);
    }

    /// Handles a stable checkpoint with its state. It may come from any replica, since n − f signed its digest.
    pub(super) fn on_state(
        &mut self,
        now: Time,
        from: MemberIndex,
        stable: StableState<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let Checkpoint { slot, digest: expected, certificate } = &stable.checkpoint;
        let slot = *slot;
        if slot <= self.low() || !self.admit(now, from, Limited::State) {
            return;
        }
        let statement = Statement::Checkpoint { slot, digest: *expected };
        let verified = match state_digest(&stable.state) == *expected {
            true => certificate.verify::<A>(&self.group, &statement),
            false => Err(Error::WrongContext { what: "state" }),
        };
        let was = self.executed;
        match verified.and_then(|()| self.load_state(&stable)) {
            Ok(()) => self.discard(stable, step),
            Err(error) => return self.invalid(from, "state", error, step),
        }
        if self.executed > was {
            step.output(Output::Restored { slot });
            self.rest(step);
        }
    }

    /// Adopts a state that is ahead of this replica's.
    pub(super) fn load_state(&mut self, stable: &StableState<A::Signature>) -> Result<()> {
        if stable.checkpoint.slot > self.executed {
            let (requests, state) =
                Executed::decode_with(&stable.state, self.parameters.clients, P::MAX_STATE)?;
            self.application.restore(&state)?;
            self.executed_requests = requests;
            self.executed = stable.checkpoint.slot;
        }
        Ok(())
    }
}
