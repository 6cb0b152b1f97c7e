//! To whom to speak next: what is known of the other members as addresses.

use core::time::Duration;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Parameters;
use crate::machine::{MemberIndex, Time};

/// The other members as one member sees them: who is being sent something, who did not answer and is left alone for
/// a while, who was heard lately. Several [`Gossip`](super::Gossip)s share one `Peers` for as long as a committee
/// lasts, so that what is learnt of a peer in one of them holds in all, and so that the limit of concurrent sends is
/// one for all.
///
/// Memory: one entry per member, and only for those that failed or are being sent something.
#[derive(Clone, Debug)]
pub struct Peers {
    me: MemberIndex,
    n: u16,
    parameters: Parameters,
}

impl Peers {
    /// The peers of member `me` in a committee of `n`.
    pub fn new(me: MemberIndex, n: u16, parameters: Parameters) -> Self {
        todo!()
    }

    /// A peer to whom something may be sent now, by the randomness of `draw`: not oneself, not in the middle of a
    /// send, not left alone. `None` if the limit of concurrent sends is reached, or nobody is left.
    pub fn pick(&mut self, now: Time, draw: u64) -> Option<MemberIndex> {
        todo!()
    }

    /// Whether something may be sent to this peer now.
    pub fn is_free(&mut self, peer: MemberIndex, now: Time) -> bool {
        todo!()
    }

    /// A send to a peer begins: it holds one of the places until it is answered or failed, or until
    /// [`Parameters::patience`] is over.
    pub fn begin(&mut self, peer: MemberIndex, now: Time) {
        todo!()
    }

    /// A send was answered, or the bytes have left where nothing answers.
    pub fn sent(&mut self, peer: MemberIndex) {
        todo!()
    }

    /// A send failed: the peer is left alone for [`Parameters::back_off`], after each further failure in a row for so
    /// much longer.
    pub fn failed(&mut self, peer: MemberIndex, now: Time) {
        todo!()
    }

    /// Something good came from a peer: it is no longer left alone.
    pub fn heard(&mut self, peer: MemberIndex) {
        todo!()
    }

    /// A peer sent what does not verify: it is left alone as if a send had failed, and until then nothing is taken
    /// from it either.
    pub fn accuse(&mut self, peer: MemberIndex, now: Time) {
        todo!()
    }

    /// Whether nothing is taken from this peer now.
    pub fn is_refused(&self, peer: MemberIndex, now: Time) -> bool {
        todo!()
    }

    /// When the next place gets free by itself, for a driver's timer.
    pub fn next_free(&self) -> Option<Time> {
        todo!()
    }
}
