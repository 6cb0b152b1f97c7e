//! What all members of a group agree on besides its file, and how much memory that may take.

use clap::ValueEnum;
use quorate::wire::{Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_broadcast::Parameters;
use quorate_broadcast::authentication::Authentication;

use crate::exit::{Exit, Failure};
use crate::signer::{Make, SignerName, SuiteName};

/// One MiB.
const MIB: u128 = 1 << 20;
/// Longest name of a way of signing, or of a suite.
const MAX_NAME: usize = 32;

/// The options that all members must be given alike.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Terms {
    /// How members know each other's words.
    #[arg(long, value_enum, default_value_t = SignerName::Dsig)]
    pub(crate) signer: SignerName,

    /// How one-time keys are made, with --signer dsig.
    #[arg(long, value_enum, default_value_t = SuiteName::Blake3)]
    pub(crate) suite: SuiteName,

    /// How many of each sender's last messages are kept for members that were away.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) tail: u32,

    /// Most bytes of a message.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) max_message: u32,
}

/// How much a member may keep.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Memory {
    /// Refuse what could make a member keep more than so many MiB, whatever others send it. Grows with the square of
    /// the number of members, with --tail and with --max-message.
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    max_memory: u32,
}

impl Terms {
    pub(crate) fn parameters(&self) -> Parameters {
        let Terms { tail, max_message, .. } = *self;
        Parameters { tail, max_message: max_message as usize, ..Parameters::default() }
    }
}

/// As in a group's identity: the way of signing, the suite, the tail, the longest message.
pub(crate) fn encode<A: Make>(parameters: &Parameters, w: &mut Writer) {
    w.bytes(A::NAME.as_bytes());
    w.bytes(A::SUITE.unwrap_or_default().as_bytes());
    w.u32(parameters.tail);
    w.u64(parameters.max_message as u64);
}

/// Reads what [`encode`] has written.
///
/// # Errors
/// [`Error::Malformed`] for names that there are not and numbers that no command line takes.
pub(crate) fn decode(r: &mut Reader<'_>) -> Result<Terms> {
    let wrong = |what| Error::Malformed { what };
    let signer = name(r)?.ok_or(wrong("way of signing"))?;
    let suite: Option<SuiteName> = name(r)?;
    // Only the one-time keys have suites.
    let suite = match (signer, suite) {
        (SignerName::Dsig, Some(suite)) => suite,
        (SignerName::None | SignerName::Eddsa, None) => SuiteName::Blake3,
        _ => return Err(wrong("suite")),
    };
    let (tail, max_message) = (r.u32()?, r.u64()?);
    let max_message = u32::try_from(max_message).ok().filter(|m| (1..=1 << 20).contains(m));
    match (tail, max_message) {
        (1..=65_536, Some(max_message)) => Ok(Terms { signer, suite, tail, max_message }),
        _ => Err(wrong("tail or longest message")),
    }
}

/// A name; nothing if it is empty.
fn name<N: ValueEnum>(r: &mut Reader<'_>) -> Result<Option<N>> {
    let wrong = || Error::Malformed { what: "name" };
    match std::str::from_utf8(r.bytes("name", MAX_NAME)?).map_err(|_| wrong())? {
        "" => Ok(None),
        name => N::from_str(name, false).map(Some).map_err(|_| wrong()),
    }
}

impl Memory {
    /// Checks that a member does not keep more than is allowed, and returns how much it may be, in bytes.
    ///
    /// # Errors
    /// What to lower, and to what.
    pub(crate) fn check<A: Authentication>(
        &self,
        parameters: &Parameters,
        members: u16,
    ) -> Result<u128, Failure> {
        let (needed, limit) = (parameters.memory::<A>(members), u128::from(self.max_memory) * MIB);
        if needed <= limit {
            return Ok(needed);
        }
        let with = |tail, max_message| Parameters { tail, max_message, ..parameters.clone() };
        let Parameters { tail, max_message, .. } = *parameters;
        let fits = |parameters: Parameters| parameters.memory::<A>(members) <= limit;
        let tail = most(tail, |tail| fits(with(tail, max_message)));
        let message = most(max_message as u32, |bytes| fits(with(parameters.tail, bytes as usize)));
        let lower: Vec<String> = [("--tail", tail), ("--max-message", message)]
            .into_iter()
            .filter_map(|(option, most)| Some(format!("{option} to {}", most?)))
            .collect();
        let lower = match lower.is_empty() {
            true => "lower --tail and --max-message".to_owned(),
            false => format!("lower {}", lower.join(", or ")),
        };
        let text = format!(
            "each of {members} members may have to keep {} MiB, and --max-memory allows {}; {lower} (the same at all \
             members), or take fewer members, or raise --max-memory",
            needed.div_ceil(MIB),
            self.max_memory
        );
        Err(Failure::new(Exit::Usage, text))
    }
}

/// The greatest number from 1 up to below `above` that fits, if any does. What fits fits with less, too.
fn most(above: u32, fits: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (0, above);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    (low > 0).then_some(low)
}

impl Encode for Terms {
    fn encode_to(&self, w: &mut Writer) {
        struct As<'a>(&'a Terms, &'a mut Writer);
        impl crate::signer::WithSigner for As<'_> {
            type Output = ();
            fn call<A: Make>(self) {
                encode::<A>(&self.0.parameters(), self.1);
            }
        }
        crate::signer::with_signer(self.signer, self.suite, As(self, w));
    }
}

#[cfg(test)]
mod tests {
    use quorate_broadcast::authentication::{Eddsa, Links};

    use super::*;

    #[test]
    fn terms_are_read_as_they_were_written() {
        for signer in SignerName::value_variants() {
            for suite in SuiteName::value_variants() {
                let terms = Terms { signer: *signer, suite: *suite, tail: 7, max_message: 99 };
                let bytes = terms.encode();
                let mut r = Reader::new(&bytes);
                let read = decode(&mut r).unwrap();
                assert_eq!((read.encode(), r.is_empty()), (bytes.clone(), true));
                assert!(*signer != SignerName::Dsig || read == terms);
                for end in 0..bytes.len() {
                    assert!(decode(&mut Reader::new(&bytes[..end])).is_err());
                }
            }
        }
        let refused = |signer: &[u8], suite: &[u8], tail, message| {
            let mut w = Writer::new();
            w.bytes(signer);
            w.bytes(suite);
            w.u32(tail);
            w.u64(message);
            decode(&mut Reader::new(&w.into_bytes())).is_err()
        };
        assert!(!refused(b"dsig", b"wots-blake3", 1, 1 << 20));
        assert!(refused(b"dsig", b"", 1, 1) && refused(b"eddsa", b"wots-blake3", 1, 1));
        assert!(refused(b"rsa", b"", 1, 1) && refused(b"", b"", 1, 1) && refused(b"eddsa", b"x", 1, 1));
        assert!(refused(b"eddsa", b"", 0, 1) && refused(b"eddsa", b"", 65_537, 1));
        assert!(refused(b"eddsa", b"", 1, 0) && refused(b"eddsa", b"", 1, (1 << 20) + 1));
        assert!(refused(&[b'x'; 33], b"", 1, 1));
    }

    #[test]
    fn what_would_take_too_much_memory_is_refused_with_what_would_do() {
        let memory = Memory { max_memory: 64 };
        let of = |tail, max_message| Parameters { tail, max_message, ..Parameters::default() };
        memory.check::<Eddsa>(&of(128, 16 << 10), 4).unwrap();
        let text = memory.check::<Eddsa>(&of(1024, 16 << 10), 4).unwrap_err();
        assert_eq!(text.exit(), Exit::Usage);
        let text = text.to_string();
        let number = |option: &str| -> u32 {
            let rest = text.split(option).nth(1).unwrap();
            let digits: String = rest.chars().skip(4).take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap()
        };
        // What is said fits, and no more does.
        let (tail, message) = (number("--tail"), number("--max-message"));
        assert!(tail > 300 && message > 4_000, "{text}");
        memory.check::<Eddsa>(&of(tail, 16 << 10), 4).unwrap();
        memory.check::<Eddsa>(&of(tail + 1, 16 << 10), 4).unwrap_err();
        memory.check::<Eddsa>(&of(1024, message as usize), 4).unwrap();
        memory.check::<Eddsa>(&of(1024, message as usize + 1), 4).unwrap_err();
        // Neither alone is enough.
        let text = memory.check::<Links>(&of(65_536, 1 << 20), 1000).unwrap_err().to_string();
        assert!(text.contains("lower --tail and --max-message"), "{text}");
    }
}
