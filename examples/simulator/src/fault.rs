//! What goes wrong, and when: data, so that a schedule can be written by hand, drawn from a seed, printed, shrunk.

use core::time::Duration;

use crate::network::Link;

/// At which point of its work a node crashes. The messages of an unfinished step are lost in every case but
/// [`DuringSend`](CrashPoint::DuringSend), and so is everything the step said to its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// At once, between two steps (or during the write that is going on, if writes take time).
    Now,
    /// At a step that has something to persist: only the first few of its records are durable, the last one
    /// never (a torn write counts as lost, as a store with checksums makes it).
    DuringPersist,
    /// At a step that has something to persist: all its records are durable, nothing is sent.
    BeforeSend,
    /// At a step that sends: all its records are durable, but only some receivers get some of the messages.
    DuringSend,
}

/// Something that happens to nodes or links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The node crashes and loses all but its durable records.
    Crash {
        /// Which.
        node: usize,
        /// When in its work.
        point: CrashPoint,
        /// How many steps that have that point pass before. The first step after a pause is often the same kind
        /// of step; this reaches the others.
        after: u32,
    },
    /// The node starts again from its records. One that is still up is crashed first.
    Restart {
        /// Which.
        node: usize,
    },
    /// From now on nodes of different groups do not reach each other. Replaces an earlier partition. Nodes that no
    /// group lists form one more group, the lowest.
    Split {
        /// The groups.
        groups: Vec<Vec<usize>>,
        /// Messages are kept and go on when it heals; otherwise they are lost.
        holds: bool,
        /// Only messages from a group to a later one are stopped.
        one_way: bool,
    },
    /// The partition ends.
    Heal,
    /// From now on all links from and to the node are like this one.
    Degrade {
        /// Which.
        node: usize,
        /// How its links are.
        link: Link,
    },
    /// The node's links are as before again.
    Recover {
        /// Which.
        node: usize,
    },
    /// From now on all links are like this one, but for those of degraded nodes and the special ones.
    Relink {
        /// How the links are.
        link: Link,
    },
    /// The node is Byzantine from now on, whatever it was before. What it delivered as an honest node still counts,
    /// and it never becomes honest again: nobody can know what it told whom.
    Turn {
        /// Which.
        node: usize,
        /// What it does.
        behaviour: Behaviour,
    },
}

/// A fault and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// When.
    pub at: Duration,
    /// What.
    pub fault: Fault,
}

/// What a Byzantine node does. The ready-made ones know nothing of the protocol; a protocol adds its own through
/// [`Host::adversary`](crate::Host::adversary), under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Says nothing.
    Silent,
    /// Holds every message back, by up to so long.
    Delayer(Duration),
    /// Sends random bytes to random members, about this often, besides behaving well.
    Garbage(Duration),
    /// Repeats outdated messages, its own and those it received, about this often, besides behaving well.
    Replayer(Duration),
    /// Alters random bytes of half of its messages, truncates or extends some.
    Mutator,
    /// Sends each message of its own to a random half of the members only.
    Selective,
    /// Runs twice under one identity. The others are divided between the two, anew after each such period.
    Twins(Duration),
    /// The protocol's own.
    Custom(String),
}
