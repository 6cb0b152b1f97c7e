//! Authenticated links between validators.
//!
//! # Connections
//!
//! Each member dials every other member twice: one connection is the *urgent* lane (small consensus messages), the other
//! the *bulk* lane (batches and history). Frames flow only from the dialer to the acceptor; the acceptor sends nothing
//! but answers to probes. So a small message never waits behind half a megabyte, not even in the kernel's buffers, and
//! each node controls its outgoing connections alone.
//!
//! ```text
//!   member 0 ── urgent ──► member 1        member 1 ── urgent ──► member 0
//!            ── bulk ────►                          ── bulk ────►
//! ```
//!
//! A failed connection is retried after a pause that doubles, with jitter; immediately, if the peer connects meanwhile.
//!
//! # Authentication
//!
//! TLS 1.3 with raw public keys (RFC 7250) instead of certificates. The dialer accepts only the identity key of the member
//! that it dials; the acceptor accepts only keys of members. Both prove possession in the handshake. Inside TLS the dialer
//! sends a [`hello`] with chain, protocol version, lane and a random number of its process; the acceptor answers with a
//! verdict. The random number exposes two processes with one key: peers see an older process reconnect after a newer one,
//! and each node regularly dials its own public address.
//!
//! Links exist for one epoch, because members and their indices change with the epoch. The [`LinkListener`] outlasts them.
//! A *former member* may connect and ask, and is dialled while it is connected, so a member that is behind learns that it
//! has left. Former members have the indices after those of the members.
//!
//! # Frames
//!
//! `length u32` (little endian), then `length` bytes; at most [`Limits::urgent_frame`] or [`Limits::bulk_frame`].
//! Length 0 is a probe, which the acceptor answers with length 0. A longer frame ends the connection.
//!
//! # Limits
//!
//! | resource | limit | when reached |
//! |---|---|---|
//! | urgent frames queued for a peer | `links.urgent_queue_frames` | the oldest is dropped: newer messages of a view supersede older ones |
//! | bulk bytes queued for a peer | `links.bulk_queue_bytes`, a sixteenth while the peer is disconnected | the oldest is dropped: the peer requests what it lacks |
//! | bytes received from a peer and not yet processed, and 192 for each frame | [`Limits::inbound_urgent`], [`Limits::inbound_bulk`] | reading from that peer pauses, so TCP pushes back |
//! | unauthenticated connections | `links.max_unauthenticated`, a quarter of them for one host | the oldest is closed |
//! | time for authentication | `links.handshake_timeout_ms` | the connection is closed |
//! | time without a frame or probe, or in one blocked write | `links.dead_after_ms` | the connection is closed and dialled again |
//! | frames of a peer that no honest member sends | 64 at once, one a second | the peer is disconnected for a second; the next limit is 32 |
//!
//! No task waits for a particular peer, so a slow or faulty peer costs the others only its own share of memory.

mod accept;
mod clock;
mod context;
mod dial;
mod error;
mod frame;
mod handshake_limiter;
pub mod hello;
mod identify;
mod listener;
mod network;
mod peer;
mod queue;
mod refusal_log;
mod types;

pub use error::LinkError;
pub(crate) use handshake_limiter::HandshakeLimiter;
pub use identify::identify;
pub use listener::LinkListener;
pub use network::{LinkSender, Links};
pub(crate) use refusal_log::RefusalLog;
pub use types::{FormerMember, Lane, Limits, LinkEvent, Received, Settings, Sink};
