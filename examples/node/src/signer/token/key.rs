use std::any::Any;
use std::sync::{Mutex, PoisonError};

use cryptoki::mechanism::Mechanism;
use cryptoki::mechanism::eddsa::{EddsaParams, EddsaSignatureScheme};
use cryptoki::object::ObjectHandle;
use cryptoki::session::Session;
use quorate::certificate::Statement;
use quorate::committee::Committee;
use quorate::ed25519::{Ed25519, PublicKey, Signature, possession_message};
use quorate::guard::ExternalKey;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::Decode;
use quorate::{Error, Result};

use super::error::{TokenError, describe};

/// DER's header of an octet string of 32 bytes.
const OCTET_STRING: [u8; 2] = [4, 32];

/// An Ed25519 key in a token, with a session that may use it. See [`TokenSession::key`](super::TokenSession::key).
///
/// Every signature is verified before it is returned. An error of the token is final for this session: a token that was removed
/// and connected again needs a new login, so a signer ends then.
pub struct TokenKey {
    /// A session must not be used by two threads at once. The key needs exclusive access anyway.
    session: Mutex<Session>,
    private: ObjectHandle,
    public: PublicKey,
    possession: Signature,
    token: String,
    key: String,
}

impl TokenKey {
    /// Takes a private key and the point of its public key, as `CKA_EC_POINT` has it.
    pub(super) fn new(
        session: Session,
        private: ObjectHandle,
        point: &[u8],
        token: String,
        key: &str,
    ) -> Result<Self, TokenError> {
        let refused =
            |problem: String| TokenError::Key { token: token.clone(), key: key.to_owned(), problem };
        // PKCS#11 3.0 says an octet string; some tokens return its content.
        let bytes = point.strip_prefix(&OCTET_STRING).filter(|bytes| bytes.len() == 32).unwrap_or(point);
        let public = PublicKey::decode(bytes, &()).map_err(|error| {
            refused(format!("its public key is none of Ed25519: {error}; name another key"))
        })?;
        let possession = sign(&session, private, &public, &possession_message(&public));
        let possession = possession.map_err(|reason| refused(format!("{reason}; name another key")))?;
        Ok(Self { session: Mutex::new(session), private, public, possession, token, key: key.to_owned() })
    }

    /// Returns the public key with its proof of possession, for the genesis file.
    pub fn possession(&self) -> UnverifiedKey<Ed25519> {
        UnverifiedKey::new(self.public.clone(), self.possession.clone())
    }

    /// Returns this as a key of scheme `S`; `None` unless that is Ed25519.
    pub fn into_external<S: Scheme>(self) -> Option<Box<dyn ExternalKey<S>>> {
        let key: Box<dyn ExternalKey<Ed25519>> = Box::new(self);
        let key: Box<dyn Any> = Box::new(key);
        key.downcast::<Box<dyn ExternalKey<S>>>().ok().map(|key| *key)
    }
}

impl ExternalKey<Ed25519> for TokenKey {
    fn public_key(&self) -> &PublicKey {
        &self.public
    }

    fn sign(&mut self, committee: &Committee<Ed25519>, statement: &Statement) -> Result<Signature> {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        let message = statement.signed_bytes(&committee.id());
        sign(session, self.private, &self.public, &message).map_err(|reason| {
            let reason = format!("{reason}; check that the token is connected, and start the signer again");
            Error::KeyFailed { key: format!("{} in the token {}", self.key, self.token), reason }
        })
    }
}

/// Signs, and verifies the signature: a faulty token must not make a validator send invalid votes. Returns the reason of a
/// failure.
fn sign(
    session: &Session,
    key: ObjectHandle,
    public: &PublicKey,
    message: &[u8],
) -> Result<Signature, String> {
    let mechanism = Mechanism::Eddsa(EddsaParams::new(EddsaSignatureScheme::Ed25519));
    let bytes = session.sign(&mechanism, key, message).map_err(|error| describe(&error))?;
    verified(public, message, &bytes).map_err(|error| {
        format!("the token returned a signature that does not verify with its public key: {error}")
    })
}

fn verified(public: &PublicKey, message: &[u8], bytes: &[u8]) -> Result<Signature> {
    let signature = Signature::decode(bytes, &())?;
    Ed25519::verify(public, message, &signature)?;
    Ok(signature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::wire::Encode;

    #[test]
    fn a_wrong_signature_of_a_token_is_refused() {
        let secret = Ed25519::secret_from_bytes(&[7; 32]).unwrap();
        let public = Ed25519::public_key(&secret);
        let signature = Ed25519::sign(&secret, b"vote").encode();
        assert!(verified(&public, b"vote", &signature).is_ok());
        assert_eq!(verified(&public, b"another", &signature).unwrap_err().code(), "BAD_SIGNATURE");
        assert_eq!(verified(&public, b"vote", &signature[1..]).unwrap_err().code(), "MALFORMED");
        let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[8; 32]).unwrap());
        assert_eq!(verified(&other, b"vote", &signature).unwrap_err().code(), "BAD_SIGNATURE");
    }
}
