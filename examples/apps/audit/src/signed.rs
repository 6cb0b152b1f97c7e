//! A command with its signature, as it is sent and logged. The decoder consumes exactly the bytes of its value, and a
//! decoded value encodes to the same bytes.
//!
//! | bytes | field |
//! |---|---|
//! | 1 | scheme: 0 none, 1 Ed25519, 2 DSig |
//! | 8 | sequence number |
//! | 8 | time by the client's clock |
//! | 0, 64, or by suite | signature |
//! | rest | command |

use std::fmt;

use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate::wire::Decode;

use crate::Application;
use crate::suites::parse_suite;

/// Maximum length of a command.
pub const MAX_COMMAND: usize = 8 << 20;
/// Maximum length of a signed command.
pub const MAX_SIGNED: usize = MAX_COMMAND + 8192;

/// Bytes that are not of the expected format, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFrame(pub &'static str);

impl fmt::Display for BadFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed: {}", self.0)
    }
}

impl std::error::Error for BadFrame {}

/// Signature scheme of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureScheme {
    /// No signature. For measurements only: nothing about such a command can be proven.
    None,
    /// Ed25519.
    Eddsa,
    /// DSig.
    Dsig,
}

impl SignatureScheme {
    /// All schemes, in the order of their encoding.
    pub const ALL: [Self; 3] = [Self::None, Self::Eddsa, Self::Dsig];

    /// Returns the name in configuration files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Eddsa => "eddsa",
            Self::Dsig => "dsig",
        }
    }

    fn byte(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Eddsa => 1,
            Self::Dsig => 2,
        }
    }
}

impl std::str::FromStr for SignatureScheme {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scheme| scheme.name() == name);
        found.ok_or_else(|| format!("expected dsig, eddsa or none, got {name:?}"))
    }
}

/// A command with its signature, as it is sent and logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedCommand<'a> {
    /// How it is signed.
    pub scheme: SignatureScheme,
    /// Sequence number: one more than the client's previous one.
    pub sequence: u64,
    /// Time by the client's clock, in microseconds.
    pub time: Time,
    /// Signature: empty, 64 bytes, or of a DSig suite.
    pub signature: &'a [u8],
    /// The command in the encoding of its application.
    pub command: &'a [u8],
}

impl<'a> SignedCommand<'a> {
    /// Decodes a signed command from exactly `bytes`. The command's encoding and the signature are not checked.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let short = BadFrame("a signed command is cut short");
        let (byte, rest) = bytes.split_first().ok_or(short)?;
        let scheme = SignatureScheme::ALL.into_iter().find(|scheme| scheme.byte() == *byte);
        let scheme = scheme.ok_or(BadFrame("unknown signature scheme"))?;
        let (sequence, rest) = rest.split_first_chunk().ok_or(short)?;
        let (time, rest) = rest.split_first_chunk().ok_or(short)?;
        let len = match scheme {
            SignatureScheme::None => 0,
            SignatureScheme::Eddsa => 64,
            SignatureScheme::Dsig => {
                parse_suite(rest).map_err(|_| BadFrame("unknown DSig suite"))?.signature_len()
            }
        };
        let (signature, command) = rest.split_at_checked(len).ok_or(short)?;
        if command.is_empty() || command.len() > MAX_COMMAND {
            return Err(BadFrame("length of the command"));
        }
        let (sequence, time) = (u64::from_le_bytes(*sequence), Time(u64::from_le_bytes(*time)));
        Ok(Self { scheme, sequence, time, signature, command })
    }

    /// Appends the encoding.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        Self::begin(self.scheme, self.sequence, self.time, out);
        out.extend_from_slice(self.signature);
        out.extend_from_slice(self.command);
    }

    /// Appends the first part of the encoding, behind which a signer appends signature and command.
    pub fn begin(scheme: SignatureScheme, sequence: u64, time: Time, out: &mut Vec<u8>) {
        out.push(scheme.byte());
        out.extend_from_slice(&sequence.to_le_bytes());
        out.extend_from_slice(&time.0.to_le_bytes());
    }

    /// Returns the message that the signature covers in a store.
    pub fn message(&self, application: &Application, store: &[u8; 32]) -> Vec<u8> {
        application.message(store, self.sequence, self.time, self.command)
    }
}

/// Verifies an encoded Ed25519 signature.
///
/// # Errors
/// Those of [`Ed25519::verify`](quorate::scheme::Scheme::verify), and decoding errors.
pub fn verify_eddsa(key: &PublicKey, message: &[u8], signature: &[u8]) -> quorate::Result<()> {
    let signature = quorate::ed25519::Signature::decode(signature, &())?;
    Ed25519::verify(key, message, &signature)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::application::TEST;

    #[test]
    fn signed_commands_have_exact_lengths() {
        let signature = [1; 64];
        let one = SignedCommand {
            scheme: SignatureScheme::Eddsa,
            sequence: 7,
            time: Time(9),
            signature: &signature,
            command: b"*",
        };
        let mut bytes = Vec::new();
        one.encode_to(&mut bytes);
        assert_eq!(bytes.len(), 1 + 8 + 8 + 64 + 1);
        assert_eq!(SignedCommand::decode(&bytes), Ok(one));
        for cut in 0..bytes.len() {
            assert!(SignedCommand::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[0] = 3;
        assert!(SignedCommand::decode(&bytes).is_err());
        bytes[0] = 2;
        assert!(SignedCommand::decode(&bytes).is_err(), "no room for a DSig signature");
    }

    #[test]
    fn signed_messages_are_distinct() {
        let one = TEST.message(&[0; 32], 1, Time(2), b"*1\r\n$4\r\nPING\r\n");
        assert_ne!(one, TEST.message(&[1; 32], 1, Time(2), b"*1\r\n$4\r\nPING\r\n"));
        assert_ne!(one, TEST.message(&[0; 32], 2, Time(2), b"*1\r\n$4\r\nPING\r\n"));
        assert_ne!(one, TEST.message(&[0; 32], 1, Time(3), b"*1\r\n$4\r\nPING\r\n"));
        assert!(!TEST.hello(&[0; 32], &[0; 32], &[0; 32]).starts_with(TEST.command_domain.as_bytes()));
    }

    proptest! {
        #[test]
        fn decoded_commands_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 0..1700), scheme in 0u8..4, suite in 0u8..6) {
            if bytes.len() > 17 {
                (bytes[0], bytes[17]) = (scheme, suite);
            }
            if let Ok(command) = SignedCommand::decode(&bytes) {
                let mut again = Vec::new();
                command.encode_to(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
