//! The format of a file of records: frames of a length u32, the first 4 bytes of the hash of the length, the first 8 bytes of the
//! hash of the content, and the content. The first content is the binding, the others are records and markers.
//!
//! A marker is `0 ‖ synchronised u8 ‖ place u64`: everything before it is on disk. `place` is its own place in the file. If
//! `synchronised` is 1, every append that follows is on disk before the next one is written, and a further marker follows it.
//!
//! # Torn end
//! A process that is killed leaves at most an incomplete last frame. A power failure also leaves any bytes at all in the place of
//! the last append, if appends are synchronised. The replica acted on neither, so both may be cut ([`Next::Torn`]). The bytes from
//! the first bad frame on are such an end if
//!
//! * the frame is incomplete: its length is valid and the file ends before its content does; or
//! * the last marker before it says that appends are synchronised, and no marker follows at any place behind it. A marker behind
//!   it shows that the frame was on disk, and that the replica may have acted on it.
//!
//! Anything else is damage ([`Next::Damaged`]). The length has a hash of its own: a damaged one would make a frame in the middle
//! look like an incomplete last one.

use quorate::wire::domain;

/// Bytes before a content.
const HEAD: usize = 16;
/// Length of the content of a marker, and its first byte. No record begins with it.
const MARKER: usize = 10;
const MARKER_TAG: u8 = 0;

/// Reads the frames of a file in order.
pub(super) struct Frames<'a> {
    bytes: &'a [u8],
    at: usize,
    is_synchronised: bool,
}

/// The next frame, or the reason that there is none. `at` is its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// The binding or a record.
    Content { at: usize, content: &'a [u8] },
    /// The file ends here.
    End { at: usize },
    /// The last append was not completed: the file ends here once the rest is cut.
    Torn { at: usize },
    /// The frame was complete, and is damaged.
    Damaged { at: usize, what: &'static str },
}

impl<'a> Frames<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_synchronised: false }
    }

    /// Returns the next frame that is not a marker.
    pub(super) fn next(&mut self) -> Next<'a> {
        loop {
            let at = self.at;
            let rest = self.bytes.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return Next::End { at };
            }
            let content = match content(rest) {
                Ok(content) => content,
                Err(Bad::Incomplete) => return Next::Torn { at },
                Err(Bad::Wrong(what)) if !self.is_synchronised => return Next::Damaged { at, what },
                Err(Bad::Wrong(what)) if has_marker(self.bytes, at + 1) => return Next::Damaged { at, what },
                Err(Bad::Wrong(_)) => return Next::Torn { at },
            };
            self.at = at + HEAD + content.len();
            match as_marker(content, at) {
                Some(is_synchronised) => self.is_synchronised = is_synchronised,
                None if content.first() == Some(&MARKER_TAG) => {
                    return Next::Damaged { at, what: "a marker of another place" };
                }
                None => return Next::Content { at, content },
            }
        }
    }
}

/// Encodes a frame.
pub(super) fn frame(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes();
    [&length[..], &check::<4>(&length), &check::<8>(content), content].concat()
}

/// Encodes the marker for a place.
pub(super) fn marker(at: u64, is_synchronised: bool) -> Vec<u8> {
    frame(&[&[MARKER_TAG, is_synchronised.into()][..], &at.to_le_bytes()].concat())
}

enum Bad {
    Incomplete,
    Wrong(&'static str),
}

/// Returns the content of the frame at the beginning.
fn content(bytes: &[u8]) -> Result<&[u8], Bad> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(Bad::Incomplete)?;
    let (of_length, rest) = rest.split_first_chunk::<4>().ok_or(Bad::Incomplete)?;
    let (of_content, rest) = rest.split_first_chunk::<8>().ok_or(Bad::Incomplete)?;
    if check::<4>(length) != *of_length {
        return Err(Bad::Wrong("wrong checksum of a length"));
    }
    let content = rest.get(..u32::from_le_bytes(*length) as usize).ok_or(Bad::Incomplete)?;
    if check::<8>(content) != *of_content {
        return Err(Bad::Wrong("wrong checksum"));
    }
    Ok(content)
}

/// Returns what the marker at this place says; `None` for other contents.
fn as_marker(content: &[u8], at: usize) -> Option<bool> {
    match content.split_first_chunk::<2>()? {
        ([MARKER_TAG, is_synchronised @ (0 | 1)], place) if place == (at as u64).to_le_bytes() => {
            Some(*is_synchronised == 1)
        }
        _ => None,
    }
}

/// Returns true if there is a marker at any place from `from` on.
fn has_marker(bytes: &[u8], from: usize) -> bool {
    let rest = bytes.get(from..).unwrap_or_default();
    (from..).zip(rest.windows(HEAD + MARKER)).any(|(at, window)| {
        window.starts_with(&(MARKER as u32).to_le_bytes())
            && content(window).is_ok_and(|content| as_marker(content, at).is_some())
    })
}

/// The first bytes of the hash.
fn check<const N: usize>(bytes: &[u8]) -> [u8; N] {
    domain::hash(domain::STORE_FRAME, bytes).first_chunk().copied().unwrap_or([0; N])
}
