use crate::Error;
use crate::any::dispatch::conversions;
use crate::threshold::Agreement;
use crate::threshold::ecdsa::{AgreedTag, UnagreedTag};

#[cfg(doc)]
use crate::threshold::ecdsa;

/// Identifies a presignature of an epoch, with the class of messages that it may sign, see [`ecdsa::Tag`]. It is
/// converted from the tags of a [`Plan`](ecdsa::Plan) by `into`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// For messages on which the parties agree: f + 1 shares.
    Agreed(AgreedTag),
    /// For messages chosen by one process: ⌊(N + f)/2⌋ + 1 shares.
    Unagreed(UnagreedTag),
}

conversions!(Tag, Agreed, AgreedTag, Error::WrongContext { what: "class of the tag" });
conversions!(Tag, Unagreed, UnagreedTag, Error::WrongContext { what: "class of the tag" });

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
