//! The mapping from messages to presignatures. Every party computes it by itself, whatever the order of messages.
//!
//! The paper's section II.A.1 numbers the signatures of one epoch. Each of N parties broadcasts one value; the
//! agreement takes up to K rounds, in each of which every party promotes a proposal in four steps:
//!
//! | signature | index | class |
//! |---|---|---|
//! | party j's broadcast was delivered | j | agreed: a reliable broadcast delivers one value |
//! | step s (1 to 4) of party j's promotion in round k | N + k(4N + 1) + 4j + s − 1 | unagreed: j chooses |
//! | round k has enough promotions | N + k(4N + 1) + 4N | agreed: the round fixes it |
//!
//! So an epoch has N + K(4N + 1) presignatures. A round ends the agreement with a probability of at least ½, so with K
//! = 20 the presignatures are exhausted before the agreement ends with a probability of one in a million; then calls
//! fail with `EXHAUSTED`, and the caller signs in another way, for example with BLS. Every tag includes the epoch.
//! Unused presignatures of an epoch are destroyed. **The paper instead** passes them on to the next epoch; but
//! asynchronous parties may disagree on which are left, and the use of one presignature in two epochs reveals the key.

use core::marker::PhantomData;

use crate::machine::MemberIndex;
use crate::threshold::tolerance::{Agreed, Agreement, Class, Unagreed};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// The intended use of an epoch's presignatures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Plan {
    /// The asynchronous agreement of the [module's table](self).
    Agreement {
        /// Number of parties, N in the paper.
        parties: u16,
        /// Maximum number of rounds, K in the paper, see [`Plan::ROUNDS`].
        rounds: u16,
    },
    /// Presignatures for agreed messages, numbered by the caller.
    Agreed {
        /// Number of presignatures.
        count: u32,
    },
    /// Presignatures for unagreed messages, numbered by the caller.
    Unagreed {
        /// Number of presignatures.
        count: u32,
    },
}

/// Identifies a presignature of an epoch, with the class of messages that it may sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag<C: Class> {
    epoch: u64,
    index: u32,
    class: PhantomData<C>,
}

/// A tag for messages on which the parties agree: f + 1 shares.
pub type AgreedTag = Tag<Agreed>;
/// A tag for messages chosen by one process: ⌊(N + f)/2⌋ + 1 shares.
pub type UnagreedTag = Tag<Unagreed>;

impl<C: Class> Tag<C> {
    /// Returns the epoch.
    pub fn epoch(self) -> u64 {
        self.epoch
    }

    /// Returns the index within the epoch.
    pub fn index(self) -> u32 {
        self.index
    }
}

impl Plan {
    /// Default maximum number of rounds: the paper's K.
    pub const ROUNDS: u16 = 20;
    /// Maximum number of presignatures of an epoch.
    pub const MAX_COUNT: u32 = 1 << 17;
    /// Length of an encoded plan in bytes.
    pub const LEN: usize = 5;

    /// Returns the number of presignatures.
    pub fn count(self) -> u32 {
        match self {
            Plan::Agreement { parties, rounds } => {
                let (n, k) = (u32::from(parties), u32::from(rounds));
                n.saturating_add(k.saturating_mul(4 * n + 1))
            }
            Plan::Agreed { count } | Plan::Unagreed { count } => count,
        }
    }

    /// Returns the class of a presignature; `None` past the end.
    pub fn agreement(self, index: u32) -> Option<Agreement> {
        if index >= self.count() {
            return None;
        }
        Some(match self {
            Plan::Agreed { .. } => Agreement::Agreed,
            Plan::Unagreed { .. } => Agreement::Unagreed,
            Plan::Agreement { parties, .. } => {
                let n = u32::from(parties);
                match index.checked_sub(n).map(|beyond| beyond % (4 * n + 1)) {
                    Some(within) if within < 4 * n => Agreement::Unagreed,
                    _ => Agreement::Agreed,
                }
            }
        })
    }

    /// Returns the tag for "the broadcast of `member` was delivered", the paper's provable reliable broadcast (PRBC).
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another plan, [`Error::UnknownSigner`].
    pub fn prbc(self, epoch: u64, member: MemberIndex) -> Result<AgreedTag> {
        let (parties, _) = self.agreement_parts()?;
        require_member(parties, member)?;
        Ok(tag(epoch, member.into()))
    }

    /// Returns the tag for step `step` (1 to 4) of the promotion by `member` in round `round` (from 0).
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another plan, [`Error::UnknownSigner`], [`Error::Malformed`] for another step,
    /// [`Error::Exhausted`] past the last round.
    pub fn promotion(self, epoch: u64, round: u16, member: MemberIndex, step: u8) -> Result<UnagreedTag> {
        let start = self.round_start(round)?;
        let (parties, _) = self.agreement_parts()?;
        require_member(parties, member)?;
        if !(1..=4).contains(&step) {
            return Err(Error::Malformed { what: "step of a promotion: expected 1 to 4" });
        }
        Ok(tag(epoch, start + 4 * u32::from(member) + u32::from(step) - 1))
    }

    /// Returns the tag for "round `round` (from 0) has enough promotions".
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another plan, [`Error::Exhausted`] past the last round.
    pub fn completion(self, epoch: u64, round: u16) -> Result<AgreedTag> {
        let start = self.round_start(round)?;
        let (parties, _) = self.agreement_parts()?;
        Ok(tag(epoch, start + 4 * u32::from(parties)))
    }

    /// Returns the tag of presignature `number` of a [`Plan::Agreed`].
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another plan, [`Error::Exhausted`] past the last one.
    pub fn agreed(self, epoch: u64, number: u32) -> Result<AgreedTag> {
        match self {
            Plan::Agreed { count } if number < count => Ok(tag(epoch, number)),
            Plan::Agreed { .. } => Err(Error::Exhausted),
            _ => Err(wrong_plan()),
        }
    }

    /// Returns the tag of presignature `number` of a [`Plan::Unagreed`].
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another plan, [`Error::Exhausted`] past the last one.
    pub fn unagreed(self, epoch: u64, number: u32) -> Result<UnagreedTag> {
        match self {
            Plan::Unagreed { count } if number < count => Ok(tag(epoch, number)),
            Plan::Unagreed { .. } => Err(Error::Exhausted),
            _ => Err(wrong_plan()),
        }
    }

    /// Checks that the plan is for that number of parties and within [`Plan::MAX_COUNT`].
    pub(super) fn check(self, parties: u16) -> Result<()> {
        if let Plan::Agreement { parties: planned, .. } = self
            && planned != parties
        {
            let (expected, actual) = (parties.into(), planned.into());
            return Err(Error::Mismatch { what: "number of parties of the plan", expected, actual });
        }
        match self.count() {
            0 => Err(Error::Malformed { what: "plan of presignatures: expected at least one" }),
            count if count > Self::MAX_COUNT => {
                Err(Error::TooLarge { what: "presignatures of an epoch", limit: Self::MAX_COUNT.into() })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the tag belongs to this plan, with the class that the plan has for its index.
    pub(super) fn require<C: Class>(self, tag: Tag<C>) -> Result<()> {
        match self.agreement(tag.index) {
            Some(agreement) if agreement == C::AGREEMENT => Ok(()),
            Some(_) => Err(Error::WrongContext { what: "class of the tag" }),
            None => Err(Error::Exhausted),
        }
    }

    fn agreement_parts(self) -> Result<(u16, u16)> {
        match self {
            Plan::Agreement { parties, rounds } => Ok((parties, rounds)),
            _ => Err(wrong_plan()),
        }
    }

    fn round_start(self, round: u16) -> Result<u32> {
        let (parties, rounds) = self.agreement_parts()?;
        if round >= rounds {
            return Err(Error::Exhausted);
        }
        let n = u32::from(parties);
        Ok(n.saturating_add(u32::from(round).saturating_mul(4 * n + 1)))
    }
}

/// Encoding: kind 1 (1 agreement, 2 agreed, 3 unagreed) ‖ parties u16 ‖ rounds u16, or the count as u32.
impl Encode for Plan {
    fn encode_to(&self, w: &mut Writer) {
        match *self {
            Plan::Agreement { parties, rounds } => {
                w.u8(1);
                w.u16(parties);
                w.u16(rounds);
            }
            Plan::Agreed { count } => {
                w.u8(2);
                w.u32(count);
            }
            Plan::Unagreed { count } => {
                w.u8(3);
                w.u32(count);
            }
        }
    }
}

impl Decode for Plan {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Plan::Agreement { parties: r.u16()?, rounds: r.u16()? }),
            2 => Ok(Plan::Agreed { count: r.u32()? }),
            3 => Ok(Plan::Unagreed { count: r.u32()? }),
            _ => Err(Error::Malformed { what: "plan of presignatures" }),
        }
    }
}

fn tag<C: Class>(epoch: u64, index: u32) -> Tag<C> {
    Tag { epoch, index, class: PhantomData }
}

fn wrong_plan() -> Error {
    Error::WrongContext { what: "plan of presignatures" }
}

fn require_member(parties: u16, member: MemberIndex) -> Result<()> {
    if member < parties { Ok(()) } else { Err(Error::UnknownSigner { index: member.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    #[test]
    fn every_signature_of_an_epoch_has_a_unique_index() {
        for (parties, rounds) in [(1, 1), (4, 3), (7, 20), (100, 20)] {
            let plan = Plan::Agreement { parties, rounds };
            let mut seen = BTreeMap::new();
            for member in 0..parties {
                seen.insert(plan.prbc(9, member).unwrap().index(), Agreement::Agreed);
                for round in 0..rounds {
                    for step in 1..=4 {
                        let tag = plan.promotion(9, round, member, step).unwrap();
                        assert!(seen.insert(tag.index(), Agreement::Unagreed).is_none());
                    }
                }
            }
            for round in 0..rounds {
                let tag = plan.completion(9, round).unwrap();
                assert!(seen.insert(tag.index(), Agreement::Agreed).is_none());
                assert_eq!((tag.epoch(), plan.require(tag)), (9, Ok(())));
            }
            let n = u32::from(parties);
            assert_eq!(plan.count(), n + u32::from(rounds) * (4 * n + 1));
            assert_eq!(seen.len() as u32, plan.count());
            for (index, agreement) in seen {
                assert_eq!(plan.agreement(index), Some(agreement));
            }
            assert_eq!(plan.agreement(plan.count()), None);
        }
    }

    #[test]
    fn tags_outside_the_plan_are_refused() {
        let plan = Plan::Agreement { parties: 4, rounds: 2 };
        let code = |result: Result<UnagreedTag>| result.unwrap_err().code();
        assert_eq!(code(plan.promotion(0, 2, 0, 1)), "EXHAUSTED");
        assert_eq!(code(plan.promotion(0, 0, 4, 1)), "UNKNOWN_SIGNER");
        assert_eq!(code(plan.promotion(0, 0, 0, 0)), "MALFORMED");
        assert_eq!(code(plan.promotion(0, 0, 0, 5)), "MALFORMED");
        assert_eq!(code(plan.unagreed(0, 0)), "WRONG_CONTEXT");
        assert_eq!(plan.prbc(0, 4).unwrap_err().code(), "UNKNOWN_SIGNER");
        assert_eq!(plan.completion(0, 2).unwrap_err().code(), "EXHAUSTED");
        let numbered = Plan::Agreed { count: 3 };
        assert_eq!(numbered.agreed(0, 3).unwrap_err().code(), "EXHAUSTED");
        assert_eq!(code(numbered.unagreed(0, 0)), "WRONG_CONTEXT");
        assert_eq!(numbered.prbc(0, 0).unwrap_err().code(), "WRONG_CONTEXT");
        // A tag of another plan: the index exists, but has another class.
        let other_class = Plan::Unagreed { count: 3 }.unagreed(0, 1).unwrap();
        assert_eq!(numbered.require(other_class).unwrap_err().code(), "WRONG_CONTEXT");
        for plan in [Plan::Agreed { count: 0 }, Plan::Agreement { parties: 5, rounds: 1 }] {
            assert!(plan.check(4).is_err());
        }
        assert_eq!(Plan::Unagreed { count: u32::MAX }.check(4).unwrap_err().code(), "TOO_LARGE");
        assert_eq!(
            Plan::Agreement { parties: 1024, rounds: u16::MAX }.check(1024).unwrap_err().code(),
            "TOO_LARGE"
        );
    }

    #[test]
    fn plans_have_one_encoding_each() {
        for plan in [
            Plan::Agreement { parties: 4, rounds: 20 },
            Plan::Agreed { count: 70_000 },
            Plan::Unagreed { count: 1 },
        ] {
            assert_eq!(plan.encode().len(), Plan::LEN);
            assert_eq!(Plan::decode(&plan.encode(), &()), Ok(plan));
        }
        assert_eq!(Plan::decode(&[4, 0, 0, 0, 0], &()).unwrap_err().code(), "MALFORMED");
        assert!(Plan::decode(&[1, 0, 0, 0], &()).is_err());
    }
}
