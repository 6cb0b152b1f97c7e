//! Messages between a requester and a party, inside TLS. The requester sends a request, the party replies, then the
//! next request follows.
//!
//! A frame is a length (u32, little-endian), followed by that number of bytes: at most [`MAX_REQUEST`] or
//! [`MAX_REPLY`].
//!
//! | request | bytes |
//! |---|---|
//! | status | `00` ‖ deal 32 |
//! | sign | `01` ‖ deal 32 ‖ index u32 ‖ message (length u32, bytes) |
//! | open | `02` ‖ deal 32 ‖ index u32 ‖ message (length u32, bytes) |
//!
//! | reply | bytes |
//! |---|---|
//! | status | `00` ‖ next u32 ‖ count u32: no presignature from `next` on was ever used by the party |
//! | share | `01` ‖ share, attested |
//! | opening | `02` ‖ opening |
//! | refused | `03` ‖ code u8 ‖ next u32 |
//!
//! **Requests are idempotent**, also across lost connections and crashes: the same message under the same index
//! gives the same share, and another message is refused with `CONTRADICTION`, permanently.

use std::fmt;
use std::io::{Error as IoError, ErrorKind};
use std::time::Duration;

use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{Opening, SignatureShare};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// Maximum length of a message. Sign the hash of a longer one.
pub const MAX_MESSAGE: usize = 1 << 20;
/// Maximum length of a request.
pub const MAX_REQUEST: usize = 1 + 32 + 4 + 4 + MAX_MESSAGE;
/// Maximum length of a reply.
pub const MAX_REPLY: usize = 16 << 10;
/// Time limit for a frame, from its first byte on.
pub const FRAME_TIMEOUT: Duration = Duration::from_secs(10);

/// A request to a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The requester's deal: its [`Deal::id`](quorate::threshold::ecdsa::Deal::id).
    pub deal: [u8; 32],
    /// Kind, with its arguments.
    pub kind: RequestKind,
}

/// Kind of a request, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// The party's next unused presignature.
    Status,
    /// A share of a signature.
    Sign {
        /// Index of the presignature.
        index: u32,
        /// Message to sign.
        message: Vec<u8>,
    },
    /// The opening of a share. The party computes the share again if it is no longer in memory.
    Open {
        /// Index of the presignature.
        index: u32,
        /// Message to sign.
        message: Vec<u8>,
    },
}

/// A party's reply. Its content is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The party's next unused presignature.
    Status {
        /// No presignature from this index on was ever used.
        next: u32,
        /// Number of presignatures of the epoch.
        count: u32,
    },
    /// A share with the party's attestation.
    Share(SignatureShare<Secp256k1>),
    /// The opening that a share is checked against.
    Opening(Box<Opening<Secp256k1>>),
    /// The party refuses.
    Refused(Refusal),
}

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Reason.
    pub reason: RefusalReason,
    /// No presignature from this index on was ever used.
    pub next: u32,
}

/// Reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RefusalReason {
    /// The request is malformed.
    Malformed = 1,
    /// The party serves another deal.
    WrongDeal = 2,
    /// The presignature was spent on another message.
    Contradiction = 3,
    /// The presignature was burnt by a crash, or the index is out of range.
    Exhausted = 4,
    /// The party's disk failed: it cannot make records durable, so it signs nothing.
    Store = 5,
    /// The dealt values of this index are inconsistent.
    BadDeal = 6,
}

impl RefusalReason {
    const ALL: [Self; 6] =
        [Self::Malformed, Self::WrongDeal, Self::Contradiction, Self::Exhausted, Self::Store, Self::BadDeal];

    /// Returns a stable machine-readable code.
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
            Self::Malformed => "the request is malformed; compare the versions of the two programs",
            Self::WrongDeal => "the party serves another deal; compare deal files",
            Self::Contradiction => "the presignature was spent on another message",
            Self::Exhausted => "the presignature does not exist, or was lost in a crash",
            Self::Store => "the party's disk failed, so it signs nothing; see its log",
            Self::BadDeal => "the dealt values of this presignature are inconsistent; deal a new epoch",
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

/// Reads a frame of at most `most` bytes. The length is checked before anything is allocated. Returns `None` if the
/// other end closed the connection between frames, or sent nothing for `idle`.
///
/// # Errors
/// If the connection ends within a frame, a frame takes too long, or its length exceeds `most`.
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
            let text = format!("frame too large: at most {most} bytes, got {length}");
            return Err(IoError::new(ErrorKind::InvalidData, text));
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        Ok(Some(body))
    };
    timeout(FRAME_TIMEOUT, rest).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

/// Writes a frame.
///
/// # Errors
/// If the connection ends, or the write takes too long.
pub async fn write_frame<S: AsyncWrite + Unpin>(stream: &mut S, body: &[u8]) -> std::io::Result<()> {
    // All frames are far below 4 GiB.
    let length = u32::try_from(body.len()).map_err(|_| IoError::from(ErrorKind::InvalidInput))?;
    let frame = [&length.to_le_bytes()[..], body].concat();
    let written = async {
        stream.write_all(&frame).await?;
        stream.flush().await
    };
    timeout(FRAME_TIMEOUT, written).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
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
    async fn frames_are_bounded_and_may_end_between_frames() {
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
