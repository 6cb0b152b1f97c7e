use quorate::Result;
use quorate::machine::{MemberIndex, Step, Time};
use quorate_broadcast::authentication::Authentication;

use super::state::{SlotState, Votes};
use super::{Limited, Replica, leader};
use crate::application::Application;
use crate::choice::{Choice, choose};
use crate::interface::Timer;
use crate::message::{Message, NewView, Record, SlotReport, ViewChange, new_view_digest, report_digest};
use crate::statement::{Ballot, Statement};

/// Number of times the timeout doubles.
const DOUBLINGS: u32 = 5;

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Sets the timer of suspicion while something waits, and stops it otherwise. A replica that waits for a new view
    /// suspects its leader only when n − f replicas wait with it.
    pub(super) fn watch(&mut self, step: &mut Step<Self>) {
        let waits = if self.active {
            self.is_waiting()
        } else {
            let waiting = self.view_changes.values().filter(|change| change.view >= self.view);
            waiting.count() >= self.quorum()
        };
        if waits && !self.suspecting {
            self.suspecting = true;
            let timeout = self.parameters.suspect * (1 << self.failures.min(DOUBLINGS));
            step.set_timer(Timer::Suspect, timeout);
        } else if !waits {
            self.rest(step);
        }
    }

    /// Stops the timer of suspicion.
    pub(super) fn rest(&mut self, step: &mut Step<Self>) {
        if std::mem::take(&mut self.suspecting) {
            step.cancel_timer(Timer::Suspect);
        }
    }

    /// Returns true if a request or a slot waits for the leader.
    fn is_waiting(&self) -> bool {
        let is_open = |(_, state): (&u64, &SlotState<A::Signature>)| {
            state.decided.is_some() || state.accepted.is_some_and(|(view, _)| view == self.view)
        };
        self.slots.range(self.executed + 1..).any(is_open) || self.pending().next().is_some()
    }

    /// Gives up the leader.
    pub(super) fn on_suspect(&mut self, now: Time, step: &mut Step<Self>) {
        self.suspecting = false;
        if !self.active || self.is_waiting() {
            self.failures = self.failures.saturating_add(1);
            self.leave_view(now, self.view + 1, step);
        }
    }

    /// Leaves the view for a later one, and reports what it accepted.
    fn leave_view(&mut self, now: Time, view: u64, step: &mut Step<Self>) {
        self.turn_to(view, step);
        self.report_view_change(now, step);
    }

    fn turn_to(&mut self, view: u64, step: &mut Step<Self>) {
        step.persist(Record::View(view));
        self.view = view;
        self.active = false;
        self.new_view = None;
        self.view_changes.retain(|_, change| change.view >= view);
        for (slot, state) in &mut self.slots {
            step.cancel_timer(Timer::Fast(*slot));
            state.votes = Votes::default();
        }
        self.rest(step);
    }

    /// Sends this replica's report, or repeats it.
    pub(super) fn report_view_change(&mut self, now: Time, step: &mut Step<Self>) {
        if let Some(own) = self.view_changes.get(&self.me).filter(|own| own.view == self.view) {
            return step.broadcast(Message::ViewChange(own.clone()));
        }
        let slots =
            self.slots.iter().filter(|(_, state)| state.accepted.is_some() || state.prepared.is_some());
        let slots = slots.map(|(slot, state)| SlotReport {
            slot: *slot,
            accepted: state.accepted,
            prepared: state.prepared.clone(),
        });
        let (replica, view, slots) = (self.me, self.view, slots.collect::<Vec<_>>());
        let stable = self.stable.as_ref().map(|stable| stable.checkpoint.clone());
        let digest = report_digest(replica, view, stable.as_ref(), &slots);
        let Some(signature) = self.sign(now, &Statement::ViewChange { digest }, step) else { return };
        let change = ViewChange { replica, view, stable, slots, signature };
        self.view_changes.insert(replica, change.clone());
        step.broadcast(Message::ViewChange(change));
    }

    /// Handles another replica's report, and leaves the view if f + 1 replicas have left it.
    pub(super) fn on_view_change(
        &mut self,
        now: Time,
        from: MemberIndex,
        change: ViewChange<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let is_late = change.view < self.view || (self.active && change.view == self.view);
        let is_known = self.view_changes.get(&from).is_some_and(|known| known.view >= change.view);
        if is_late || is_known || !self.admit(now, from, Limited::ViewChange) {
            return;
        }
        if let Err(error) = self.check_report(&change) {
            return self.invalid(from, "view change", error, step);
        }
        self.view_changes.insert(from, change);
        let later = self.view_changes.values().map(|change| change.view).filter(|view| *view > self.view);
        let mut later: Vec<u64> = later.collect();
        later.sort_unstable_by(|a, b| b.cmp(a));
        // The lowest view that at least one correct replica has reached.
        if let Some(view) = later.get(self.faulty()) {
            self.leave_view(now, *view, step);
        }
    }

    /// Verifies the signatures of a report, with the group alone.
    fn check_report(&self, change: &ViewChange<A::Signature>) -> Result<()> {
        let group = &self.group;
        let unknown = || quorate::Error::UnknownSigner { index: change.replica.into() };
        let key = group.key(change.replica).ok_or_else(unknown)?;
        let statement = Statement::ViewChange { digest: change.digest() };
        A::verify_alone(key, &statement.bytes(&group.id(), change.replica), &change.signature)?;
        if let Some(stable) = &change.stable {
            let statement = Statement::Checkpoint { slot: stable.slot, digest: stable.digest };
            stable.certificate.verify::<A>(group, &statement)?;
        }
        change.slots.iter().try_for_each(|report| {
            let Some(prepared) = &report.prepared else { return Ok(()) };
            let ballot = Ballot { view: prepared.view, slot: report.slot, value: prepared.value };
            prepared.certificate.verify::<A>(group, &Statement::Prepare(ballot))
        })
    }

    /// As the leader of the next view, begins it when n − f reports and the state of their checkpoint are there.
    pub(super) fn try_new_view(&mut self, now: Time, step: &mut Step<Self>) {
        if self.active || self.leader() != self.me {
            return;
        }
        let view = self.view;
        let changes = self.view_changes.values().filter(|change| change.view == view);
        let changes: Vec<_> = changes.take(self.quorum()).cloned().collect();
        if changes.len() < self.quorum() {
            return;
        }
        let choice = self.choose(&changes);
        if choice.stable > self.low() {
            return;
        }
        let digest = new_view_digest(view, &changes);
        let Some(signature) = self.sign(now, &Statement::NewView { digest }, step) else { return };
        let new_view = NewView { view, changes, signature };
        step.broadcast(Message::NewView(new_view.clone()));
        self.enter(now, new_view, choice, step);
    }

    /// Handles the leader's new view, which any replica may pass on.
    pub(super) fn on_new_view(
        &mut self,
        now: Time,
        from: MemberIndex,
        new_view: NewView<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let is_late = new_view.view < self.view || (self.active && new_view.view == self.view);
        if is_late || !self.admit(now, from, Limited::NewView) {
            return;
        }
        if let Err(error) = self.check_new_view(&new_view) {
            return self.invalid(from, "new view", error, step);
        }
        let choice = self.choose(&new_view.changes);
        // Otherwise the state comes first: the sender of the new view learns from the status that it is missing.
        if choice.stable <= self.low() {
            if new_view.view > self.view {
                self.turn_to(new_view.view, step);
            }
            self.enter(now, new_view, choice, step);
        }
    }

    fn check_new_view(&self, new_view: &NewView<A::Signature>) -> Result<()> {
        let leader = leader(new_view.view, self.group.len());
        let key = self.group.key(leader).ok_or(quorate::Error::UnknownSigner { index: leader.into() })?;
        let statement = Statement::NewView { digest: new_view.digest() };
        A::verify_alone(key, &statement.bytes(&self.group.id(), leader), &new_view.signature)?;
        new_view.changes.iter().try_for_each(|change| {
            // Reports that arrived before are verified already.
            if self.view_changes.get(&change.replica) == Some(change) {
                Ok(())
            } else {
                self.check_report(change)
            }
        })
    }

    fn choose(&self, changes: &[ViewChange<A::Signature>]) -> Choice {
        choose(changes, self.faulty(), self.parameters.window, self.parameters.flaw)
    }

    /// Begins the view with the chosen values.
    fn enter(&mut self, now: Time, new_view: NewView<A::Signature>, choice: Choice, step: &mut Step<Self>) {
        let view = new_view.view;
        self.active = true;
        self.new_view = Some(new_view);
        self.view_changes.retain(|_, change| change.view > view);
        // The former leader is probably down: not all replicas will accept.
        self.slow_until = now.plus(self.parameters.slow_for);
        self.rest(step);
        for (slot, value) in choice.values {
            if !self.in_window(slot) {
                continue;
            }
            self.accept(now, slot, value, Message::Accept(Ballot { view, slot, value }), step);
        }
        // Slots that were accepted in this view before a restart.
        for (slot, state) in &mut self.slots {
            if let Some((_, value)) = state.accepted.filter(|(accepted, _)| *accepted == view) {
                state.votes.accepts.insert(self.me, value);
                self.dirty.insert(*slot);
            }
        }
    }
}
