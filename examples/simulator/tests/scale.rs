//! Cost of a broadcast to many nodes, counted in operations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::cell::Cell;
use std::time::Duration;

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate_simulator::{
    Actions, BootContext, Host, Latency, Link, Network, Node, Scenario, Verdict, Violation, run,
};

thread_local!(static ENCODED: Cell<u64> = const { Cell::new(0) });

#[derive(Clone, Debug)]
struct Rumour(u64);

impl Encode for Rumour {
    fn encode_to(&self, w: &mut Writer) {
        ENCODED.set(ENCODED.get() + 1);
        w.u64(self.0);
    }
}

impl Decode for Rumour {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> quorate::Result<Self> {
        Ok(Rumour(r.u64()?))
    }
}

/// The first hundred members broadcast one message each.
struct Crier(MemberIndex);

impl Machine for Crier {
    type Message = Rumour;
    type Command = ();
    type Timer = ();
    type Record = Rumour;
    type Output = u64;
    type Fault = ();

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> quorate::Result<Rumour> {
        Rumour::decode(bytes, &())
    }

    fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start if self.0 < 100 => step.broadcast(Rumour(u64::from(self.0))),
            Input::Message { message, .. } => step.output(message.0),
            _ => {}
        }
        step
    }
}

#[derive(Default)]
struct Town {
    heard: u64,
}

impl Host for Town {
    type Machine = Crier;

    fn boot(&mut self, boot: BootContext<Rumour>) -> Result<Crier, Violation> {
        Ok(Crier(boot.node.member))
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Rumour> {
        Rumour::decode(bytes, &())
    }

    fn on_output(&mut self, _: Node, _: u64, _: &mut Actions<'_, Crier>) -> Verdict {
        self.heard += 1;
        Ok(())
    }

    fn at_end(&mut self, _: Time) -> Verdict {
        if self.heard == 100 * 9_999 { Ok(()) } else { Err(Violation::new("heard", self.heard.to_string())) }
    }
}

#[test]
fn a_broadcast_to_ten_thousand_nodes_is_encoded_once() {
    let link =
        Link::perfect(Latency::Uniform(Duration::from_millis(1), Duration::from_millis(99))).unordered();
    let scenario =
        Scenario::new("town", 10_000, 1).network(Network::stable(link)).lasting(Duration::from_secs(1));
    let report = run(&scenario, |_| Town::default());
    assert_eq!(report.outcome, Ok(()));
    // Once by the sender, and once by the check that the bytes are canonical at the first receiver.
    assert_eq!(ENCODED.get(), 200);
    assert_eq!(report.events, 100 * 9_999 + 10_000);
}
