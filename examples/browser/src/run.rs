//! A protocol's simulation host with an observer: the host runs and checks, the observer logs events for the page
//! without affecting the run.

use core::time::Duration;

use quorate::committee::SignerSet;
use quorate::machine::{Fault, Machine, Time};
use quorate_simulator::{
    Actions, Adversary, BootContext, Fault as Intervention, Host, Interception, Metrics, Node, Scenario,
    Scheduled, Session, Transmission, Verdict, Violation,
};

use crate::event_log::{EventLog, Kind};
use crate::json::Json;

type HostOutput<H> = <<H as Host>::Machine as Machine>::Output;
type HostEvidence<H> = <<H as Host>::Machine as Machine>::Fault;
type HostRecord<H> = <<H as Host>::Machine as Machine>::Record;

/// Observer of a protocol's messages and outputs.
pub(crate) trait ProtocolView {
    /// The protocol's simulation host.
    type Host: Host;

    /// Decodes a message, logs its news, and returns its kind.
    fn observe(&mut self, flight: &Transmission<'_>, event_log: &mut EventLog) -> Kind;

    /// Logs an output of a member.
    fn output(&mut self, node: Node, output: &HostOutput<Self::Host>, event_log: &mut EventLog);

    /// Describes evidence: `proof` if it is provable to third parties, else `refused`; and a text.
    fn describe_evidence(evidence: &HostEvidence<Self::Host>) -> (&'static str, String);

    /// Returns the highest height committed by an honest member.
    fn height(host: &Self::Host) -> u64;

    /// Adds the protocol's part of the state.
    fn protocol_state(&self, json: Json) -> Json {
        json
    }

    /// Adds the state of a running member.
    fn describe(machine: &<Self::Host as Host>::Machine, json: Json) -> Json;
}

/// A run of any protocol, as used by [`World`](crate::World).
pub(crate) trait ProtocolRun {
    fn advance(&mut self, until: Duration) -> bool;
    fn next_at(&self) -> Option<Duration>;
    fn intervene(&mut self, fault: Intervention);
    fn script(&self) -> &[Scheduled];
    /// Returns the number of executed interventions.
    fn done(&self) -> usize;
    fn now(&self) -> Duration;
    fn violation(&self) -> Option<&Violation>;
    fn hash(&self) -> u64;
    fn events(&self) -> u64;
    fn metrics(&self) -> &Metrics;
    fn nodes(&self) -> Vec<Node>;
    fn height(&self) -> u64;
    /// Adds the protocol's part of the state.
    fn protocol_state(&self, json: Json) -> Json;
    /// Adds the state of a member.
    fn describe(&self, slot: usize, json: Json) -> Json;
    fn event_log(&mut self) -> &mut EventLog;
}

/// Creates a run that has not started.
pub(crate) fn observed_run<S: ProtocolView + 'static>(
    scenario: Scenario,
    script: Vec<Scheduled>,
    inner: S::Host,
    spectator: S,
) -> Box<dyn ProtocolRun>
where
    S::Host: 'static,
{
    let host = ObservedHost { inner, spectator, event_log: EventLog::default() };
    Box::new(Session::new(scenario, host, script))
}

/// A host with an observer.
struct ObservedHost<S: ProtocolView> {
    inner: S::Host,
    spectator: S,
    event_log: EventLog,
}

impl<S: ProtocolView> ProtocolRun for Session<ObservedHost<S>> {
    fn advance(&mut self, until: Duration) -> bool {
        Session::advance(self, until)
    }

    fn next_at(&self) -> Option<Duration> {
        Session::next_at(self)
    }

    fn intervene(&mut self, fault: Intervention) {
        Session::intervene(self, fault);
    }

    fn script(&self) -> &[Scheduled] {
        Session::script(self)
    }

    fn done(&self) -> usize {
        Session::done(self)
    }

    fn now(&self) -> Duration {
        Session::now(self)
    }

    fn violation(&self) -> Option<&Violation> {
        Session::violation(self)
    }

    fn hash(&self) -> u64 {
        self.simulation().trace_hash()
    }

    fn events(&self) -> u64 {
        self.simulation().events()
    }

    fn metrics(&self) -> &Metrics {
        self.simulation().metrics()
    }

    fn nodes(&self) -> Vec<Node> {
        self.simulation().nodes().collect()
    }

    fn height(&self) -> u64 {
        S::height(&self.simulation().host().inner)
    }

    fn protocol_state(&self, json: Json) -> Json {
        self.simulation().host().spectator.protocol_state(json)
    }

    fn describe(&self, slot: usize, json: Json) -> Json {
        match self.simulation().machine(slot) {
            Some(machine) => S::describe(machine, json.plain("up", true)),
            None => json.plain("up", false),
        }
    }

    fn event_log(&mut self) -> &mut EventLog {
        &mut self.host_mut().event_log
    }
}

impl<S: ProtocolView> Host for ObservedHost<S> {
    type Machine = <S::Host as Host>::Machine;

    fn boot(&mut self, boot: BootContext<HostRecord<S::Host>>) -> Result<Self::Machine, Violation> {
        let (node, records, restarts) = (boot.node, boot.records.len(), boot.restarts);
        let machine = self.inner.boot(boot)?;
        let event = Json::object().text("e", "start").plain("node", node.slot).plain("member", node.member);
        self.event_log.event(event.plain("records", records).plain("restarts", restarts));
        Ok(machine)
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<HostRecord<S::Host>> {
        self.inner.decode_record(bytes)
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        self.inner.on_start(node, actions)
    }

    fn on_crash(&mut self, node: Node) {
        self.event_log.event(Json::object().text("e", "crash").plain("node", node.slot));
        self.inner.on_crash(node);
    }

    fn on_durable(&mut self, node: Node, record: &HostRecord<S::Host>) -> Verdict {
        self.inner.on_durable(node, record)
    }

    fn on_refused(
        &mut self,
        node: Node,
        from: Node,
        error: &quorate::Error,
        actions: &mut Actions<'_, Self::Machine>,
    ) -> bool {
        self.inner.on_refused(node, from, error, actions)
    }

    fn on_output(
        &mut self,
        node: Node,
        output: HostOutput<S::Host>,
        actions: &mut Actions<'_, Self::Machine>,
    ) -> Verdict {
        self.event_log.at(actions.now().0);
        self.spectator.output(node, &output, &mut self.event_log);
        self.inner.on_output(node, output, actions)
    }

    fn on_wake(&mut self, node: Node, token: u64, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        self.event_log.at(actions.now().0);
        self.inner.on_wake(node, token, actions)
    }

    fn on_fault(&mut self, node: Node, fault: Fault<HostEvidence<S::Host>>) -> Verdict {
        self.event_log.accuse(node, &fault, S::describe_evidence(&fault.evidence));
        self.inner.on_fault(node, fault)
    }

    fn after_step(&mut self, node: Node, machine: &Self::Machine) -> Verdict {
        self.inner.after_step(node, machine)
    }

    fn at_end(&mut self, now: Time) -> Verdict {
        self.inner.at_end(now)
    }

    fn finished(&self) -> bool {
        self.inner.finished()
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Self::Machine>>> {
        self.inner.adversary(node, name)
    }

    fn intercept(
        &mut self,
        now: Time,
        from: Node,
        to: Node,
        message: &<Self::Machine as Machine>::Message,
    ) -> Interception {
        self.inner.intercept(now, from, to, message)
    }

    fn on_transmission(&mut self, flight: Transmission<'_>) {
        self.event_log.at(flight.sent.0);
        let kind = match self.event_log.kind_of_last(flight.bytes) {
            Some(kind) => kind,
            None => self.spectator.observe(&flight, &mut self.event_log),
        };
        self.event_log.flight(&flight, kind);
        self.inner.on_transmission(flight);
    }
}

/// Returns `1` for each member that signed and `0` for each other member.
pub(crate) fn bitmap(signers: &SignerSet) -> String {
    (0..signers.committee_len()).map(|member| if signers.contains(member) { '1' } else { '0' }).collect()
}
