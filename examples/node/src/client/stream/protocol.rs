//! The bytes of the submission stream: a TCP connection of its own, for clients that submit thousands of
//! transactions a second.
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
//! All integers are little endian. The first transaction of a connection has sequence 0, the next 1, and so on;
//! sequences never travel from the client. `Accepted` covers every sequence below `up_to` that was not refused.
//! Every transaction ends in exactly one `Refused` or one `Committed`, unless the connection ends first; then its
//! fate is open, and the transaction's id answers the question over HTTP.
//!
//! When `window` transactions are neither refused nor committed, or when the validator is congested, the server
//! stops reading: TCP carries the back-pressure, nothing is refused for it, and nothing is buffered without bound.

use quorate::wire::{Reader, Writer};
use quorate::{Error, Result};

/// What a client sends first: the name of the protocol and its version.
pub const PREAMBLE: [u8; 8] = *b"QSUBMIT1";
/// The longest event, in bytes.
pub const LONGEST_EVENT: usize = 1 + 32 + 4 + 4;

/// What the server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Sent once, when the preamble was right.
    Welcome {
        /// The chain that this validator belongs to.
        chain: [u8; 32],
        /// How many transactions may be open before the server stops reading.
        window: u32,
        /// The longest transaction that is taken, in bytes.
        max_transaction: u32,
    },
    /// All sequences below `up_to` that were not refused are in the validator's mempool.
    Accepted {
        /// One past the last accepted sequence.
        up_to: u64,
    },
    /// One transaction was not taken.
    Refused {
        /// Which.
        sequence: u64,
        /// Why: the numeric form of the API's codes.
        code: u16,
    },
    /// Consecutive transactions are committed and will never be undone.
    Committed {
        /// The first of them.
        first: u64,
        /// How many.
        count: u32,
        /// The height of their block.
        height: u64,
    },
    /// The server ends the connection after this.
    Closing {
        /// Why: the numeric form of the API's codes.
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

    /// Takes the first event off `bytes`; `None` if it is not complete yet. Returns the event and its length.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the first byte names no event: the connection cannot be read any further.
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
