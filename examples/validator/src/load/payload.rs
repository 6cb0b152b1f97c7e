//! Payloads of a load: random bytes, or the lines or frames of a file.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use quorate_support::rng::SplitMix64;

use crate::exit::{Exit, Failure, OrFail};

/// Format of a file of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Detect the format from the first four bytes.
    Auto,
    /// One transaction per line, without the line terminator; empty lines are skipped.
    Lines,
    /// Each transaction follows its length as a little-endian u32.
    Framed,
}

/// A source of transactions.
#[derive(Debug)]
pub(crate) enum Payloads {
    /// Incompressible bytes of one size, without end.
    Random(Random),
    /// The transactions of a file, in order, once or repeatedly.
    File(Box<FilePayloads>),
}

impl Payloads {
    /// Creates random payloads of `size` bytes.
    pub(crate) fn random(size: usize) -> Self {
        Payloads::Random(Random { size, rng: SplitMix64::new(RandomState::new().hash_one(())) })
    }

    /// Opens a file of transactions of at most `longest` bytes each.
    pub(crate) fn file(path: &Path, format: Format, repeat: bool, longest: usize) -> Result<Self, Failure> {
        FilePayloads::open(path, format, repeat, longest).map(|file| Payloads::File(Box::new(file)))
    }

    /// Appends the next transaction to `out`, after its length as u32. Returns `false` at the end of the file.
    pub(crate) fn append_frame(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        match self {
            Payloads::Random(random) => {
                random.append_frame(out);
                Ok(true)
            }
            Payloads::File(file) => file.append_frame(out),
        }
    }
}

/// Payloads from a fast generator that is not cryptographic.
#[derive(Debug)]
pub(crate) struct Random {
    size: usize,
    rng: SplitMix64,
}

impl Random {
    fn append_frame(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.size as u32).to_le_bytes());
        let end = out.len() + self.size;
        while out.len() + 8 <= end {
            out.extend_from_slice(&self.rng.next_u64().to_le_bytes());
        }
        let rest = end - out.len();
        out.extend(self.rng.next_u64().to_le_bytes().into_iter().take(rest));
    }
}

/// A file of transactions, read incrementally.
#[derive(Debug)]
pub(crate) struct FilePayloads {
    path: PathBuf,
    file: BufReader<File>,
    framed: bool,
    repeat: bool,
    longest: usize,
    /// Number of transactions read since the start of the file.
    taken: u64,
    buffer: Vec<u8>,
}

impl FilePayloads {
    /// Also reads the whole file once, so that a transaction that no validator accepts is found before the load begins.
    fn open(path: &Path, format: Format, repeat: bool, longest: usize) -> Result<Self, Failure> {
        let doing = format!("cannot read {}", path.display());
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).or_fail(Exit::Setup, &doing)?);
        let framed = match format {
            Format::Lines => false,
            Format::Framed => true,
            Format::Auto => looks_framed(file.fill_buf().or_fail(Exit::Setup, &doing)?, longest),
        };
        // A pipe can be read only once.
        let can_rewind = file.get_ref().metadata().or_fail(Exit::Setup, &doing)?.is_file();
        let mut opened =
            Self { path: path.into(), file, framed, repeat, longest, taken: 0, buffer: Vec::new() };
        if can_rewind {
            while opened.next()? {
                opened.taken += 1;
            }
            opened.rewind()?;
        }
        Ok(opened)
    }

    fn rewind(&mut self) -> Result<(), Failure> {
        self.taken = 0;
        self.file.rewind().or_fail(Exit::Failed, format!("cannot reread {}", self.path.display()))
    }

    fn append_frame(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        if !self.next()? {
            if !self.repeat || self.taken == 0 {
                return Ok(false);
            }
            self.rewind()?;
            if !self.next()? {
                return Ok(false);
            }
        }
        self.taken += 1;
        out.extend_from_slice(&(self.buffer.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.buffer);
        Ok(true)
    }

    /// Reads the next transaction into the buffer. Returns `false` at the end.
    fn next(&mut self) -> Result<bool, Failure> {
        let read = if self.framed { self.next_frame() } else { self.next_line() };
        read.or_fail(Exit::Setup, format!("{}, transaction {}", self.path.display(), self.taken + 1))
    }

    fn next_line(&mut self) -> Result<bool, String> {
        loop {
            self.buffer.clear();
            // One extra byte distinguishes a too long line from an exact fit; two more hold the line terminator.
            let cap = self.longest as u64 + 3;
            let read =
                (&mut self.file).take(cap).read_until(b'\n', &mut self.buffer).map_err(|e| e.to_string())?;
            if read == 0 {
                return Ok(false);
            }
            if self.buffer.ends_with(b"\n") {
                self.buffer.pop();
                if self.buffer.ends_with(b"\r") {
                    self.buffer.pop();
                }
            }
            if self.buffer.len() > self.longest {
                return Err(format!(
                    "the line is longer than {} bytes, the maximum that a validator accepts",
                    self.longest
                ));
            }
            if !self.buffer.is_empty() {
                return Ok(true);
            }
        }
    }

    fn next_frame(&mut self) -> Result<bool, String> {
        if self.file.fill_buf().map_err(|e| e.to_string())?.is_empty() {
            return Ok(false);
        }
        let mut length = [0; 4];
        self.file.read_exact(&mut length).map_err(|_| "the file ends inside a length".to_string())?;
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 || length > self.longest {
            return Err(format!("invalid frame length {length}: expected 1 to {} bytes", self.longest));
        }
        self.buffer.resize(length, 0);
        self.file
            .read_exact(&mut self.buffer)
            .map_err(|_| format!("the file ends inside a frame of {length} bytes"))?;
        Ok(true)
    }
}

/// Detects frames: the first four bytes of a text, read as a length, exceed 150 million.
fn looks_framed(start: &[u8], longest: usize) -> bool {
    start.first_chunk().is_some_and(|length| (1..=longest).contains(&(u32::from_le_bytes(*length) as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(payloads: &mut Payloads) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut out = Vec::new();
        while payloads.append_frame(&mut out).unwrap() {
            assert_eq!(out[..4], (out.len() as u32 - 4).to_le_bytes());
            found.push(out[4..].to_vec());
            out.clear();
        }
        found
    }

    fn file_with(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn random_payloads_have_the_asked_size_and_differ() {
        let mut payloads = Payloads::random(13);
        let mut out = Vec::new();
        payloads.append_frame(&mut out).unwrap();
        payloads.append_frame(&mut out).unwrap();
        assert_eq!(out.len(), 2 * 17);
        assert_eq!(out[..4], 13u32.to_le_bytes());
        assert_ne!(out[4..17], out[21..]);
    }

    #[test]
    fn text_is_read_line_by_line() {
        let file = file_with(b"one\n\ntwo\r\nthree");
        let mut payloads = Payloads::file(file.path(), Format::Auto, false, 100).unwrap();
        assert_eq!(all(&mut payloads), [&b"one"[..], b"two", b"three"]);
    }

    #[test]
    fn frames_are_recognised_and_read() {
        let file = file_with(b"\x03\0\0\0a\nb\x01\0\0\0c");
        let mut payloads = Payloads::file(file.path(), Format::Auto, false, 100).unwrap();
        assert_eq!(all(&mut payloads), [&b"a\nb"[..], b"c"]);
        let mut as_lines = Payloads::file(file.path(), Format::Lines, false, 100).unwrap();
        assert_eq!(all(&mut as_lines).len(), 2);
    }

    #[test]
    fn a_repeated_file_begins_again_and_an_empty_one_ends() {
        let file = file_with(b"x\ny\n");
        let mut payloads = Payloads::file(file.path(), Format::Auto, true, 100).unwrap();
        let mut out = Vec::new();
        for _ in 0..5 {
            assert!(payloads.append_frame(&mut out).unwrap());
        }
        let letters: Vec<u8> = out.chunks(5).map(|frame| frame[4]).collect();
        assert_eq!(letters, b"xyxyx");
        let empty = file_with(b"\n\n");
        let mut payloads = Payloads::file(empty.path(), Format::Auto, true, 100).unwrap();
        assert!(!payloads.append_frame(&mut out).unwrap());
    }

    #[test]
    fn oversized_and_torn_entries_are_refused_before_the_load() {
        let cases: [(&[u8], Format, &str); 5] = [
            (b"short\nfar too long a line\n", Format::Lines, "transaction 2"),
            (b"exactly 10\nexactly 11!\n", Format::Lines, "transaction 2"),
            (b"\x05\0\0\0ab", Format::Framed, "ends inside a frame"),
            (b"\x01\0\0\0a\x01\0", Format::Framed, "ends inside a length"),
            (b"\x0b\0\0\0ab", Format::Framed, "1 to 10 bytes"),
        ];
        for (content, format, expected) in cases {
            let file = file_with(content);
            let failure = Payloads::file(file.path(), format, false, 10).unwrap_err();
            assert!(failure.to_string().contains(expected), "{failure}");
        }
    }
}
