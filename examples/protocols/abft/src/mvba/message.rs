use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::coin::CoinShare;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::signatures::ThresholdScheme;

/// Number of a view, from 1.
pub type View = u32;

/// Hash of a value.
pub type Digest = [u8; 32];

/// A step of a promotion, 1 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage(u8);

/// Bounds for decoders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a value in bytes.
    pub value: usize,
    /// Number of coin shares that prove an election: f + 1.
    pub coin_shares: usize,
}

/// The votes of a quorum for a value in a stage of one promotion.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate<S: ThresholdScheme> {
    /// View of the promotion. Its proposer is the leader that the view elected.
    pub view: View,
    /// Stage of the promotion, 1 to 3: the certificate is a key, a lock or a commit.
    pub stage: Stage,
    /// The quorum's signature of the [promotion statement](promotion_statement).
    pub signature: S::Signature,
}

/// A value with its certificate, as members report it after an election.
#[derive(Clone, Debug, PartialEq)]
pub struct Held<S: ThresholdScheme> {
    /// The leader's value.
    pub value: Vec<u8>,
    /// Stage of the certificate, 1 to 3.
    pub stage: Stage,
    /// The quorum's signature.
    pub signature: S::Signature,
}

/// Messages of the agreement.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: ThresholdScheme> {
    /// Stage 1 of the sender's promotion in a view.
    Promote {
        /// The view.
        view: View,
        /// The value.
        value: Vec<u8>,
        /// The key of the value; `None` for a value that no earlier view certified.
        key: Option<Certificate<S>>,
    },
    /// Stage 2, 3 or 4 of the sender's promotion.
    Advance {
        /// The view.
        view: View,
        /// The stage.
        stage: Stage,
        /// The certificate of the stage before.
        signature: S::Signature,
    },
    /// A vote in a stage of the receiver's promotion.
    Vote {
        /// The view.
        view: View,
        /// The stage.
        stage: Stage,
        /// The sender's share of the certificate.
        share: S::Share,
    },
    /// The sender's promotion is complete.
    Done {
        /// The view.
        view: View,
        /// Hash of the promoted value.
        digest: Digest,
        /// The certificate of stage 4.
        signature: S::Signature,
    },
    /// The sender knows N − f complete promotions.
    Skip {
        /// The view.
        view: View,
        /// The sender's share of the skip certificate.
        share: S::Share,
    },
    /// The sender has abandoned the promotions of the view, and releases its share of the coin that elects the leader.
    Elect {
        /// The view.
        view: View,
        /// The skip certificate: f + 1 members know N − f complete promotions.
        skip: S::Signature,
        /// The sender's share of the coin.
        share: Box<CoinShare>,
    },
    /// The highest certificate of the leader's promotion that the sender has.
    Report {
        /// The view.
        view: View,
        /// The leader's value with the certificate; `None` without one.
        held: Option<Held<S>>,
    },
    /// The decision with its proof.
    Decide {
        /// The view whose leader's value is decided.
        view: View,
        /// The decided value.
        value: Vec<u8>,
        /// The certificate of stage 3.
        signature: S::Signature,
        /// f + 1 shares of the view's coin, ascending by member, which prove the election of the leader.
        shares: Vec<CoinShare>,
    },
    /// The votes of a stage do not combine: the sender asks for the opening of the receiver's vote in its promotion.
    Doubt {
        /// The view.
        view: View,
        /// The stage.
        stage: Stage,
    },
    /// The opening of the sender's vote in the receiver's promotion.
    Opening {
        /// The view.
        view: View,
        /// The stage.
        stage: Stage,
        /// The opening.
        opening: Box<S::Opening>,
    },
}

/// Returns the hash of a value.
pub fn digest(value: &[u8]) -> Digest {
    domain::hash(domain::ABFT_VALUE, value)
}

/// Returns the bytes that a member signs to vote in a promotion: the domain, committee 32, epoch u64, view u32,
/// proposer u16, stage u8, digest 32. A member signs at most one digest for given other fields.
pub fn promotion_statement(
    committee: &CommitteeId,
    epoch: u64,
    view: View,
    proposer: MemberIndex,
    stage: Stage,
    digest: &Digest,
) -> Vec<u8> {
    let mut w = Writer::with_capacity(domain::ABFT_PROMOTION.len() + 79);
    w.raw(domain::ABFT_PROMOTION.as_bytes());
    w.raw(&committee.0);
    w.u64(epoch);
    w.u32(view);
    w.u16(proposer);
    w.u8(stage.0);
    w.raw(digest);
    w.into_bytes()
}

/// Returns the bytes that a member signs when it knows N − f complete promotions of a view: the domain, committee 32,
/// epoch u64, view u32.
pub fn completion_statement(committee: &CommitteeId, epoch: u64, view: View) -> Vec<u8> {
    let mut w = Writer::with_capacity(domain::ABFT_COMPLETION.len() + 44);
    w.raw(domain::ABFT_COMPLETION.as_bytes());
    w.raw(&committee.0);
    w.u64(epoch);
    w.u32(view);
    w.into_bytes()
}

impl Stage {
    /// The first stage. Its certificate is a key.
    pub const KEY: Self = Self(1);
    /// The second stage. Its certificate is a lock.
    pub const LOCK: Self = Self(2);
    /// The third stage. Its certificate is a commit.
    pub const COMMIT: Self = Self(3);
    /// The last stage. Its certificate completes the promotion.
    pub const LAST: Self = Self(4);

    /// Returns the next stage, or `None` after the last.
    pub fn next(self) -> Option<Self> {
        (self < Self::LAST).then_some(Self(self.0 + 1))
    }

    /// Returns the stage before, or `None` for the first.
    pub fn previous(self) -> Option<Self> {
        (self > Self::KEY).then_some(Self(self.0 - 1))
    }

    /// Returns the number, 1 to 4.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Reads a stage from `first` to `last`.
    fn read(r: &mut Reader<'_>, first: Self, last: Self) -> Result<Self> {
        let stage = Self(r.u8()?);
        if (first..=last).contains(&stage) { Ok(stage) } else { Err(Error::Malformed { what: "stage" }) }
    }
}

impl<S: ThresholdScheme> Message<S> {
    /// Returns the view.
    pub fn view(&self) -> View {
        match self {
            Message::Promote { view, .. }
            | Message::Advance { view, .. }
            | Message::Vote { view, .. }
            | Message::Done { view, .. }
            | Message::Skip { view, .. }
            | Message::Elect { view, .. }
            | Message::Report { view, .. }
            | Message::Decide { view, .. }
            | Message::Doubt { view, .. }
            | Message::Opening { view, .. } => *view,
        }
    }

    /// Returns a number for each message that a correct member sends once per view to one receiver.
    pub(super) fn slot(&self) -> u8 {
        match self {
            Message::Promote { .. } => 1,
            // 2, 3, 4.
            Message::Advance { stage, .. } => stage.0,
            // 5 to 8.
            Message::Vote { stage, .. } => 4 + stage.0,
            Message::Done { .. } => 9,
            Message::Skip { share, .. } if S::kind(share) == 2 => 14,
            Message::Skip { .. } => 10,
            Message::Elect { .. } => 11,
            Message::Report { .. } => 12,
            Message::Decide { .. } => 13,
            // Not kept.
            Message::Doubt { .. } | Message::Opening { .. } => 0,
        }
    }
}

/// Encoding: view u32 ‖ stage u8 ‖ signature.
impl<S: ThresholdScheme> Encode for Certificate<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u32(self.view);
        w.u8(self.stage.0);
        self.signature.encode_to(w);
    }
}

impl<S: ThresholdScheme> Decode for Certificate<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (view, stage) = (read_view(r)?, Stage::read(r, Stage::KEY, Stage::COMMIT)?);
        Ok(Self { view, stage, signature: S::Signature::decode_from(r, &())? })
    }
}

/// Encoding: stage u8 ‖ value with its length as u32 ‖ signature.
impl<S: ThresholdScheme> Encode for Held<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.stage.0);
        w.bytes(&self.value);
        self.signature.encode_to(w);
    }
}

impl<S: ThresholdScheme> Decode<Limits> for Held<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let stage = Stage::read(r, Stage::KEY, Stage::COMMIT)?;
        let value = r.bytes("value", limits.value)?.to_vec();
        Ok(Self { value, stage, signature: S::Signature::decode_from(r, &())? })
    }
}

/// Encoding: tag 1 to 10 ‖ view u32 ‖ the fields in the order of their declaration.
impl<S: ThresholdScheme> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        let tag = match self {
            Message::Promote { .. } => 1,
            Message::Advance { .. } => 2,
            Message::Vote { .. } => 3,
            Message::Done { .. } => 4,
            Message::Skip { .. } => 5,
            Message::Elect { .. } => 6,
            Message::Report { .. } => 7,
            Message::Decide { .. } => 8,
            Message::Doubt { .. } => 9,
            Message::Opening { .. } => 10,
        };
        w.u8(tag);
        w.u32(self.view());
        match self {
            Message::Promote { value, key, .. } => {
                w.bytes(value);
                w.option(key.as_ref());
            }
            Message::Advance { stage, signature, .. } => {
                w.u8(stage.0);
                signature.encode_to(w);
            }
            Message::Vote { stage, share, .. } => {
                w.u8(stage.0);
                share.encode_to(w);
            }
            Message::Done { digest, signature, .. } => {
                w.raw(digest);
                signature.encode_to(w);
            }
            Message::Skip { share, .. } => share.encode_to(w),
            Message::Elect { skip, share, .. } => {
                skip.encode_to(w);
                share.encode_to(w);
            }
            Message::Report { held, .. } => w.option(held.as_ref()),
            Message::Decide { value, signature, shares, .. } => {
                w.bytes(value);
                signature.encode_to(w);
                w.list(shares);
            }
            Message::Doubt { stage, .. } => w.u8(stage.0),
            Message::Opening { stage, opening, .. } => {
                w.u8(stage.0);
                opening.encode_to(w);
            }
        }
    }
}

impl<S: ThresholdScheme> Decode<Limits> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let (tag, view) = (r.u8()?, read_view(r)?);
        Ok(match tag {
            1 => {
                let value = r.bytes("value", limits.value)?.to_vec();
                Message::Promote { view, value, key: r.option(&())? }
            }
            2 => {
                let stage = Stage::read(r, Stage::LOCK, Stage::LAST)?;
                Message::Advance { view, stage, signature: S::Signature::decode_from(r, &())? }
            }
            3 => {
                let stage = Stage::read(r, Stage::KEY, Stage::LAST)?;
                Message::Vote { view, stage, share: S::Share::decode_from(r, &())? }
            }
            4 => {
                let digest = r.array()?;
                Message::Done { view, digest, signature: S::Signature::decode_from(r, &())? }
            }
            5 => Message::Skip { view, share: S::Share::decode_from(r, &())? },
            6 => {
                let skip = S::Signature::decode_from(r, &())?;
                Message::Elect { view, skip, share: Box::new(CoinShare::decode_from(r, &())?) }
            }
            7 => Message::Report { view, held: r.option(limits)? },
            8 => {
                let value = r.bytes("value", limits.value)?.to_vec();
                let signature = S::Signature::decode_from(r, &())?;
                Message::Decide { view, value, signature, shares: read_shares(r, limits.coin_shares)? }
            }
            9 => Message::Doubt { view, stage: Stage::read(r, Stage::KEY, Stage::LAST)? },
            10 => {
                let stage = Stage::read(r, Stage::KEY, Stage::LAST)?;
                Message::Opening { view, stage, opening: Box::new(S::Opening::decode_from(r, &())?) }
            }
            _ => return Err(Error::Malformed { what: "tag of an agreement message" }),
        })
    }
}

fn read_view(r: &mut Reader<'_>) -> Result<View> {
    match r.u32()? {
        0 => Err(Error::Malformed { what: "view: expected at least 1, got 0" }),
        view => Ok(view),
    }
}

/// Reads exactly `needed` coin shares, ascending by member.
fn read_shares(r: &mut Reader<'_>, needed: usize) -> Result<Vec<CoinShare>> {
    let shares: Vec<CoinShare> = r.list("coin shares", needed, &())?;
    if shares.len() != needed {
        return Err(Error::BelowQuorum { signed: shares.len() as u128, needed: needed as u128 });
    }
    match shares.iter().zip(shares.iter().skip(1)).find(|(one, next)| one.member() >= next.member()) {
        Some((_, next)) => Err(Error::OutOfOrder { index: next.member().into() }),
        None => Ok(shares),
    }
}
