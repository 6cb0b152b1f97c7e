use std::sync::Arc;

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::statement::{Ballot, Certificate, Digest, quorum};
use crate::value::{Request, Value};

/// Group parameters that decoders need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of replicas.
    pub replicas: u16,
    /// Number of clients.
    pub clients: u16,
    /// Maximum number of slots above the last stable checkpoint.
    pub window: u64,
    /// Maximum length of an announcement in bytes; 0 if there are none.
    pub announcement: usize,
    /// Maximum length of a state with its table of clients in bytes.
    pub state: usize,
    /// Length of a signature in bytes.
    pub signature: usize,
}

impl Limits {
    /// Returns the maximum length of a message in bytes: that of a new view, in which all slots of all reports have a
    /// certificate.
    pub fn message(&self) -> usize {
        let certificate = quorum(self.replicas) * (2 + self.signature);
        let slot = 8 + 28 + 28 + certificate;
        let report = 64 + certificate + self.signature + self.window as usize * slot;
        quorum(self.replicas) * report + self.announcement + self.state + self.signature + 64
    }
}

/// Messages exchanged between replicas. The link authenticates the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S> {
    /// The sender received this request from its client, or from f + 1 replicas.
    Echo(Request),
    /// The leader assigns a slot to a value. It counts as the leader's `Accept`.
    Propose(Ballot),
    /// The sender accepted the value, on the fast path.
    Accept(Ballot),
    /// The sender accepted the value, on the slow path.
    Prepare(Vote<S>),
    /// The sender holds the certificate of n − f `Prepare`.
    Commit(Vote<S>),
    /// The value of a slot is decided.
    Decided {
        /// The slot.
        slot: u64,
        /// The value.
        value: Value,
    },
    /// A `Prepare` of another replica, for a value other than the one that the receiver accepted.
    Witness {
        /// The replica that signed.
        replica: MemberIndex,
        /// Its vote.
        vote: Vote<S>,
    },
    /// The sender's state after a slot.
    Checkpoint {
        /// The slot.
        slot: u64,
        /// Digest of the state.
        digest: Digest,
        /// The sender's signature.
        signature: S,
    },
    /// A stable checkpoint with its state, for a replica that was behind.
    State(StableState<S>),
    /// The sender's report for a view.
    ViewChange(ViewChange<S>),
    /// Begins a view.
    NewView(NewView<S>),
    /// The sender's progress. The receiver repeats what the sender lacks.
    Status(Progress),
    /// One-time keys, sent before the signatures made with them.
    Announcement(Arc<[u8]>),
    /// Announces a start: the sender knows no keys of the receiver.
    Hello,
}

/// A replica's signed vote. The type of its message determines the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote<S> {
    /// View, slot and value.
    pub ballot: Ballot,
    /// The signature.
    pub signature: S,
}

/// A replica's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The view.
    pub view: u64,
    /// False while the replica waits for the leader of the view.
    pub active: bool,
    /// Last slot of the last stable checkpoint.
    pub stable: u64,
    /// Last executed slot.
    pub executed: u64,
}

/// A checkpoint that n − f replicas signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint<S> {
    /// The slot.
    pub slot: u64,
    /// Digest of the state after the slot.
    pub digest: Digest,
    /// The signatures.
    pub certificate: Certificate<S>,
}

/// A stable checkpoint with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StableState<S> {
    /// The checkpoint.
    pub checkpoint: Checkpoint<S>,
    /// The state: the table of clients and the application's state.
    pub state: Arc<[u8]>,
}

/// A replica's report for a new view: what may have been decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewChange<S> {
    /// The replica.
    pub replica: MemberIndex,
    /// The new view.
    pub view: u64,
    /// The last stable checkpoint; `None` before the first.
    pub stable: Option<Checkpoint<S>>,
    /// Slots above the checkpoint in ascending order.
    pub slots: Vec<SlotReport<S>>,
    /// Signature of the replica.
    pub signature: S,
}

/// What a replica accepted in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotReport<S> {
    /// The slot.
    pub slot: u64,
    /// The last accepted value with its view.
    pub accepted: Option<(u64, Value)>,
    /// The certificate of the highest view: view, value and signatures.
    pub prepared: Option<Prepared<S>>,
}

/// A certificate of n − f `Prepare`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared<S> {
    /// The view.
    pub view: u64,
    /// The value.
    pub value: Value,
    /// The signatures.
    pub certificate: Certificate<S>,
}

/// The reports of n − f replicas, from which all replicas compute the same values for the open slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewView<S> {
    /// The view.
    pub view: u64,
    /// The reports, in ascending order of the replicas.
    pub changes: Vec<ViewChange<S>>,
    /// Signature of the leader.
    pub signature: S,
}

/// Durable record. Of records with one [`place`](Record::place) the last suffices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<S> {
    /// The replica takes part in no earlier view.
    View(u64),
    /// The replica accepts no other value in this slot and view.
    Accepted(Ballot),
    /// The replica holds this certificate.
    Prepared(u64, Prepared<S>),
    /// The value of a slot is decided.
    Decided(u64, Value),
    /// A stable checkpoint. Records of slots up to it are obsolete.
    Stable(StableState<S>),
}

impl<S> Record<S> {
    /// Returns the key of the record in a store. A later record with the same key replaces it.
    pub fn place(&self) -> (u8, u64) {
        match self {
            Record::Stable(_) => (0, 0),
            Record::View(_) => (1, 0),
            Record::Accepted(ballot) => (2, ballot.slot),
            Record::Prepared(slot, _) => (3, *slot),
            Record::Decided(slot, _) => (4, *slot),
        }
    }
}

impl<S: Encode> ViewChange<S> {
    /// Returns the digest that the replica signs.
    pub fn digest(&self) -> Digest {
        report_digest(self.replica, self.view, self.stable.as_ref(), &self.slots)
    }
}

impl<S: Encode> NewView<S> {
    /// Returns the digest that the leader signs.
    pub fn digest(&self) -> Digest {
        new_view_digest(self.view, &self.changes)
    }
}

/// Returns the digest of a [`ViewChange`] without its signature.
pub(crate) fn report_digest<S: Encode>(
    replica: MemberIndex,
    view: u64,
    stable: Option<&Checkpoint<S>>,
    slots: &[SlotReport<S>],
) -> Digest {
    let mut w = Writer::new();
    encode_report(&mut w, replica, view, stable, slots);
    domain::hash(domain::REPLICATE_VIEW, &w.into_bytes())
}

/// Returns the digest of a [`NewView`] without its signature.
pub(crate) fn new_view_digest<S: Encode>(view: u64, changes: &[ViewChange<S>]) -> Digest {
    let mut w = Writer::new();
    w.u64(view);
    w.list(changes);
    domain::hash(domain::REPLICATE_VIEW, &w.into_bytes())
}

fn encode_report<S: Encode>(
    w: &mut Writer,
    replica: MemberIndex,
    view: u64,
    stable: Option<&Checkpoint<S>>,
    slots: &[SlotReport<S>],
) {
    w.u16(replica);
    w.u64(view);
    w.option(stable);
    w.list(slots);
}

macro_rules! wire {
    ($type:ident { $($field:ident: $kind:ident),+ }) => {
        impl<S: Encode> Encode for $type<S> {
            fn encode_to(&self, w: &mut Writer) {
                $(wire!(@encode $kind, w, self.$field);)+
            }
        }

        impl<S: Decode> Decode<Limits> for $type<S> {
            fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
                Ok(Self { $($field: wire!(@decode $kind, r, limits)),+ })
            }
        }
    };
    (@encode u64, $w:ident, $value:expr) => { $w.u64($value) };
    (@encode digest, $w:ident, $value:expr) => { $w.raw(&$value) };
    (@encode option, $w:ident, $value:expr) => { $w.option($value.as_ref()) };
    (@encode bytes, $w:ident, $value:expr) => { $w.bytes(&$value) };
    (@encode $kind:ident, $w:ident, $value:expr) => { $value.encode_to($w) };
    (@decode u64, $r:ident, $limits:ident) => { $r.u64()? };
    (@decode digest, $r:ident, $limits:ident) => { $r.array()? };
    (@decode option, $r:ident, $limits:ident) => { $r.option($limits)? };
    (@decode bytes, $r:ident, $limits:ident) => { $r.bytes("state", $limits.state)?.into() };
    (@decode clients, $r:ident, $limits:ident) => { Decode::decode_from($r, &$limits.clients)? };
    (@decode replicas, $r:ident, $limits:ident) => { Decode::decode_from($r, &$limits.replicas)? };
    (@decode signature, $r:ident, $limits:ident) => { S::decode_from($r, &())? };
    (@decode limits, $r:ident, $limits:ident) => { Decode::decode_from($r, $limits)? };
}

wire!(Vote { ballot: clients, signature: signature });
wire!(Checkpoint { slot: u64, digest: digest, certificate: replicas });
wire!(StableState { checkpoint: limits, state: bytes });
wire!(Prepared { view: u64, value: clients, certificate: replicas });

impl Encode for Progress {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.view);
        w.u8(self.active.into());
        w.u64(self.stable);
        w.u64(self.executed);
    }
}

impl Decode for Progress {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { view: r.u64()?, active: r.tag()?, stable: r.u64()?, executed: r.u64()? })
    }
}

impl<S: Encode> Encode for SlotReport<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.slot);
        match &self.accepted {
            None => w.u8(0),
            Some((view, value)) => {
                w.u8(1);
                w.u64(*view);
                value.encode_to(w);
            }
        }
        w.option(self.prepared.as_ref());
    }
}

impl<S: Decode> Decode<Limits> for SlotReport<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let slot = r.u64()?;
        let accepted = match r.tag()? {
            false => None,
            true => Some((r.u64()?, Value::decode_from(r, &limits.clients)?)),
        };
        Ok(Self { slot, accepted, prepared: r.option(limits)? })
    }
}

impl<S: Encode> Encode for ViewChange<S> {
    fn encode_to(&self, w: &mut Writer) {
        encode_report(w, self.replica, self.view, self.stable.as_ref(), &self.slots);
        self.signature.encode_to(w);
    }
}

/// Refuses reports whose slots are not ascending within the window above the checkpoint.
impl<S: Decode> Decode<Limits> for ViewChange<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let replica = replica(r, limits)?;
        let (view, stable) = (r.u64()?, r.option::<_, Checkpoint<S>>(limits)?);
        let slots: Vec<SlotReport<S>> = r.list("slots", limits.window as usize, limits)?;
        let low = stable.as_ref().map_or(0, |stable| stable.slot);
        let mut last = low;
        for report in &slots {
            if report.slot <= last || report.slot - low > limits.window {
                return Err(Error::Malformed { what: "slots of a view change" });
            }
            last = report.slot;
        }
        Ok(Self { replica, view, stable, slots, signature: S::decode_from(r, &())? })
    }
}

impl<S: Encode> Encode for NewView<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.view);
        w.list(&self.changes);
        self.signature.encode_to(w);
    }
}

/// Refuses lists other than of n − f reports of different replicas for the view.
impl<S: Decode> Decode<Limits> for NewView<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let view = r.u64()?;
        let changes: Vec<ViewChange<S>> = r.list("reports", quorum(limits.replicas), limits)?;
        let ascending = changes.windows(2).all(|two| matches!(two, [a, b] if a.replica < b.replica));
        if changes.len() != quorum(limits.replicas) || !ascending || changes.iter().any(|c| c.view != view) {
            return Err(Error::Malformed { what: "reports of a new view" });
        }
        Ok(Self { view, changes, signature: S::decode_from(r, &())? })
    }
}

impl<S: Encode> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Echo(request) => tagged(w, 1, request),
            Message::Propose(ballot) => tagged(w, 2, ballot),
            Message::Accept(ballot) => tagged(w, 3, ballot),
            Message::Prepare(vote) => tagged(w, 4, vote),
            Message::Commit(vote) => tagged(w, 5, vote),
            Message::Decided { slot, value } => {
                w.u8(6);
                w.u64(*slot);
                value.encode_to(w);
            }
            Message::Witness { replica, vote } => {
                w.u8(7);
                w.u16(*replica);
                vote.encode_to(w);
            }
            Message::Checkpoint { slot, digest, signature } => {
                w.u8(8);
                w.u64(*slot);
                w.raw(digest);
                signature.encode_to(w);
            }
            Message::State(state) => tagged(w, 9, state),
            Message::ViewChange(change) => tagged(w, 10, change),
            Message::NewView(new_view) => tagged(w, 11, new_view),
            Message::Status(progress) => tagged(w, 12, progress),
            Message::Announcement(bytes) => {
                w.u8(13);
                w.bytes(bytes);
            }
            Message::Hello => w.u8(14),
        }
    }
}

impl<S: Decode> Decode<Limits> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Echo(Request::decode_from(r, &limits.clients)?),
            2 => Message::Propose(Ballot::decode_from(r, &limits.clients)?),
            3 => Message::Accept(Ballot::decode_from(r, &limits.clients)?),
            4 => Message::Prepare(Vote::decode_from(r, limits)?),
            5 => Message::Commit(Vote::decode_from(r, limits)?),
            6 => Message::Decided { slot: r.u64()?, value: Value::decode_from(r, &limits.clients)? },
            7 => Message::Witness { replica: replica(r, limits)?, vote: Vote::decode_from(r, limits)? },
            8 => {
                Message::Checkpoint { slot: r.u64()?, digest: r.array()?, signature: S::decode_from(r, &())? }
            }
            9 => Message::State(StableState::decode_from(r, limits)?),
            10 => Message::ViewChange(ViewChange::decode_from(r, limits)?),
            11 => Message::NewView(NewView::decode_from(r, limits)?),
            12 => Message::Status(Progress::decode_from(r, &())?),
            13 if limits.announcement > 0 => {
                Message::Announcement(r.bytes("announcement", limits.announcement)?.into())
            }
            14 => Message::Hello,
            _ => return Err(Error::Malformed { what: "message tag" }),
        })
    }
}

impl<S: Encode> Encode for Record<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Record::View(view) => {
                w.u8(1);
                w.u64(*view);
            }
            Record::Accepted(ballot) => tagged(w, 2, ballot),
            Record::Prepared(slot, prepared) => {
                w.u8(3);
                w.u64(*slot);
                prepared.encode_to(w);
            }
            Record::Decided(slot, value) => {
                w.u8(4);
                w.u64(*slot);
                value.encode_to(w);
            }
            Record::Stable(state) => tagged(w, 5, state),
        }
    }
}

impl<S: Decode> Decode<Limits> for Record<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Record::View(r.u64()?),
            2 => Record::Accepted(Ballot::decode_from(r, &limits.clients)?),
            3 => Record::Prepared(r.u64()?, Prepared::decode_from(r, limits)?),
            4 => Record::Decided(r.u64()?, Value::decode_from(r, &limits.clients)?),
            5 => Record::Stable(StableState::decode_from(r, limits)?),
            _ => return Err(Error::Malformed { what: "record tag" }),
        })
    }
}

fn tagged(w: &mut Writer, tag: u8, value: &impl Encode) {
    w.u8(tag);
    value.encode_to(w);
}

fn replica(r: &mut Reader<'_>, limits: &Limits) -> Result<MemberIndex> {
    let replica = r.u16()?;
    if replica >= limits.replicas {
        return Err(Error::UnknownSigner { index: replica.into() });
    }
    Ok(replica)
}
