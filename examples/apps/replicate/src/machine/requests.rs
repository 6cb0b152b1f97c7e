use std::cmp::Ordering;

use quorate::machine::{MemberIndex, Step, Time};
use quorate_broadcast::authentication::Authentication;

use super::Replica;
use super::state::SlotState;
use crate::application::Application;
use crate::interface::Output;
use crate::message::Message;
use crate::statement::Ballot;
use crate::value::{Request, Value};

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Handles a request of an authenticated client: echoes it, repeats the answer, or refuses it.
    pub(super) fn on_request(&mut self, request: Request, step: &mut Step<Self>) {
        let Request { client, sequence, .. } = request;
        let (last, answer) = self.executed_requests.last(client);
        match sequence.cmp(&last) {
            Ordering::Less => step.output(Output::Outdated { client, sequence, last }),
            Ordering::Equal => step.output(Output::Reply { client, sequence, answer }),
            Ordering::Greater => self.echo(request, step),
        }
    }

    /// Echoes a request, if the replica has echoed none with this number or a later one.
    fn echo(&mut self, request: Request, step: &mut Step<Self>) {
        let me = self.me;
        let Some(client) = self.clients.get_mut(usize::from(request.client)) else { return };
        if client.own.is_none_or(|own| own.sequence < request.sequence) {
            client.own = Some(request);
            client.echoes.insert(me, request);
            step.broadcast(Message::Echo(request));
            self.reconsider(request);
        }
    }

    /// Handles another replica's echo. A request that f + 1 replicas echo was sent by its client, to a correct one of them.
    pub(super) fn on_echo(&mut self, from: MemberIndex, request: Request, step: &mut Step<Self>) {
        let faulty = self.faulty();
        if request.sequence <= self.executed_requests.last(request.client).0 {
            return;
        }
        let Some(client) = self.clients.get_mut(usize::from(request.client)) else { return };
        if client.note(from, request) && client.echoes(&request) > faulty {
            self.echo(request, step);
            self.reconsider(request);
        }
    }

    /// Looks again at the proposals that waited for a request.
    fn reconsider(&mut self, request: Request) {
        let waiting = self.slots.iter().filter(|(_, s)| s.votes.proposal == Some(Value::Request(request)));
        self.dirty.extend(waiting.map(|(slot, _)| *slot));
    }

    /// Returns true if the client of a proposed value sent it, or if it changes nothing.
    pub(super) fn is_authentic(&self, value: &Value) -> bool {
        let Value::Request(request) = value else { return false };
        let client = self.clients.get(usize::from(request.client));
        request.sequence <= self.executed_requests.last(request.client).0
            || client
                .is_some_and(|client| client.own == Some(*request) || client.echoes(request) > self.faulty())
    }

    /// Returns the requests that n − f replicas echoed and that are not executed. As at least f + 1 of them are correct, all
    /// correct replicas will know the request and accept it.
    pub(super) fn pending(&self) -> impl Iterator<Item = Request> {
        let quorum = crate::statement::quorum(self.group.len());
        self.clients.iter().filter_map(move |client| {
            let own = client.own.filter(|own| own.sequence > self.executed_requests.last(own.client).0)?;
            (client.echoes(&own) >= quorum).then_some(own)
        })
    }

    /// As the leader, assigns slots to requests.
    pub(super) fn propose(&mut self, now: Time, step: &mut Step<Self>) {
        if !self.is_leader() {
            return;
        }
        let view = self.view;
        let open: Vec<Request> = self.pending().collect();
        for request in open {
            let value = Value::Request(request);
            let is_proposed = |(_, state): (&u64, &SlotState<A::Signature>)| {
                state.accepted == Some((view, value)) || state.decided == Some(value)
            };
            if self.slots.iter().any(is_proposed) {
                continue;
            }
            let used = self.slots.iter().rev().find(|(_, state)| {
                state.decided.is_some() || state.accepted.is_some_and(|(accepted, _)| accepted == view)
            });
            let slot = used.map_or(self.low(), |(slot, _)| *slot).max(self.executed) + 1;
            if !self.in_window(slot) {
                return;
            }
            let ballot = Ballot { view, slot, value };
            self.accept(now, slot, value, Message::Propose(ballot), step);
        }
    }

    /// Repeats the echoes of requests that are not executed.
    pub(super) fn repeat_echoes(&self, step: &mut Step<Self>) {
        for own in self.clients.iter().filter_map(|client| client.own) {
            if own.sequence > self.executed_requests.last(own.client).0 {
                step.broadcast(Message::Echo(own));
            }
        }
    }
}
