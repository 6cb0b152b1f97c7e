use crate::any::dispatch::Choice;
use crate::any::families::per;
use crate::threshold::Agreement;
use crate::threshold::ecdsa::{self, AgreedTag, UnagreedTag};

type TagOf<C> = ecdsa::Tag<C>;

/// Identifies a presignature of an epoch, with the class of messages that it may sign, see [`ecdsa::Tag`]. It is
/// converted from the tags of a [`Plan`](ecdsa::Plan) by `into`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// For messages on which the parties agree: f + 1 shares.
    Agreed(AgreedTag),
    /// For messages chosen by one process: ⌊(N + f)/2⌋ + 1 shares.
    Unagreed(UnagreedTag),
}

impl Choice for Agreement {}

per! { conversions tag: Tag, TagOf }

impl Tag {
    /// Returns the epoch.
    pub fn epoch(self) -> u64 {
        match self {
            Tag::Agreed(tag) => tag.epoch(),
            Tag::Unagreed(tag) => tag.epoch(),
        }
    }

    /// Returns the index within the epoch.
    pub fn index(self) -> u32 {
        match self {
            Tag::Agreed(tag) => tag.index(),
            Tag::Unagreed(tag) => tag.index(),
        }
    }

    /// Returns the class.
    pub fn agreement(self) -> Agreement {
        match self {
            Tag::Agreed(_) => Agreement::Agreed,
            Tag::Unagreed(_) => Agreement::Unagreed,
        }
    }
}
