use std::any::Any;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cryptoki::error::{Error as ModuleError, RvError};
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

/// Time for a signature. The validator waits for half a second: this is for a token that hangs.
const TIMEOUT: Duration = Duration::from_secs(10);

/// DER's header of an octet string of 32 bytes.
const OCTET_STRING: [u8; 2] = [4, 32];

/// An Ed25519 key in a token, with a session that may use it. See [`TokenSession::key`](super::TokenSession::key).
///
/// Every signature is verified before it is returned. An error of the token is final for this session: a token that was removed
/// and connected again needs a new login, so a signer ends then. So it does if the token does not answer for ten seconds.
pub struct TokenKey {
    worker: Mutex<Worker>,
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
        let key_of_thread = public.clone();
        let worker = Worker::start(TIMEOUT, move |message| sign(&session, private, &key_of_thread, message));
        let signed = worker.and_then(|mut worker| {
            worker.sign(possession_message(&public)).map(|possession| (worker, possession))
        });
        let (worker, possession) = signed.map_err(|failure| match failure.is_of_key() {
            true => refused(format!("{failure}; name another key")),
            false => {
                let (token, reason) = (token.clone(), failure.to_string());
                TokenError::Failed { token, operation: "signing", reason }
            }
        })?;
        Ok(Self { worker: Mutex::new(worker), public, possession, token, key: key.to_owned() })
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
        let worker = self.worker.get_mut().unwrap_or_else(PoisonError::into_inner);
        worker.sign(statement.signed_bytes(&committee.id()).to_vec()).map_err(|failure| {
            let reason = format!("{failure}; check that the token is connected, and start the signer again");
            Error::KeyFailed { key: format!("{} in the token {}", self.key, self.token), reason }
        })
    }
}

/// The thread that calls the token, which may hang: then it is left behind.
struct Worker {
    /// `None` after a call that took too long, whose answer must not be taken for that of a later one.
    requests: Option<Sender<Vec<u8>>>,
    answers: Receiver<Result<Signature, Failure>>,
    timeout: Duration,
}

impl Worker {
    fn start(
        timeout: Duration,
        sign: impl Fn(&[u8]) -> Result<Signature, Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let ((requests, asked), (answer, answers)) = (channel::<Vec<u8>>(), channel());
        let work = move || {
            for message in asked {
                if answer.send(sign(&message)).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("token".into()).spawn(work).map_err(Failure::Thread)?;
        Ok(Self { requests: Some(requests), answers, timeout })
    }

    fn sign(&mut self, message: Vec<u8>) -> Result<Signature, Failure> {
        let requests = self.requests.take().ok_or(Failure::Silent)?;
        let answered =
            requests.send(message).ok().and_then(|()| self.answers.recv_timeout(self.timeout).ok());
        let signed = answered.ok_or(Failure::Silent)?;
        self.requests = Some(requests);
        signed
    }
}

/// Reason why there is no signature.
#[derive(Debug)]
enum Failure {
    /// The thread cannot be started.
    Thread(std::io::Error),
    /// The token does not answer.
    Silent,
    /// The token returned an error.
    Token(ModuleError),
    /// The token returned a signature that does not verify.
    Signature(Error),
}

impl Failure {
    /// True if it lasts as long as this key is used.
    fn is_of_key(&self) -> bool {
        matches!(
            self,
            Failure::Signature(_)
                | Failure::Token(ModuleError::Pkcs11(
                    RvError::KeyFunctionNotPermitted
                        | RvError::KeyTypeInconsistent
                        | RvError::MechanismInvalid
                        | RvError::MechanismParamInvalid,
                    _
                ))
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Thread(error) => write!(f, "no thread can be started: {error}"),
            Failure::Silent => f.write_str("the token does not answer"),
            Failure::Token(error) => f.write_str(&describe(error)),
            Failure::Signature(error) => {
                write!(f, "the token returned a signature that does not verify with its public key: {error}")
            }
        }
    }
}

/// Signs, and verifies the signature: a faulty token must not make a validator send invalid votes.
fn sign(
    session: &Session,
    key: ObjectHandle,
    public: &PublicKey,
    message: &[u8],
) -> Result<Signature, Failure> {
    let mechanism = Mechanism::Eddsa(EddsaParams::new(EddsaSignatureScheme::Ed25519));
    let bytes = session.sign(&mechanism, key, message).map_err(Failure::Token)?;
    verified(public, message, &bytes).map_err(Failure::Signature)
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
    fn a_token_that_hangs_is_given_up() {
        let secret = Ed25519::secret_from_bytes(&[7; 32]).unwrap();
        let (release, released) = channel::<()>();
        let released = Mutex::new(released);
        let sign = move |message: &[u8]| {
            if message == b"hang" {
                let _ = released.lock().unwrap().recv();
            }
            Ok(Ed25519::sign(&secret, message))
        };
        let mut worker = Worker::start(Duration::from_secs(600), sign).unwrap();
        assert!(worker.sign(b"vote".to_vec()).is_ok());
        worker.timeout = Duration::ZERO;
        assert!(matches!(worker.sign(b"hang".to_vec()), Err(Failure::Silent)));
        // The answer that comes late is for no other message.
        worker.timeout = Duration::from_secs(600);
        drop(release);
        assert!(matches!(worker.sign(b"vote".to_vec()), Err(Failure::Silent)));
    }

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
