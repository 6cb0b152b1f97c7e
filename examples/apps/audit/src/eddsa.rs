//! Ed25519 by a library that is chosen at run time. Both libraries make the same signatures; the second one is for measurements.

use std::fmt;

use quorate::Error;
use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::scheme::Scheme as _;

use crate::failure::{Failure, OrFail};
use crate::signed::verify_eddsa;

/// True if this program was built with libsodium: with the feature `sodium`.
pub const HAS_SODIUM: bool = quorate_sodium::is_linked();

/// Library of Ed25519.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EddsaLibrary {
    /// ed25519-dalek, as everywhere else.
    #[default]
    Dalek,
    /// libsodium.
    Sodium,
}

impl EddsaLibrary {
    /// Both libraries.
    pub const ALL: [Self; 2] = [Self::Dalek, Self::Sodium];

    /// Returns the name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dalek => "dalek",
            Self::Sodium => "sodium",
        }
    }

    /// Verifies an encoded signature.
    ///
    /// # Errors
    /// Those of [`verify_eddsa`].
    pub fn verify(self, key: &PublicKey, message: &[u8], signature: &[u8]) -> quorate::Result<()> {
        match self {
            Self::Dalek => verify_eddsa(key, message, signature),
            Self::Sodium => {
                let wrong = || Error::BadSignature { signers: vec![] };
                let signature = signature.try_into().map_err(|_| wrong())?;
                let key = quorate_sodium::VerifyingKey::new(key.as_bytes()).map_err(|_| wrong())?;
                if key.verify(message, signature) { Ok(()) } else { Err(wrong()) }
            }
        }
    }
}

impl fmt::Display for EddsaLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for EddsaLibrary {
    type Err = String;

    /// A library that the program was built without is an error that says how to build it.
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|library| library.name() == name);
        match found {
            None => Err(format!("expected dalek or sodium, got {name:?}")),
            Some(Self::Sodium) if !HAS_SODIUM => Err(quorate_sodium::Unavailable.to_string()),
            Some(library) => Ok(library),
        }
    }
}

/// A key that signs with a library.
pub struct EddsaSigner(Signer);

enum Signer {
    Dalek(SecretKey),
    Sodium(quorate_sodium::SigningKey),
}

impl EddsaSigner {
    /// Takes a key.
    ///
    /// # Errors
    /// [`Failure`] if the library is missing.
    pub fn new(library: EddsaLibrary, secret: SecretKey) -> Result<Self, Failure> {
        Ok(Self(match library {
            EddsaLibrary::Dalek => Signer::Dalek(secret),
            EddsaLibrary::Sodium => {
                let key = quorate_sodium::SigningKey::from_seed(&Ed25519::secret_to_bytes(&secret));
                Signer::Sodium(key.or_fail(crate::failure::Exit::Failed, "EdDSA")?)
            }
        }))
    }

    /// Signs a message.
    ///
    /// # Errors
    /// [`Failure`] if the library fails.
    pub fn sign(&self, message: &[u8]) -> Result<[u8; 64], Failure> {
        match &self.0 {
            Signer::Dalek(secret) => Ok(Ed25519::sign(secret, message).to_bytes()),
            Signer::Sodium(key) => key.sign(message).or_fail(crate::failure::Exit::Failed, "EdDSA"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_make_and_accept_the_same_signatures() {
        let secret = || Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let (key, other) = (Ed25519::public_key(&secret()), [7; 64]);
        let made = EddsaSigner::new(EddsaLibrary::Dalek, secret()).unwrap().sign(b"m").unwrap();
        let libraries = if HAS_SODIUM { &EddsaLibrary::ALL[..] } else { &[EddsaLibrary::Dalek] };
        for library in libraries {
            assert_eq!(EddsaSigner::new(*library, secret()).unwrap().sign(b"m").unwrap(), made);
            assert!(library.verify(&key, b"m", &made).is_ok());
            for (message, signature) in
                [(&b"n"[..], &made[..]), (b"m", &other), (b"m", &made[..63]), (b"m", &[])]
            {
                assert!(library.verify(&key, message, signature).is_err(), "{library}");
            }
            assert_eq!(library.name().parse(), Ok(*library));
        }
    }

    #[test]
    fn a_missing_library_is_named() {
        if !HAS_SODIUM {
            let error = "sodium".parse::<EddsaLibrary>().unwrap_err();
            assert!(error.contains("libsodium-dev"), "{error}");
            let secret = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
            assert!(EddsaSigner::new(EddsaLibrary::Sodium, secret).is_err());
        }
        assert!("openssl".parse::<EddsaLibrary>().unwrap_err().contains("dalek or sodium"));
    }
}
