//! Protocol-specific part of a simulation: creating machines, handling their outputs, the workload and the checks.

use core::time::Duration;
use std::sync::Arc;

use quorate::machine::{Fault, Machine, MemberIndex, Recipient, Time};
use quorate::wire::Encode;

use crate::adversary::Adversary;
use crate::checker::{Verdict, Violation};
use crate::metrics::Metrics;
use crate::node::Node;
use crate::rng::{Rng, micros};

/// Inputs to the creation of a node's machine.
#[derive(Debug)]
pub struct BootContext<R> {
    /// The node.
    pub node: Node,
    /// Records that the node persisted, in order. Empty at the first start.
    pub records: Vec<R>,
    /// Number of earlier crashes of the node.
    pub restarts: u32,
    /// True once it has started from an earlier state of its disk.
    pub was_rolled_back: bool,
    /// Randomness for the machine, different at each start.
    pub seed: [u8; 32],
}

/// Decision of the host about an intercepted message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interception {
    /// Send it over the links as usual.
    Pass,
    /// Drop it.
    Drop,
    /// Send it after this delay.
    Delay(Duration),
}

/// A message sent from one node to another, with the links' decision.
#[derive(Clone, Copy, Debug)]
pub struct Transmission<'a> {
    /// Time of sending.
    pub sent: Time,
    /// Time of arrival; `None` if the message is lost or held by a partition.
    pub arrives: Option<Time>,
    /// The sender.
    pub from: Node,
    /// The receiver.
    pub to: Node,
    /// The encoded message. All receivers of one message share the same slice.
    pub bytes: &'a [u8],
}

/// The protocol's side of a whole run. One value holds the state of all nodes, keyed by [`Node::slot`].
///
/// Per-node state models the node's disk or its memory, as the host chooses. [`on_crash`](Host::on_crash) must
/// discard the state that would not survive a crash.
pub trait Host {
    /// The machine under simulation.
    type Machine: Machine;

    /// Creates a node's machine, at the first start and after every crash.
    ///
    /// # Errors
    /// A machine that cannot start from its own records is a violation.
    fn boot(
        &mut self,
        boot: BootContext<<Self::Machine as Machine>::Record>,
    ) -> Result<Self::Machine, Violation>;

    /// Decodes a record.
    ///
    /// # Errors
    /// The decoding error. It is a violation if the bytes are a record's encoding.
    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<<Self::Machine as Machine>::Record>;

    /// Called when a node starts: after `boot`, before its machine receives
    /// [`Input::Start`](quorate::machine::Input::Start). Set the workload's first wake-up here.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        let _ = (node, actions);
        Ok(())
    }

    /// Called when a node crashed. Its pending wake-ups and commands are cancelled.
    fn on_crash(&mut self, node: Node) {
        let _ = node;
    }

    /// Called for each record of a node that became durable.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_durable(&mut self, node: Node, record: &<Self::Machine as Machine>::Record) -> Verdict {
        let _ = (node, record);
        Ok(())
    }

    /// Called for each output of a machine, after the records of its step are durable.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_output(
        &mut self,
        node: Node,
        output: <Self::Machine as Machine>::Output,
        actions: &mut Actions<'_, Self::Machine>,
    ) -> Verdict;

    /// Called for a wake-up requested with [`Actions::wake`].
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_wake(&mut self, node: Node, token: u64, actions: &mut Actions<'_, Self::Machine>) -> Verdict {
        let _ = (node, token, actions);
        Ok(())
    }

    /// Called when a node's machine failed to decode a message of `from`. Returns `true` if an honest node may refuse
    /// such a message of an honest node; otherwise the refusal is a violation.
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

    /// Called when a machine reports a fault. The simulator itself checks that honest nodes do not accuse honest
    /// members.
    ///
    /// # Errors
    /// A violation ends the run.
    fn on_fault(&mut self, node: Node, fault: Fault<<Self::Machine as Machine>::Fault>) -> Verdict {
        let _ = (node, fault);
        Ok(())
    }

    /// Called after every step of a node, before its effects: checks invariants of the machine's state. Keep it
    /// cheap.
    ///
    /// # Errors
    /// A violation ends the run.
    fn after_step(&mut self, node: Node, machine: &Self::Machine) -> Verdict {
        let _ = (node, machine);
        Ok(())
    }

    /// Called at the end of a run without a violation, for final checks.
    ///
    /// # Errors
    /// A violation.
    fn at_end(&mut self, now: Time) -> Verdict {
        let _ = now;
        Ok(())
    }

    /// Returns true if a node that restarts from earlier records may contradict what it sent before, so that it counts as
    /// faulty. Then it is no violation to accuse it, nor that it accuses others, whose answers to forgotten messages look
    /// wrong to it. Its deliveries are checked as those of an honest node.
    fn may_contradict_after_rollback(&self) -> bool {
        false
    }

    /// Returns `true` if the run may end early.
    fn finished(&self) -> bool {
        false
    }

    /// Returns the adversary of a [`Behaviour::Custom`](crate::Behaviour::Custom) node. `None` is a violation: the
    /// scenario names an unknown adversary.
    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Self::Machine>>> {
        let _ = (node, name);
        None
    }

    /// Called for each message of an honest node and each receiver. Tests use it to stop or delay single messages.
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

    /// Called for every message of every node and each receiver, for visualisation. It must not affect the run.
    fn on_transmission(&mut self, flight: Transmission<'_>) {
        let _ = flight;
    }
}

/// The actions available to a host for one node.
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
    /// Returns the simulator's time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the node's own clock.
    pub fn local_time(&self) -> Time {
        self.local
    }

    /// Returns the hosts' random generator.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Passes a command to the machine after a delay. A crash cancels it.
    pub fn command(&mut self, command: M::Command, after: Duration) {
        self.list.push(Action::Command { command, after: micros(after) });
    }

    /// Sends a message over the node's links without involving its machine.
    pub fn send(&mut self, to: MemberIndex, message: &M::Message) {
        self.send_bytes(to, message.encode());
    }

    /// Sends bytes over the node's links without involving its machine. The receiver decodes them as usual.
    pub fn send_bytes(&mut self, to: MemberIndex, bytes: impl Into<Arc<[u8]>>) {
        self.list.push(Action::Send { to: Recipient::One(to), bytes: bytes.into() });
    }

    /// Requests a call of [`Host::on_wake`] for this node after a delay. A crash cancels it.
    pub fn wake(&mut self, token: u64, after: Duration) {
        self.list.push(Action::Wake { token, after: micros(after) });
    }

    /// Reports the node's progress, for instance a height. The liveness check compares these values; a value that is
    /// not higher than before is no progress.
    pub fn progress(&mut self, value: u64) {
        self.metrics.progress(self.node.slot, value);
    }

    /// Adds a duration to the measurements of that name.
    pub fn measure(&mut self, name: &'static str, duration: Duration) {
        self.metrics.measure(name, micros(duration));
    }
}
