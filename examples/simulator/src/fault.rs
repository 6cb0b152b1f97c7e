//! Scheduled faults as plain data. A schedule can be written by hand, generated from a seed, printed and shrunk.

use core::time::Duration;

use crate::network::Link;

/// The point of its work at which a node crashes.
///
/// A crash discards the messages of the unfinished step, except with [`DuringSend`](CrashPoint::DuringSend), and all
/// its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// Immediately: between two steps, or during the current write if writes take time.
    Now,
    /// In a step that persists records: only a strict prefix of its records becomes durable. A torn record counts as
    /// lost, as in a store with checksums.
    DuringPersist,
    /// In a step that persists records: all its records are durable, nothing is sent.
    BeforeSend,
    /// In a step that sends messages: all its records are durable, but only some receivers get some of the messages.
    DuringSend,
}

/// A change of a node's or link's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The node crashes and loses everything but its durable records.
    Crash {
        /// The node's slot.
        node: usize,
        /// The point at which it crashes.
        point: CrashPoint,
        /// Number of steps with that point that complete first. The first step after a pause is often of the same
        /// kind; this parameter reaches the others.
        after: u32,
    },
    /// The node restarts from its records. A running node crashes first.
    Restart {
        /// The node's slot.
        node: usize,
    },
    /// The node restarts from an earlier state of its disk, as from a copy of its data directory. A running node crashes
    /// first.
    Rollback {
        /// The node's slot.
        node: usize,
        /// Number of its newest records that are missing. At most all are.
        lost: usize,
    },
    /// Nodes of different groups cannot reach each other. Replaces an earlier partition. Nodes in no listed group
    /// form one more group, the lowest.
    Split {
        /// The groups.
        groups: Vec<Vec<usize>>,
        /// If true, messages are held and sent when the partition heals; otherwise they are lost.
        holds: bool,
        /// If true, only messages from a lower group to a higher one are blocked.
        one_way: bool,
    },
    /// The partition ends.
    Heal,
    /// All links from and to the node get these properties.
    Degrade {
        /// The node's slot.
        node: usize,
        /// The properties of its links.
        link: Link,
    },
    /// The node's links return to their previous properties.
    Recover {
        /// The node's slot.
        node: usize,
    },
    /// All links get these properties, except those of degraded nodes and the special links.
    Relink {
        /// The properties of the links.
        link: Link,
    },
    /// The node is Byzantine from now on. Its deliveries as an honest node still count, and it never becomes honest
    /// again, because its earlier messages cannot be taken back.
    Turn {
        /// The node's slot.
        node: usize,
        /// Its behaviour.
        behaviour: Behaviour,
    },
}

/// A fault with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Virtual time of the fault.
    pub at: Duration,
    /// The fault.
    pub fault: Fault,
}

/// Behaviour of a Byzantine node.
///
/// The built-in behaviours are independent of the protocol. A protocol adds its own by name through
/// [`Host::adversary`](crate::Host::adversary).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Sends nothing.
    Silent,
    /// Delays every message by up to this duration.
    Delayer(Duration),
    /// Sends random bytes to random members at this interval and otherwise follows the protocol.
    Garbage(Duration),
    /// Repeats old messages, its own and received ones, at this interval and otherwise follows the protocol.
    Replayer(Duration),
    /// Alters random bytes of half of its messages; truncates or extends some.
    Mutator,
    /// Sends each of its messages to a random half of the members only.
    Selective,
    /// Runs as two nodes with one identity. The other members are divided between the two, again after each such
    /// period.
    Twins(Duration),
    /// A behaviour of the protocol, by name.
    Custom(String),
}
