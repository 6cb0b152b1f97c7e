//! What the experimenter supplies for a protocol: how machines are made, what answers their outputs, the workload,
//! and the checks.

use core::time::Duration;
use std::sync::Arc;

use quorate::machine::{Fault, Machine, MemberIndex, Recipient, Time};
use quorate::wire::Encode;

use crate::adversary::Adversary;
use crate::checker::{Verdict, Violation};
use crate::metrics::Metrics;
use crate::rng::{Rng, micros};

/// One running node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Its number in this run. Below the committee's size it equals `member`; the second of twins has a higher one.
    pub slot: usize,
    /// Under which identity it runs.
    pub member: MemberIndex,
    /// Whether it follows the protocol. Crashing does not make a node dishonest.
    pub honest: bool,
}

/// What a machine is made from.
#[derive(Debug)]
pub struct BootContext<R> {
    /// Whose machine.
    pub node: Node,
    /// What it persisted, in order. Empty at the first start.
    pub records: Vec<R>,
    /// How often the node crashed before.
    pub restarts: u32,
    /// Randomness for the machine, if it wants any; different at each start.
    pub seed: [u8; 32],
}

/// What becomes of a message that the host intercepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interception {
    /// The links decide.
    Pass,
    /// Lost.
    Drop,
    /// Sent this much later.
    Delay(Duration),
}

/// A message on its way from one node to another, as the links have decided.
#[derive(Clone, Copy, Debug)]
pub struct Transmission<'a> {
    /// When it left.
    pub sent: Time,
    /// When it arrives; nothing if it is lost on the way, or waits for a partition to heal.
    pub arrives: Option<Time>,
    /// From where.
    pub from: Node,
    /// Where to.
    pub to: Node,
    /// The message. What is sent to several is the same slice for each.
    pub bytes: &'a [u8],
}

/// The host of a whole run: one value, which keeps what it wants per node by [`Node::slot`].
///
/// A host's memory of a node is the node's disk or its memory, as the host sees fit: [`on_crash`](Host::on_crash)
/// is the moment to forget what would not have survived.
pub trait Host {
    /// The machine that is driven.
    type Machine: Machine;

    /// Makes a node's machine, at the first start and after every crash.
    ///
    /// # Errors
    /// A machine that cannot start from its own records is a violation.
    fn boot(
        &mut self,
        boot: BootContext<<Self::Machine as Machine>::Record>,
    ) -> Result<Self::Machine, Violation>;

    /// Reads a record back.
    ///
    /// # Errors
    /// What is wrong with the bytes; for bytes that were a record's encoding, this is a violation.
    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<<Self::Machine as Machine>::Record>;

    /// A node starts: after `boot`, before its machine gets [`Input::Start`](quorate::machine::Input::Start). The
    /// place to set the workload's first wake-up.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        let _ = (node, actions);
        Ok(())
    }

    /// A node crashed. Its wake-ups and commands on the way are gone.
    fn on_crash(&mut self, node: Node) {
        let _ = node;
    }

    /// A machine said something to its driver, and all that its step persisted is durable.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_output(
        &mut self,
        node: Node,
        output: <Self::Machine as Machine>::Output,
        actions: &mut Actions<'_, Self::Machine>,
    ) -> Verdict;

    /// A wake-up that was asked for with [`Actions::wake`].
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_wake(&mut self, node: Node, token: u64, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        let _ = (node, token, actions);
        Ok(())
    }

    /// A node's machine refused to decode what `from` sent it. Answers whether honest nodes may do that to each other; if
    /// not, it is a violation between two that are.
    fn on_refused(
        &mut self,
        node: Node,
        from: Node,
        error: &quorate::Error,
        actions: &mut Actions<'_, Self::Machine>,
    ) -> bool {
        let _ = (node, from, error, actions);
        false
    }

    /// A machine reports a fault. That no honest node accuses an honest member is checked by the simulator.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_fault(&mut self, node: Node, fault: Fault<<Self::Machine as Machine>::Fault>) -> Verdict {
        let _ = (node, fault);
        Ok(())
    }

    /// After every step of a node, before it is carried out: invariants over the machine's state. Keep it cheap.
    ///
    /// # Errors
    /// A violation ends the run.
    fn after_step(&mut self, node: Node, machine: &Self::Machine) -> Verdict {
        let _ = (node, machine);
        Ok(())
    }

    /// The run reached its end without a violation: last checks.
    ///
    /// # Errors
    /// A violation.
    fn at_end(&mut self, now: Time) -> Verdict {
        let _ = now;
        Ok(())
    }

    /// Whether the run may end early.
    fn finished(&self) -> bool {
        false
    }

    /// The adversary of a [`Behaviour::Custom`](crate::Behaviour::Custom) node. Nothing is a violation: the
    /// scenario asks for what the host does not have.
    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Self::Machine>>> {
        let _ = (node, name);
        None
    }

    /// Each message of an honest node, for each receiver: tests of one situation stop the one message they are about.
    fn intercept(
        &mut self,
        now: Time,
        from: Node,
        to: Node,
        message: &<Self::Machine as Machine>::Message,
    ) -> Interception {
        let _ = (now, from, to, message);
        Interception::Pass
    }

    /// Every message of every node, for each receiver: for those who draw a picture. Nothing depends on it.
    fn on_transmission(&mut self, flight: Transmission<'_>) {
        let _ = flight;
    }
}

/// What a host can do about a node.
pub struct Actions<'a, M: Machine> {
    pub(crate) now: Time,
    pub(crate) local: Time,
    pub(crate) node: Node,
    pub(crate) rng: &'a mut Rng,
    pub(crate) list: &'a mut Vec<Action<M>>,
    pub(crate) metrics: &'a mut Metrics,
}

pub(crate) enum Action<M: Machine> {
    Command { command: M::Command, after: u64 },
    Send { to: Recipient, bytes: Arc<[u8]> },
    Wake { token: u64, after: u64 },
}

impl<M: Machine> Actions<'_, M> {
    /// The simulator's time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The node's own clock.
    pub fn local_time(&self) -> Time {
        self.local
    }

    /// Randomness for hosts.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Gives the machine a command, `after` from now; a crash before that loses it.
    pub fn command(&mut self, command: M::Command, after: Duration) {
        self.list.push(Action::Command { command, after: micros(after) });
    }

    /// Sends a message over the node's links, past the machine.
    pub fn send(&mut self, to: MemberIndex, message: &M::Message) {
        self.send_bytes(to, message.encode());
    }

    /// Sends bytes over the node's links, past the machine. The receiver's machine decodes them as any others.
    pub fn send_bytes(&mut self, to: MemberIndex, bytes: impl Into<Arc<[u8]>>) {
        self.list.push(Action::Send { to: Recipient::One(to), bytes: bytes.into() });
    }

    /// Asks for a call of [`Host::on_wake`] for this node, `after` from now; a crash before that cancels it.
    pub fn wake(&mut self, token: u64, after: Duration) {
        self.list.push(Action::Wake { token, after: micros(after) });
    }

    /// The node got this far (a height, a count): what liveness is measured by. Lower values than before are no
    /// progress.
    pub fn progress(&mut self, value: u64) {
        self.metrics.progress(self.node.slot, value);
    }

    /// Adds to the measurements of that name.
    pub fn measure(&mut self, name: &'static str, duration: Duration) {
        self.metrics.measure(name, micros(duration));
    }
}
