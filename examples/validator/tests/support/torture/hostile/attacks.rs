//! The attacks by name.

use std::sync::Arc;

use super::abft::{self, Abft};
use super::generic::{Garbage, Replay};
use super::gosig::{self, Gosig};
use super::jolteon::{self, Jolteon};
use super::member::Member;
use super::script::{Behaviour, Script};

/// An attack of the hostile member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Frames that are no messages, of every size up to the maximum, on both lanes.
    Garbage,
    /// All received frames again: whole, truncated, extended, on the other lane.
    Replay,
    /// Valid messages that cost their sender nothing.
    Flood,
    /// Requests for blocks and batches, whose answers the member does not read.
    StalledReads,
    /// Halves of handshakes and of frames, then silence.
    HalfFrames,
    /// Contradicting, forged and premature votes.
    Votes,
    /// Two proposals for a view.
    Proposals,
    /// The most and largest batches that the protocol allows.
    Batches,
    /// Transactions that look like changes of the members.
    Members,
    /// Requests for old blocks and batches, as fast as they are answered.
    Archive,
    /// Handshakes without end.
    Reconnect,
}

impl Attack {
    /// All attacks with their names on the command line.
    pub const ALL: [(&'static str, Self); 11] = [
        ("garbage", Self::Garbage),
        ("replay", Self::Replay),
        ("flood", Self::Flood),
        ("stalled-reads", Self::StalledReads),
        ("half-frames", Self::HalfFrames),
        ("votes", Self::Votes),
        ("proposals", Self::Proposals),
        ("batches", Self::Batches),
        ("members", Self::Members),
        ("archive", Self::Archive),
        ("reconnect", Self::Reconnect),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, attack)| *attack == self).unwrap().0
    }

    /// The attacks that members of a protocol can make.
    pub fn of_protocol(protocol: &str) -> Vec<Self> {
        let all = Self::ALL.into_iter().map(|(_, attack)| attack);
        all.filter(|attack| attack.has_script(protocol)).collect()
    }

    fn has_script(self, protocol: &str) -> bool {
        match self {
            Self::Proposals => protocol == "jolteon",
            Self::Members => protocol == "gosig",
            Self::Batches => protocol != "abft",
            _ => true,
        }
    }

    /// What the member does in a chain with this protocol.
    pub fn behaviour(self, protocol: &str, member: &Member) -> Behaviour {
        match self {
            Self::Garbage => Behaviour::Frames(Arc::new(Garbage::new())),
            Self::Replay => Behaviour::Frames(Arc::new(Replay::new())),
            Self::HalfFrames => Behaviour::HalfFrames,
            Self::Reconnect => Behaviour::Reconnect,
            Self::StalledReads => Behaviour::Stalled(self.script(protocol, member)),
            _ => Behaviour::Frames(self.script(protocol, member)),
        }
    }

    /// The messages of an attack that knows the protocol.
    fn script(self, protocol: &str, member: &Member) -> Arc<dyn Script> {
        let jolteon = |kind| Arc::new(Jolteon::new(kind, member));
        let gosig = |kind| Arc::new(Gosig::new(kind, member));
        let abft = |kind| Arc::new(Abft::new(kind, member));
        match (protocol, self) {
            ("jolteon", Self::Flood) => jolteon(jolteon::Kind::Flood),
            ("jolteon", Self::Votes) => jolteon(jolteon::Kind::Votes),
            ("jolteon", Self::Proposals) => jolteon(jolteon::Kind::Proposals),
            ("jolteon", Self::Batches) => jolteon(jolteon::Kind::Batches),
            ("jolteon", Self::Archive) => jolteon(jolteon::Kind::Archive),
            ("jolteon", Self::StalledReads) => jolteon(jolteon::Kind::Unread),
            ("gosig", Self::Flood) => gosig(gosig::Kind::Flood),
            ("gosig", Self::Votes) => gosig(gosig::Kind::Votes),
            ("gosig", Self::Batches) => gosig(gosig::Kind::Batches),
            ("gosig", Self::Members) => gosig(gosig::Kind::Members),
            ("gosig", Self::Archive) => gosig(gosig::Kind::Archive),
            ("gosig", Self::StalledReads) => gosig(gosig::Kind::Unread),
            ("abft", Self::Flood) => abft(abft::Kind::Flood),
            ("abft", Self::Votes) => abft(abft::Kind::Votes),
            ("abft", Self::Archive | Self::StalledReads) => abft(abft::Kind::Archive),
            _ => panic!("{self:?} has no script for {protocol}"),
        }
    }
}
