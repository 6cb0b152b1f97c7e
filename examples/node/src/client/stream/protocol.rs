//! Encoding of the submission stream, a TCP protocol for clients that submit thousands of transactions a second.
//!
//! ```text
//! client → server   preamble (8 bytes), then frames:  length u32 | transaction
//! server → client   events:  0 Welcome    chain [32] | window u32 | max_transaction u32
//!                            1 Accepted   up_to u64
//!                            2 Refused    sequence u64 | code u16
//!                            3 Committed  first u64 | count u32 | height u64
//!                            4 Closing    code u16
//! ```
//!
//! All integers are little endian. The first transaction of a connection has sequence number 0, the next one 1, and so on;
//! the client does not send sequence numbers. `Accepted` covers every sequence number below `up_to` that was not refused.
//! Every transaction ends with exactly one `Refused` or one `Committed`, unless the connection ends first; then the client
//! queries the transaction over HTTP by its identifier.
//!
//! While `window` transactions are open, or while the validator is congested, the server does not read. TCP carries the
//! back-pressure, so no transaction is refused for it and no buffer is unbounded.

use quorate::wire::{Reader, Writer};
use quorate::{Error, Result};

/// Preamble that a client sends first: name and version of the protocol.
pub const PREAMBLE: [u8; 8] = *b"QSUBMIT1";
/// Maximum size of an event in bytes.
pub const LONGEST_EVENT: usize = 1 + 32 + 4 + 4;

/// Event from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// First event, after a valid preamble.
    Welcome {
        /// The chain that this validator belongs to.
        chain: [u8; 32],
        /// Maximum number of open transactions; the server does not read above it.
        window: u32,
        /// Maximum size of a transaction in bytes.
        max_transaction: u32,
    },
    /// All transactions below `up_to` that were not refused are in the validator's mempool.
    Accepted {
        /// One past the last accepted sequence number.
        up_to: u64,
    },
    /// A transaction was refused.
    Refused {
        /// Its sequence number.
        sequence: u64,
        /// Number of the [code](crate::client::Code).
        code: u16,
    },
    /// Consecutive transactions are committed, finally.
    Committed {
        /// Sequence number of the first one.
        first: u64,
        /// Number of transactions.
        count: u32,
        /// Height of their block.
        height: u64,
    },
    /// Last event before the server closes the connection.
    Closing {
        /// Number of the [code](crate::client::Code).
        code: u16,
    },
}

impl Event {
    /// Appends the event's bytes.
    pub fn write(&self, w: &mut Writer) {
        match *self {
            Event::Welcome { chain, window, max_transaction } => {
                w.u8(0);
                w.raw(&chain);
                w.u32(window);
                w.u32(max_transaction);
            }
            Event::Accepted { up_to } => {
                w.u8(1);
                w.u64(up_to);
            }
            Event::Refused { sequence, code } => {
                w.u8(2);
                w.u64(sequence);
                w.u16(code);
            }
            Event::Committed { first, count, height } => {
                w.u8(3);
                w.u64(first);
                w.u32(count);
                w.u64(height);
            }
            Event::Closing { code } => {
                w.u8(4);
                w.u16(code);
            }
        }
    }

    /// Decodes the first event of `bytes`. Returns the event and its length; `None` if it is incomplete.
    ///
    /// # Errors
    /// [`Error::Malformed`] for an unknown event: the connection cannot be read any further.
    pub fn read(bytes: &[u8]) -> Result<Option<(Event, usize)>> {
        let Some(tag) = bytes.first() else { return Ok(None) };
        let length = match tag {
            0 => 1 + 32 + 4 + 4,
            1 => 1 + 8,
            2 => 1 + 8 + 2,
            3 => 1 + 8 + 4 + 8,
            4 => 1 + 2,
            _ => return Err(Error::Malformed { what: "submission event" }),
        };
        let Some(body) = bytes.get(1..length) else { return Ok(None) };
        let mut r = Reader::new(body);
        let event = match tag {
            0 => Event::Welcome { chain: r.array()?, window: r.u32()?, max_transaction: r.u32()? },
            1 => Event::Accepted { up_to: r.u64()? },
            2 => Event::Refused { sequence: r.u64()?, code: r.u16()? },
            3 => Event::Committed { first: r.u64()?, count: r.u32()?, height: r.u64()? },
            _ => Event::Closing { code: r.u16()? },
        };
        Ok(Some((event, length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_event() -> impl Strategy<Value = Event> {
        prop_oneof![
            (any::<[u8; 32]>(), any::<u32>(), any::<u32>()).prop_map(|(chain, window, max_transaction)| {
                Event::Welcome { chain, window, max_transaction }
            }),
            any::<u64>().prop_map(|up_to| Event::Accepted { up_to }),
            (any::<u64>(), any::<u16>()).prop_map(|(sequence, code)| Event::Refused { sequence, code }),
            (any::<u64>(), any::<u32>(), any::<u64>()).prop_map(|(first, count, height)| Event::Committed {
                first,
                count,
                height
            }),
            any::<u16>().prop_map(|code| Event::Closing { code }),
        ]
    }

    proptest! {
        #[test]
        fn events_are_read_back_from_any_cut(events in proptest::collection::vec(any_event(), 0..8)) {
            let mut w = Writer::new();
            events.iter().for_each(|event| event.write(&mut w));
            let bytes = w.into_bytes();
            let (mut read, mut at) = (Vec::new(), 0);
            for end in 0..=bytes.len() {
                while let Some((event, length)) = Event::read(&bytes[at..end])? {
                    prop_assert!(length <= LONGEST_EVENT);
                    read.push(event);
                    at += length;
                }
            }
            prop_assert_eq!(at, bytes.len());
            prop_assert_eq!(read, events);
        }

        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            let _ = Event::read(&bytes);
        }
    }

    #[test]
    fn an_unknown_event_is_an_error() {
        assert_eq!(Event::read(&[9, 1, 2]), Err(Error::Malformed { what: "submission event" }));
    }
}
