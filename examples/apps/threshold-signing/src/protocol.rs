//! What travels between a requester and a party, inside TLS: the requester asks, the party answers, one after the other.
//!
//! A frame is its length as u32, little endian, then so many bytes: at most [`MAX_REQUEST`] or [`MAX_REPLY`].
//!
//! | request | bytes |
//! |---|---|
//! | status | `00` ‖ deal 32 |
//! | sign | `01` ‖ deal 32 ‖ index u32 ‖ message (length u32, bytes) |
//! | open | `02` ‖ deal 32 ‖ index u32 ‖ message (length u32, bytes) |
//!
//! | reply | bytes |
//! |---|---|
//! | status | `00` ‖ next u32 ‖ count u32: from `next` on no presignature was ever used here |
//! | share | `01` ‖ share, attested |
//! | opening | `02` ‖ opening |
//! | refused | `03` ‖ code u8 ‖ next u32 |
//!
//! **Every request may be sent again**, after a lost connection or a crash: the same message under the same index gives the
//! same share, and another message is `CONTRADICTION`, for ever.

use std::fmt;
use std::io::{Error as IoError, ErrorKind};
use std::time::Duration;

use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{Opening, SignatureShare};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// Longest message. Sign the hash of what is longer.
pub const MAX_MESSAGE: usize = 1 << 20;
/// Longest request.
pub const MAX_REQUEST: usize = 1 + 32 + 4 + 4 + MAX_MESSAGE;
/// Longest reply.
pub const MAX_REPLY: usize = 16 << 10;
/// How long a frame may take from its first byte on.
pub const FRAME_PATIENCE: Duration = Duration::from_secs(10);

/// What a requester wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// [`Deal::id`](quorate::threshold::ecdsa::Deal::id) of the deal that the requester has.
    pub deal: [u8; 32],
    /// What.
    pub kind: RequestKind,
}

/// What a requester wants, under a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Which presignatures are fresh.
    Status,
    /// A share.
    Sign {
        /// Of which presignature.
        index: u32,
        /// Of what.
        message: Vec<u8>,
    },
    /// The opening of a share, which is made again if the party has forgotten it.
    Open {
        /// Of which presignature.
        index: u32,
        /// Of what.
        message: Vec<u8>,
    },
}

/// What a party answers. Whether it is right is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// How far it has come.
    Status {
        /// From here on no presignature was ever used.
        next: u32,
        /// How many the epoch has.
        count: u32,
    },
    /// A share with the party's attestation.
    Share(SignatureShare<Secp256k1>),
    /// What a share is checked against.
    Opening(Box<Opening<Secp256k1>>),
    /// No.
    Refused(Refusal),
}

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub reason: RefusalReason,
    /// From here on no presignature was ever used.
    pub next: u32,
}

/// Why a party refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RefusalReason {
    /// The request cannot be read.
    Malformed = 1,
    /// The party serves another deal.
    WrongDeal = 2,
    /// The presignature is spent on another message.
    Contradiction = 3,
    /// The presignature is burnt, or there is none of this index.
    Exhausted = 4,
    /// The party's disk fails: it can write down nothing, so it signs nothing.
    Store = 5,
    /// What the dealer gave for this index does not fit together.
    BadDeal = 6,
}

impl RefusalReason {
    const ALL: [Self; 6] =
        [Self::Malformed, Self::WrongDeal, Self::Contradiction, Self::Exhausted, Self::Store, Self::BadDeal];

    /// A short code that never changes its meaning.
    pub fn code(self) -> &'static str {
        match self {
            Self::Malformed => "MALFORMED",
            Self::WrongDeal => "WRONG_DEAL",
            Self::Contradiction => "CONTRADICTION",
            Self::Exhausted => "EXHAUSTED",
            Self::Store => "STORE",
            Self::BadDeal => "BAD_DEAL",
        }
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "it cannot read the request; compare the versions of the two programs",
            Self::WrongDeal => "it serves another deal; compare deal files",
            Self::Contradiction => "it has spent this presignature on another message",
            Self::Exhausted => "it has no such presignature, or lost it in a crash",
            Self::Store => "its disk fails, so it signs nothing; look at its log",
            Self::BadDeal => "what it was dealt for this presignature does not fit together; deal anew",
        })
    }
}

impl Encode for Request {
    fn encode_to(&self, w: &mut Writer) {
        let (tag, content) = match &self.kind {
            RequestKind::Status => (0, None),
            RequestKind::Sign { index, message } => (1, Some((index, message))),
            RequestKind::Open { index, message } => (2, Some((index, message))),
        };
        w.u8(tag);
        w.raw(&self.deal);
        if let Some((index, message)) = content {
            w.u32(*index);
            w.bytes(message);
        }
    }
}

impl Decode for Request {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (tag, deal) = (r.u8()?, r.array()?);
        let mut content = || Ok::<_, Error>((r.u32()?, r.bytes("message to sign", MAX_MESSAGE)?.to_vec()));
        let kind = match tag {
            0 => RequestKind::Status,
            1 => content().map(|(index, message)| RequestKind::Sign { index, message })?,
            2 => content().map(|(index, message)| RequestKind::Open { index, message })?,
            _ => return Err(Error::Malformed { what: "kind of request" }),
        };
        Ok(Self { deal, kind })
    }
}

impl Encode for Reply {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Self::Status { next, count } => {
                w.u8(0);
                w.u32(*next);
                w.u32(*count);
            }
            Self::Share(share) => {
                w.u8(1);
                share.encode_to(w);
            }
            Self::Opening(opening) => {
                w.u8(2);
                opening.encode_to(w);
            }
            Self::Refused(refusal) => {
                w.u8(3);
                w.u8(refusal.reason as u8);
                w.u32(refusal.next);
            }
        }
    }
}

impl Decode for Reply {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            0 => Ok(Self::Status { next: r.u32()?, count: r.u32()? }),
            1 => SignatureShare::decode_from(r, &()).map(Self::Share),
            2 => Opening::decode_from(r, &()).map(|opening| Self::Opening(Box::new(opening))),
            3 => {
                let code = r.u8()?;
                let reason = RefusalReason::ALL.into_iter().find(|reason| *reason as u8 == code);
                let reason = reason.ok_or(Error::Malformed { what: "reason of a refusal" })?;
                Ok(Self::Refused(Refusal { reason, next: r.u32()? }))
            }
            _ => Err(Error::Malformed { what: "kind of reply" }),
        }
    }
}

/// Reads a frame of at most `most` bytes; nothing is allocated before the length is checked. `None` if the other end closed
/// between frames, or was silent for `idle`.
///
/// # Errors
/// If the connection ends within a frame, takes too long, or announces too much.
pub async fn read_frame<S: AsyncRead + Unpin>(
    stream: &mut S,
    most: usize,
    idle: Duration,
) -> std::io::Result<Option<Vec<u8>>> {
    let mut first = [0; 1];
    match timeout(idle, stream.read(&mut first)).await {
        Ok(Ok(0)) | Err(_) => return Ok(None),
        Ok(read) => read?,
    };
    let rest = async {
        let mut length = [0; 4];
        let (head, tail) = length.split_at_mut(1);
        head.copy_from_slice(&first);
        stream.read_exact(tail).await?;
        let length = u32::from_le_bytes(length) as usize;
        if length > most {
            let text = format!("a frame of {length} bytes was announced, the limit is {most}");
            return Err(IoError::new(ErrorKind::InvalidData, text));
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        Ok(Some(body))
    };
    timeout(FRAME_PATIENCE, rest).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

/// Writes a frame.
///
/// # Errors
/// If the connection ends, or takes too long.
pub async fn write_frame<S: AsyncWrite + Unpin>(stream: &mut S, body: &[u8]) -> std::io::Result<()> {
    // Far below 4 GiB.
    let length = u32::try_from(body.len()).map_err(|_| IoError::from(ErrorKind::InvalidInput))?;
    let frame = [&length.to_le_bytes()[..], body].concat();
    let written = async {
        stream.write_all(&frame).await?;
        stream.flush().await
    };
    timeout(FRAME_PATIENCE, written).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_encoding<T: Encode + Decode + PartialEq + fmt::Debug>(value: &T) {
        let bytes = value.encode();
        assert_eq!(T::decode(&bytes, &()).as_ref(), Ok(value));
        for cut in 0..bytes.len() {
            assert!(T::decode(&bytes[..cut], &()).is_err(), "{value:?} cut at {cut}");
        }
        assert!(T::decode(&[&bytes[..], &[0]].concat(), &()).is_err());
    }

    #[test]
    fn requests_and_replies_have_one_encoding() {
        let message = b"hello".to_vec();
        for kind in [
            RequestKind::Status,
            RequestKind::Sign { index: 3, message: message.clone() },
            RequestKind::Open { index: u32::MAX, message },
        ] {
            one_encoding(&Request { deal: [7; 32], kind });
        }
        one_encoding(&Reply::Status { next: 9, count: 10 });
        for reason in RefusalReason::ALL {
            one_encoding(&Reply::Refused(Refusal { reason, next: 4 }));
            assert!(!reason.to_string().is_empty());
        }
        for garbage in [&[4][..], &[3, 0, 0, 0, 0, 0], &[3, 7, 0, 0, 0, 0], &[]] {
            assert!(Reply::decode(garbage, &()).is_err());
        }
        let mut long = [&[1][..], &[0; 36]].concat();
        long.extend((MAX_MESSAGE as u32 + 1).to_le_bytes());
        assert_eq!(Request::decode(&long, &()).unwrap_err().code(), "TOO_LARGE");
    }

    #[tokio::test]
    async fn a_frame_is_bounded_and_an_end_between_frames_is_none() {
        let (mut here, mut there) = tokio::io::duplex(1 << 10);
        write_frame(&mut there, b"hello").await.unwrap();
        let idle = Duration::from_secs(5);
        assert_eq!(read_frame(&mut here, 5, idle).await.unwrap().unwrap(), b"hello");
        write_frame(&mut there, b"hello!").await.unwrap();
        assert_eq!(read_frame(&mut here, 5, idle).await.unwrap_err().kind(), ErrorKind::InvalidData);
        let (mut here, mut there) = tokio::io::duplex(1 << 10);
        assert!(read_frame(&mut here, 5, Duration::from_millis(5)).await.unwrap().is_none(), "silence");
        there.write_all(&[1, 0, 0]).await.unwrap();
        drop(there);
        assert_eq!(read_frame(&mut here, 5, idle).await.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert!(read_frame(&mut here, 5, idle).await.unwrap().is_none());
    }
}
