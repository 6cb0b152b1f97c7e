//! The use of an epoch's presignatures.

use quorate::Result;
use quorate::any::threshold::ecdsa as any;
use quorate::threshold::ecdsa;
use quorate::wire::{Decode, Encode};

use crate::threshold::Agreement;

class! {
    /// Plan of an epoch's presignatures: the use of each, and the number of shares that it needs.
    encoded struct Plan(pub(super) ecdsa::Plan): Clone, Copy, Debug, PartialEq, Eq, Hash;
    shown |self, f| match self.0 {
        ecdsa::Plan::Agreement { parties, rounds } => {
            write!(f, "Plan.for_agreement(parties={parties}, rounds={rounds})")
        }
        ecdsa::Plan::Agreed { count } => write!(f, "Plan.for_agreed(count={count})"),
        ecdsa::Plan::Unagreed { count } => write!(f, "Plan.for_unagreed(count={count})"),
    };
    const ROUNDS: u16 = 20 == ecdsa::Plan::ROUNDS,
        "Default number of agreement rounds: it suffices in all but one epoch in a million.";
    const MAX_COUNT: u32 = 131_072 == ecdsa::Plan::MAX_COUNT, "Maximum number of presignatures of an epoch.";
    const LEN: u32 = 5 == ecdsa::Plan::LEN, "Bytes of an encoded plan.";
    /// Creates a plan for one asynchronous agreement of `parties` parties, with at most `rounds` rounds, by default
    /// [`Plan::ROUNDS`]. [`Plan::prbc`], [`Plan::promotion`] and [`Plan::completion`] return its tags.
    quick fn for_agreement(parties: u16, #[cfg_attr(binding, default = 20)] rounds: Option<u16>) -> Self {
        Self(ecdsa::Plan::Agreement { parties, rounds: rounds.unwrap_or(Self::ROUNDS) })
    }
    /// Creates a plan of `count` presignatures for messages that the parties agree on; the application numbers them.
    quick fn for_agreed(count: u32) -> Self { Self(ecdsa::Plan::Agreed { count }) }
    /// Creates a plan of `count` presignatures for messages that an outside party chooses.
    quick fn for_unagreed(count: u32) -> Self { Self(ecdsa::Plan::Unagreed { count }) }
    /// Decodes the 5 bytes.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a plan.
    quick fn decode(bytes: &[u8]) -> Result<Self> { ecdsa::Plan::decode(bytes, &()).map(Self) }
    /// Returns the 5 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Number of presignatures in the plan.
    getter fn count(&self) -> u32 { self.0.count() }
    /// Returns the class of a presignature; nothing past the end.
    quick fn agreement(&self, index: u32) -> Option<Agreement> {
        self.0.agreement(index).map(Agreement::from)
    }
    /// Returns the tag for the delivery of a member's broadcast.
    /// [`Error::WrongContext`](quorate::Error) in a plan of another kind.
    /// [`Error::UnknownSigner`](quorate::Error) if there is no such member.
    quick fn prbc(&self, epoch: u64, member: u16) -> Result<Tag> {
        self.0.prbc(epoch, member).map(|tag| Tag(tag.into()))
    }
    /// Returns the tag for step `step` (1 to 4) of the member's promotion of its proposal in a round, counted from 0.
    /// The member chooses the proposal.
    /// [`Error::WrongContext`](quorate::Error) in a plan of another kind.
    /// [`Error::UnknownSigner`](quorate::Error) if there is no such member.
    /// [`Error::Malformed`](quorate::Error) for another step.
    /// [`Error::Exhausted`](quorate::Error) past the last round.
    quick fn promotion(&self, epoch: u64, round: u16, member: u16, step: u8) -> Result<Tag> {
        self.0.promotion(epoch, round, member, step).map(|tag| Tag(tag.into()))
    }
    /// Returns the tag for the completion of a round, counted from 0, after enough promotions.
    /// [`Error::WrongContext`](quorate::Error) in a plan of another kind.
    /// [`Error::Exhausted`](quorate::Error) past the last round.
    quick fn completion(&self, epoch: u64, round: u16) -> Result<Tag> {
        self.0.completion(epoch, round).map(|tag| Tag(tag.into()))
    }
    /// Returns the tag of presignature `number` of a plan made by [`Plan::for_agreed`].
    /// [`Error::WrongContext`](quorate::Error) in a plan of another kind.
    /// [`Error::Exhausted`](quorate::Error) past its end.
    quick fn agreed(&self, epoch: u64, number: u32) -> Result<Tag> {
        self.0.agreed(epoch, number).map(|tag| Tag(tag.into()))
    }
    /// Returns the tag of presignature `number` of a plan made by [`Plan::for_unagreed`].
    /// [`Error::WrongContext`](quorate::Error) in a plan of another kind.
    /// [`Error::Exhausted`](quorate::Error) past its end.
    quick fn unagreed(&self, epoch: u64, number: u32) -> Result<Tag> {
        self.0.unagreed(epoch, number).map(|tag| Tag(tag.into()))
    }
}

class! {
    /// One presignature of one epoch, and the class of messages that it may sign. Only a plan creates tags.
    #[cfg_attr(binding, instead = "send the plan and the index and create it there")]
    object struct Tag(pub(super) any::Tag): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Tag(epoch {}, index {}, {})", self.epoch(), self.index(), self.agreement());
    /// The epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// Index within the epoch.
    getter fn index(&self) -> u32 { self.0.index() }
    /// Class of its messages.
    getter fn agreement(&self) -> Agreement { self.0.agreement().into() }
}
