//! The map from statements to presignatures: the paper's section II.A.1.

use quorate::committee::CommitteeId;
use quorate::threshold::ecdsa::{AgreedTag, UnagreedTag};
use quorate::wire::{Reader, domain};

use super::group::plan;

/// The presignature of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementTag {
    /// Of a delivery, or of the completion of a view.
    Agreed(AgreedTag),
    /// Of a promotion.
    Unagreed(UnagreedTag),
}

impl StatementTag {
    /// Returns the presignature of a statement of a committee of N members; `None` for a statement without one: of another
    /// protocol, or of a view after the last one with presignatures.
    pub(super) fn from_statement(committee: &CommitteeId, members: u16, statement: &[u8]) -> Option<Self> {
        let plan = plan(members);
        let after = |domain: &str| statement.strip_prefix(domain.as_bytes());
        if let Some(rest) = after(domain::ABFT_DELIVERY) {
            let (epoch, mut r) = epoch(committee, rest)?;
            let sender = r.u16().ok()?;
            return finished(r, 32, plan.prbc(epoch, sender).ok()).map(Self::Agreed);
        }
        if let Some(rest) = after(domain::ABFT_PROMOTION) {
            let (epoch, mut r) = epoch(committee, rest)?;
            let (round, proposer, stage) = (round(r.u32().ok()?)?, r.u16().ok()?, r.u8().ok()?);
            let tag = plan.promotion(epoch, round, proposer, stage).ok();
            return finished(r, 32, tag).map(Self::Unagreed);
        }
        let (epoch, mut r) = epoch(committee, after(domain::ABFT_COMPLETION)?)?;
        let round = round(r.u32().ok()?)?;
        finished(r, 0, plan.completion(epoch, round).ok()).map(Self::Agreed)
    }

    pub(super) fn epoch(self) -> u64 {
        match self {
            Self::Agreed(tag) => tag.epoch(),
            Self::Unagreed(tag) => tag.epoch(),
        }
    }

    pub(super) fn index(self) -> u32 {
        match self {
            Self::Agreed(tag) => tag.index(),
            Self::Unagreed(tag) => tag.index(),
        }
    }
}

fn epoch<'a>(committee: &CommitteeId, rest: &'a [u8]) -> Option<(u64, Reader<'a>)> {
    let mut r = Reader::new(rest);
    let is_own = r.array::<32>().ok()? == committee.0;
    let epoch = r.u64().ok()?;
    is_own.then_some((epoch, r))
}

/// Views begin at 1, and rounds at 0.
fn round(view: u32) -> Option<u16> {
    u16::try_from(view.checked_sub(1)?).ok()
}

/// Returns the value if exactly `left` bytes are unread.
fn finished<T>(r: Reader<'_>, left: usize, value: Option<T>) -> Option<T> {
    value.filter(|_| r.remaining() == left)
}
