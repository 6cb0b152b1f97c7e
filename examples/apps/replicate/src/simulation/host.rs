use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Fault, MemberIndex, Time};
use quorate::wire::Decode;
use quorate_broadcast::simulation::SimulatedAuthentication;
use quorate_simulator::{Actions, Adversary, BootContext, Host, Interception, Node, Verdict, Violation};

use super::adversaries::ReplicaAdversary;
use crate::application::Counter;
use crate::{
    Answer, ClientIndex, Command, Config, Equivocation, Message, Misbehaviour, Output, Parameters, Record,
    Replica, Request, Status, Value, faulty, limits,
};

/// Number of clients of a run. The last one is two-faced if [`ReplicaHost::two_faced_client`] is set.
pub const CLIENTS: u16 = 3;
/// Interval at which a client sends its request to a replica again.
const RESEND: Duration = Duration::from_millis(200);

/// Decides about the delivery of messages.
type Interceptor<S> = Box<dyn Fn(Time, Node, Node, &Message<S>) -> Interception>;

/// A client: one request at a time.
#[derive(Default)]
struct Client {
    sequence: u64,
    began: Time,
    /// Answers to the current request, by replica.
    answers: BTreeMap<MemberIndex, Answer>,
    /// Answers that the client has accepted, by sequence.
    accepted: BTreeMap<u64, Answer>,
}

/// Host of a run: the clients and the checks.
pub struct ReplicaHost<A: SimulatedAuthentication> {
    group: Arc<Committee<Ed25519>>,
    /// Parameters of the machines.
    pub parameters: Parameters,
    /// Replicas lose their records in a crash, as if nothing were persisted.
    pub forgets: bool,
    /// The last client sends different requests with one number to different replicas.
    pub two_faced_client: bool,
    /// Decides about the delivery of correct replicas' messages.
    pub interceptor: Option<Interceptor<A::Signature>>,
    clients: Vec<Client>,
    /// Executed values by slot, with the first replica.
    pub executed: BTreeMap<u64, (Value, usize)>,
    /// Slots in which a request was applied.
    applied: BTreeMap<(ClientIndex, u64), u64>,
    /// Last status of each correct replica in its current run.
    pub status: BTreeMap<usize, Status>,
    /// Number of states that replicas adopted.
    pub restored: u64,
    /// Evidence held by correct replicas.
    pub evidence: Vec<Equivocation<A::Signature>>,
    /// Faults reported by correct replicas, by culprit and code.
    pub misbehaviours: BTreeMap<(MemberIndex, &'static str), u64>,
}

impl<A: SimulatedAuthentication> ReplicaHost<A> {
    /// Creates the host of a run.
    pub fn new(group: Arc<Committee<Ed25519>>) -> Self {
        Self {
            group,
            parameters: Self::parameters(),
            forgets: false,
            two_faced_client: false,
            interceptor: None,
            clients: (0..CLIENTS).map(|_| Client { sequence: 1, ..Client::default() }).collect(),
            executed: BTreeMap::new(),
            applied: BTreeMap::new(),
            status: BTreeMap::new(),
            restored: 0,
            evidence: Vec::new(),
            misbehaviours: BTreeMap::new(),
        }
    }

    /// Parameters with few slots between checkpoints, which runs exceed.
    pub fn parameters() -> Parameters {
        Parameters {
            clients: CLIENTS,
            window: 16,
            checkpoint: 8,
            fast_timeout: Duration::from_millis(60),
            slow_for: Duration::from_millis(400),
            suspect: Duration::from_millis(900),
            retry: Duration::from_millis(150),
            ..Parameters::default()
        }
    }

    /// Returns the number of requests whose answers clients have accepted.
    pub fn answered(&self) -> usize {
        self.clients.iter().map(|client| client.accepted.len()).sum()
    }

    /// Returns the request that a client sends to a replica.
    fn request(&self, client: ClientIndex, sequence: u64, replica: MemberIndex) -> Request {
        let two_faced = self.two_faced_client && client == CLIENTS - 1;
        let face = if two_faced { u64::from(replica % 2) } else { 0 };
        let operation = (u64::from(client) * 1_000_000 + sequence * 10 + face).to_le_bytes();
        Request { client, sequence, operation }
    }

    fn was_sent(&self, request: &Request) -> bool {
        let client = self.clients.get(usize::from(request.client));
        let faces = [0, 1].map(|replica| self.request(request.client, request.sequence, replica));
        client.is_some_and(|client| request.sequence <= client.sequence) && faces.contains(request)
    }

    /// Agreement, validity and exactly-once execution.
    fn check_executed(&mut self, at: usize, slot: u64, value: Value, applied: bool) -> Verdict {
        match self.executed.get(&slot) {
            Some((other, first)) if *other != value => {
                let detail =
                    format!("in slot {slot} node {first} executed {other:?} and node {at} {value:?}");
                return Err(Violation::new("agreement", detail));
            }
            Some(_) => {}
            None => drop(self.executed.insert(slot, (value, at))),
        }
        let Value::Request(request) = value else {
            return if applied { Err(Violation::new("exactly-once", "a no-op was applied")) } else { Ok(()) };
        };
        // A repeated or older number changes nothing.
        if !applied {
            return Ok(());
        }
        let first = *self.applied.entry((request.client, request.sequence)).or_insert(slot);
        if first != slot {
            let detail = format!("node {at} applied {request:?} in slots {first} and {slot}");
            return Err(Violation::new("exactly-once", detail));
        }
        if !self.was_sent(&request) {
            let detail = format!("node {at} applied {request:?}, which no client sent");
            return Err(Violation::new("validity", detail));
        }
        Ok(())
    }

    /// A client accepts an answer that f + 1 replicas gave.
    fn answer(
        &mut self,
        node: Node,
        client: ClientIndex,
        sequence: u64,
        answer: Answer,
        actions: &mut Actions<'_, Replica<A, Counter>>,
    ) -> Verdict {
        let needed = faulty(self.group.len()) + 1;
        let Some(state) = self.clients.get_mut(usize::from(client)) else {
            return Err(Violation::new("validity", format!("an answer to client {client}")));
        };
        if let Some(accepted) = state.accepted.get(&sequence)
            && *accepted != answer
            && node.honest
        {
            return Err(Violation::new(
                "answers",
                format!("node {} answers {client} {sequence} otherwise", node.slot),
            ));
        }
        if sequence == state.sequence {
            state.answers.insert(node.member, answer);
            if state.answers.values().filter(|other| **other == answer).count() >= needed {
                actions.measure("request", actions.now().since(state.began));
                state.accepted.insert(sequence, answer);
                (state.sequence, state.began) = (sequence + 1, actions.now());
                state.answers.clear();
            }
        }
        Ok(())
    }
}

impl<A: SimulatedAuthentication> Host for ReplicaHost<A> {
    type Machine = Replica<A, Counter>;

    fn boot(&mut self, boot: BootContext<Record<A::Signature>>) -> Result<Replica<A, Counter>, Violation> {
        let BootContext { node, mut records, seed, .. } = boot;
        if self.forgets {
            records.clear();
        }
        if seed[0].is_multiple_of(2) {
            // Records as a store with one key per place would keep them.
            let kept: BTreeMap<_, _> = records.into_iter().map(|record| (record.place(), record)).collect();
            records = kept.into_values().collect();
        }
        let config = Config {
            group: self.group.clone(),
            me: node.member,
            authentication: A::make(self.group.clone(), node.member, seed),
            application: Counter::default(),
            parameters: self.parameters.clone(),
        };
        let replica = Replica::new(config, records)
            .map_err(|error| Violation::new("restart", format!("node {}: {error}", node.slot)))?;
        // The records that replace all earlier ones describe the same state.
        let config = Config {
            group: self.group.clone(),
            me: node.member,
            authentication: A::make(self.group.clone(), node.member, seed),
            application: Counter::default(),
            parameters: self.parameters.clone(),
        };
        let again = Replica::new(config, replica.records());
        match again {
            Ok(again) if again.records() == replica.records() => Ok(replica),
            _ => Err(Violation::new("restart", format!("node {}: other records", node.slot))),
        }
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<A::Signature>> {
        Record::decode(bytes, &limits::<A, Counter>(self.group.len(), &self.parameters))
    }

    fn on_start(&mut self, _: Node, actions: &mut Actions<'_, Replica<A, Counter>>) -> Verdict {
        let first = actions.rng().duration(Duration::from_millis(1), RESEND);
        actions.wake(0, first);
        Ok(())
    }

    fn on_wake(&mut self, node: Node, _: u64, actions: &mut Actions<'_, Replica<A, Counter>>) -> Verdict {
        for client in 0..CLIENTS {
            let sequence = self.clients[usize::from(client)].sequence;
            let pause = actions.rng().duration(Duration::ZERO, RESEND / 4);
            actions.command(Command::Request(self.request(client, sequence, node.member)), pause);
        }
        let pause = actions.rng().duration(RESEND / 2, RESEND * 3 / 2);
        actions.wake(0, pause);
        Ok(())
    }

    fn on_output(
        &mut self,
        node: Node,
        output: Output<A>,
        actions: &mut Actions<'_, Replica<A, Counter>>,
    ) -> Verdict {
        match output {
            Output::Reply { client, sequence, answer } => {
                self.answer(node, client, sequence, answer, actions)
            }
            Output::Executed { slot, value, applied } if node.honest => {
                actions.progress(slot);
                self.check_executed(node.slot, slot, value, applied)
            }
            Output::Restored { slot } if node.honest => {
                self.restored += 1;
                actions.progress(slot);
                Ok(())
            }
            Output::Work(work) => {
                let pause = actions.rng().duration(Duration::ZERO, Duration::from_millis(3));
                actions.command(Command::Done(work.run()), pause);
                Ok(())
            }
            Output::Broken(error) => Err(Violation::new("broken", error.to_string())),
            Output::Outdated { .. } | Output::Executed { .. } | Output::Restored { .. } => Ok(()),
        }
    }

    fn on_fault(&mut self, node: Node, fault: Fault<Misbehaviour<A::Signature>>) -> Verdict {
        if !node.honest {
            return Ok(());
        }
        let Fault { culprit, evidence } = fault;
        *self.misbehaviours.entry((culprit, evidence.code())).or_default() += 1;
        if let Misbehaviour::Equivocation(evidence) = evidence {
            if evidence.culprit != culprit || evidence.verify::<A>(&self.group).is_err() {
                return Err(Violation::new("evidence", format!("node {}: invalid evidence", node.slot)));
            }
            self.evidence.push(*evidence);
        }
        Ok(())
    }

    fn after_step(&mut self, node: Node, machine: &Replica<A, Counter>) -> Verdict {
        let status = machine.status();
        if !node.honest {
            return Ok(());
        }
        self.status.insert(node.slot, status);
        let bound = self.parameters.window as usize;
        if status.slots > bound || status.executed > status.stable + self.parameters.window {
            return Err(Violation::new("bounds", format!("node {}: {status:?}", node.slot)));
        }
        Ok(())
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Replica<A, Counter>>>> {
        Some(Box::new(ReplicaAdversary::<A>::new(name, self.group.clone(), node.member)?))
    }

    fn intercept(
        &mut self,
        now: Time,
        from: Node,
        to: Node,
        message: &Message<A::Signature>,
    ) -> Interception {
        self.interceptor
            .as_ref()
            .map_or(Interception::Pass, |interceptor| interceptor(now, from, to, message))
    }
}
