//! Host of the Paxos machines: workload, agreement check, latency measurement.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate::machine::{Outgoing, Time};
use quorate::wire::Decode;
use quorate_simulator::{
    Actions, Adversary, Agreement, BootContext, Control, Delivered, Host, Interception, Node,
    PresetParameters, RunLength, Scenario, Verdict, Violation,
};

use super::{Body, Decision, Flaw, Message, Paxos, Propose, Record};

/// Decides which messages are delivered.
pub type Interceptor = Box<dyn Fn(Time, Node, Node, &Message) -> Interception>;

pub struct PaxosHost {
    members: usize,
    flaw: Flaw,
    pub agreement: Agreement<u64>,
    proposed: BTreeMap<u64, Time>,
    next: u64,
    pub interceptor: Option<Interceptor>,
    pub boots: Vec<(usize, u32, usize)>,
}

impl PaxosHost {
    pub fn new(scenario: &Scenario, flaw: Flaw) -> Self {
        PaxosHost {
            members: scenario.nodes,
            flaw,
            agreement: Agreement::new(1),
            proposed: BTreeMap::new(),
            next: 1,
            interceptor: None,
            boots: Vec::new(),
        }
    }
}

/// Paxos tolerates a minority of crashed members.
pub fn shape(nodes: usize) -> PresetParameters<'static> {
    PresetParameters {
        nodes,
        faulty: (nodes - 1) / 2,
        adversaries: &["false-decision"],
        live_within: Duration::from_secs(10),
        length: RunLength::Full,
    }
}

/// Sends wrong decisions to odd members.
struct FalseDecision;

impl Adversary<Paxos> for FalseDecision {
    fn on_send(&mut self, outgoing: Outgoing<Message>, control: &mut Control<'_, Paxos>) {
        let Body::Decided { height, value } = outgoing.message.body else { return control.pass(outgoing) };
        let false_decision =
            Message::new(control.node().member, Body::Decided { height, value: value + 1_000_000 });
        for member in control.members() {
            control.send(member, if member % 2 == 0 { &outgoing.message } else { &false_decision });
        }
    }
}

impl Host for PaxosHost {
    type Machine = Paxos;

    fn boot(&mut self, boot: BootContext<Record>) -> Result<Paxos, Violation> {
        self.boots.push((boot.node.slot, boot.restarts, boot.records.len()));
        let noise = u64::from_le_bytes(*boot.seed.first_chunk().unwrap());
        Ok(Paxos::new(boot.node.member, self.members, self.flaw, boot.records, noise))
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record> {
        Record::decode(bytes, &())
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Paxos>) -> Verdict {
        self.agreement.on_start(node);
        actions.wake(0, Duration::from_millis(100));
        Ok(())
    }

    fn on_wake(&mut self, _: Node, _: u64, actions: &mut Actions<'_, Paxos>) -> Verdict {
        self.proposed.insert(self.next, actions.now());
        actions.command(Propose(self.next), Duration::ZERO);
        self.next += 1;
        let pause = actions.rng().duration(Duration::from_millis(200), Duration::from_millis(800));
        actions.wake(0, pause);
        Ok(())
    }

    fn on_output(&mut self, node: Node, decision: Decision, actions: &mut Actions<'_, Paxos>) -> Verdict {
        let Decision { height, value } = decision;
        let delivered = self.agreement.deliver(node, height, value)?;
        if let (Delivered::First, Some(at)) = (delivered, self.proposed.get(&value)) {
            actions.measure("decision", actions.now().since(*at));
        }
        actions.progress(height);
        Ok(())
    }

    fn adversary(&mut self, _: Node, name: &str) -> Option<Box<dyn Adversary<Paxos>>> {
        (name == "false-decision").then(|| Box::new(FalseDecision) as Box<dyn Adversary<Paxos>>)
    }

    fn intercept(&mut self, now: Time, from: Node, to: Node, message: &Message) -> Interception {
        self.interceptor
            .as_ref()
            .map_or(Interception::Pass, |interceptor| interceptor(now, from, to, message))
    }
}
