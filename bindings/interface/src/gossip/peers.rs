//! The other members, as the gossip of one member sees them.

use core::time::Duration;
use std::sync::MutexGuard;

use quorate::gossip;
use quorate::{Error, Result};

use crate::{Locked, at};

class! {
    /// Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate.
    #[cfg_attr(binding, instead = "send its fields and create it there")]
    value plain struct Parameters(gossip::Parameters): Clone, Copy, Debug, PartialEq, Eq;
    shown |self, f| {
        let gossip::Parameters { limit, preferred, batch, fan_out, back_off, send_timeout } = self.0;
        write!(
            f,
            "Parameters(limit={limit}, preferred={preferred}, batch={batch}, fan_out={fan_out}, \
             back_off={back_off:?}, send_timeout={send_timeout:?})"
        )
    };
    /// Creates parameters. No count exceeds `limit`, which is 255 by default; no count of a pool's sum exceeds
    /// `preferred`, 16, if that is possible. At most `batch` aggregates, 4, are verified together, and at most
    /// `fan_out` sends, 5, are in progress at once. A failed peer is suspended for `back_off`, 2 s, and for as much
    /// longer after each further failure in a row; an unanswered send occupies its slot for `send_timeout`, 0.5 s, and
    /// then counts as failed.
    quick fn new(
        #[cfg_attr(binding, option, default = 255)] limit: Option<u16>,
        #[cfg_attr(binding, option, default = 16)] preferred: Option<u16>,
        #[cfg_attr(binding, option, default = 4)] batch: Option<usize>,
        #[cfg_attr(binding, option, default = 5)] fan_out: Option<usize>,
        #[cfg_attr(binding, option, default = 2_000_000)] back_off: Option<Duration>,
        #[cfg_attr(binding, option, default = 500_000)] send_timeout: Option<Duration>,
    ) -> Self {
        let default = gossip::Parameters::default();
        Self(gossip::Parameters {
            limit: limit.unwrap_or(default.limit),
            preferred: preferred.unwrap_or(default.preferred),
            batch: batch.unwrap_or(default.batch),
            fan_out: fan_out.unwrap_or(default.fan_out),
            back_off: back_off.unwrap_or(default.back_off),
            send_timeout: send_timeout.unwrap_or(default.send_timeout),
        })
    }
    /// Maximum of every count.
    getter fn limit(&self) -> u16 { self.0.limit }
    /// Preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it.
    getter fn preferred(&self) -> u16 { self.0.preferred }
    /// Maximum number of aggregates that are verified together.
    getter fn batch(&self) -> usize { self.0.batch }
    /// Maximum number of concurrent sends, and number of members to which a new aggregate is sent.
    getter fn fan_out(&self) -> usize { self.0.fan_out }
    /// Back-off after a failed send to a peer; each further failure in a row adds as much.
    getter fn back_off(&self) -> Duration { self.0.back_off }
    /// Time after which an unanswered send counts as failed and frees its slot.
    getter fn send_timeout(&self) -> Duration { self.0.send_timeout }
}

impl Parameters {
    /// The given parameters, or the default ones.
    pub(super) fn chosen(parameters: Option<&Self>) -> gossip::Parameters {
        parameters.map(|parameters| parameters.0).unwrap_or_default()
    }
}

class! {
    /// One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every
    /// gossip of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends apply
    /// to all. Threads may share it. In all functions `now` is in microseconds of any monotonic clock; it defaults to
    /// the system's.
    object struct Peers(Locked<gossip::Peers>): Debug;
    shown |self, f| {
        match self.next_free() {
            Some(time) => write!(f, "Peers(next_free={time})"),
            None => f.write_str("Peers()"),
        }
    };
    /// Creates the peers of member `me` in a committee of `committee_len`.
    quick fn new(me: u16, committee_len: u16, parameters: Option<&Parameters>) -> Self {
        Self(Locked::new(gossip::Peers::new(me, committee_len, Parameters::chosen(parameters))))
    }
    /// Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended
    /// one; at random by `draw`, or by the operating system's randomness. Nothing if the maximum number of sends is in
    /// progress, or no peer is available. The pick takes effect only with [`Peers::begin`].
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    quick fn pick(
        &self,
        #[cfg_attr(binding, option)] draw: Option<u64>,
        #[cfg_attr(binding, option)] now: Option<u64>,
    ) -> Result<Option<u16>> {
        let draw = draw_or_random(draw)?;
        Ok(self.lock().pick(at(now), draw))
    }
    /// Returns true if another send may begin.
    quick fn has_room(&self, now: Option<u64>) -> bool { self.lock().has_room(at(now)) }
    /// Returns true if this peer may be sent to, slots aside.
    quick fn is_available(&self, peer: u16, now: Option<u64>) -> bool {
        self.lock().is_available(peer, at(now))
    }
    /// Registers the start of a send: it occupies a slot until it has [`Peers::left`], was [`Peers::sent`] or
    /// [`Peers::failed`], at most for the send timeout. `Gossip.next` calls it itself.
    quick fn begin(&self, peer: u16, now: Option<u64>) { self.lock().begin(peer, at(now)); }
    /// Registers that a message has left: its slot is free again, although its delivery is unknown.
    quick fn left(&self, peer: u16) { self.lock().left(peer); }
    /// Registers that a send was answered.
    quick fn sent(&self, peer: u16) { self.lock().sent(peer); }
    /// Registers that a send failed: the peer is suspended, and longer after each further failure in a row.
    quick fn failed(&self, peer: u16, now: Option<u64>) { self.lock().failed(peer, at(now)); }
    /// Registers that a message came from a peer: it is reachable.
    quick fn heard(&self, peer: u16) { self.lock().heard(peer); }
    /// Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
    /// `Gossip.check` calls it itself.
    quick fn accuse(&self, peer: u16, now: Option<u64>) { self.lock().accuse(peer, at(now)); }
    /// Returns true if nothing is accepted from this peer now.
    quick fn is_refused(&self, peer: u16, now: Option<u64>) -> bool { self.lock().is_refused(peer, at(now)) }
    /// Returns the time at which the next slot becomes free without an answer, in microseconds; nothing if no send is
    /// in progress.
    quick fn next_free(&self) -> Option<u64> { self.lock().next_free().map(|time| time.0) }
}

impl Peers {
    pub(super) fn lock(&self) -> MutexGuard<'_, gossip::Peers> {
        self.0.lock()
    }
}

/// The caller's randomness, or the operating system's.
pub(super) fn draw_or_random(draw: Option<u64>) -> Result<u64> {
    draw.map_or_else(|| getrandom::u64().map_err(|_| Error::Rng), Ok)
}
