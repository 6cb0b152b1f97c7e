use quorate::dsig::{DsigSuite, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::authentication::{Authentication, DSIG, Eddsa, Links};
use crate::interface::Parameters;

/// Maximum length of a scheme's or suite's name.
const MAX_NAME: usize = 32;

/// Parameters that all members of a group agree on in addition to the group file. Members that differ belong to
/// different groups and do not link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupParameters {
    /// Authentication of attestations.
    pub authentication: AuthenticationKind,
    /// Number of last messages kept per sender.
    pub tail: u32,
    /// Maximum length of a message in bytes.
    pub max_message: u32,
}

/// Authentication of attestations, by name; see [`authentication`](crate::authentication).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticationKind {
    /// [`Links`].
    Links,
    /// [`Eddsa`].
    Eddsa,
    /// [`Dsig`](crate::authentication::Dsig).
    Dsig(DsigVariant),
}

/// Suite of DSig, which determines the one-time signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DsigVariant {
    /// [`WotsHaraka512`].
    Haraka512,
    /// [`WotsHaraka256`].
    Haraka256,
    /// [`WotsBlake3`].
    Blake3,
    /// [`WotsBlake3Wide`].
    Blake3Wide,
}

impl GroupParameters {
    /// Maximum of [`tail`](GroupParameters::tail).
    pub const MAX_TAIL: u32 = 65_536;
    /// Maximum of [`max_message`](GroupParameters::max_message).
    pub const MAX_MESSAGE: u32 = 1 << 20;

    /// Returns the parameters of a member's machine, with defaults for those that members need not agree on.
    pub fn parameters(&self) -> Parameters {
        let GroupParameters { tail, max_message, .. } = *self;
        Parameters { tail, max_message: max_message as usize, ..Parameters::default() }
    }
}

impl AuthenticationKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Links,
        Self::Eddsa,
        Self::Dsig(DsigVariant::Haraka512),
        Self::Dsig(DsigVariant::Haraka256),
        Self::Dsig(DsigVariant::Blake3),
        Self::Dsig(DsigVariant::Blake3Wide),
    ];

    /// Returns the [`Authentication::NAME`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Links => Links::NAME,
            Self::Eddsa => Eddsa::NAME,
            Self::Dsig(_) => DSIG,
        }
    }

    /// Returns the suite's name; only DSig has suites.
    pub fn suite(self) -> Option<&'static str> {
        match self {
            Self::Links | Self::Eddsa => None,
            Self::Dsig(DsigVariant::Haraka512) => Some(WotsHaraka512::NAME),
            Self::Dsig(DsigVariant::Haraka256) => Some(WotsHaraka256::NAME),
            Self::Dsig(DsigVariant::Blake3) => Some(WotsBlake3::NAME),
            Self::Dsig(DsigVariant::Blake3Wide) => Some(WotsBlake3Wide::NAME),
        }
    }
}

/// Encoding: the name and the suite's name (or nothing), each with its length as u32; tail u32 ‖ maximum message
/// length u64.
impl Encode for GroupParameters {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(self.authentication.name().as_bytes());
        w.bytes(self.authentication.suite().unwrap_or_default().as_bytes());
        w.u32(self.tail);
        w.u64(self.max_message.into());
    }
}

/// Refuses unknown names and values beyond [`GroupParameters::MAX_TAIL`] and [`GroupParameters::MAX_MESSAGE`].
impl Decode for GroupParameters {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (name, suite) = (r.bytes("name of the authentication", MAX_NAME)?, r.bytes("suite", MAX_NAME)?);
        let is_this = |authentication: &AuthenticationKind| {
            (authentication.name().as_bytes(), authentication.suite().unwrap_or_default().as_bytes())
                == (name, suite)
        };
        let authentication = AuthenticationKind::ALL.into_iter().find(is_this);
        let authentication =
            authentication.ok_or(Error::Malformed { what: "name of the authentication or suite" })?;
        let (tail, max_message) = (r.u32()?, r.u64()?);
        let max_message = u32::try_from(max_message).ok().filter(|m| (1..=Self::MAX_MESSAGE).contains(m));
        match (tail, max_message) {
            (1..=Self::MAX_TAIL, Some(max_message)) => Ok(Self { authentication, tail, max_message }),
            _ => Err(Error::Malformed { what: "tail or maximum message length" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_parameters_have_one_encoding() {
        for authentication in AuthenticationKind::ALL {
            let group_parameters = GroupParameters { authentication, tail: 7, max_message: 99 };
            let bytes = group_parameters.encode();
            assert_eq!(GroupParameters::decode(&bytes, &()), Ok(group_parameters));
            for end in 0..bytes.len() {
                assert!(GroupParameters::decode(&bytes[..end], &()).is_err());
            }
            assert!(GroupParameters::decode(&[&bytes[..], &[0]].concat(), &()).is_err());
        }
    }

    #[test]
    fn unknown_names_and_values_out_of_range_are_refused() {
        let refused = |name: &[u8], suite: &[u8], tail, message| {
            let mut w = Writer::new();
            w.bytes(name);
            w.bytes(suite);
            w.u32(tail);
            w.u64(message);
            GroupParameters::decode(&w.into_bytes(), &()).is_err()
        };
        assert!(!refused(b"dsig", b"wots-blake3", 1, 1 << 20));
        assert!(refused(b"dsig", b"", 1, 1) && refused(b"eddsa", b"wots-blake3", 1, 1));
        assert!(refused(b"rsa", b"", 1, 1) && refused(b"", b"", 1, 1) && refused(b"eddsa", b"x", 1, 1));
        assert!(refused(b"eddsa", b"", 0, 1) && refused(b"eddsa", b"", 65_537, 1));
        assert!(refused(b"eddsa", b"", 1, 0) && refused(b"eddsa", b"", 1, (1 << 20) + 1));
        assert!(refused(b"eddsa", b"", 1, (1 << 32) + 1), "not truncated to 32 bits");
        assert!(refused(&[b'x'; 33], b"", 1, 1));
    }
}
