use std::marker::PhantomData;

use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audit::keys::Key;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_link::{Endpoint, Link, Pace};

use super::deployment::LIMIT;
use crate::Engine;
use crate::frame::{Frame, REQUEST};

/// A client that sends what a test wants.
pub struct RawClient<E> {
    pub link: Link,
    message: Vec<u8>,
    pub store: [u8; 32],
    engine: PhantomData<E>,
}

impl<E: Engine> RawClient<E> {
    pub fn open(endpoint: &Endpoint) -> Self {
        let link = Link::connect(endpoint, LIMIT).unwrap();
        Self { link, message: Vec::new(), store: [0; 32], engine: PhantomData }
    }

    /// Authenticates as a client, with a proof of this key. Returns the code of a refusal.
    pub fn authenticated(endpoint: &Endpoint, named: &Key, held: &Key) -> Result<Self, String> {
        let mut client = Self::open(endpoint);
        let public = *named.public().unwrap().as_bytes();
        client.send(&Frame::Hello { protocol: &E::PROTOCOL, signer: &public });
        let (store, challenge) = match client.receive().unwrap() {
            Frame::Challenge { protocol, store, challenge } if *protocol == E::PROTOCOL => {
                (*store, *challenge)
            }
            other => panic!("{other:?}"),
        };
        client.store = store;
        let message = E::application().hello(&store, &challenge, &public);
        let proof = Ed25519::sign(&held.secret_key().unwrap(), &message).to_bytes();
        client.send(&Frame::Proof(&proof));
        match client.receive().unwrap() {
            Frame::Welcome { .. } => Ok(client),
            Frame::Refused { reason, .. } => Err(code(reason)),
            other => panic!("{other:?}"),
        }
    }

    pub fn send(&mut self, frame: &Frame<'_>) {
        let mut bytes = Vec::new();
        frame.encode_into(&mut bytes);
        self.link.send(&bytes).unwrap();
    }

    /// Returns `None` if the link is closed.
    pub fn receive(&mut self) -> Option<Frame<'_>> {
        let received = self.link.receive_within(&mut self.message, Pace::Sleep, LIMIT).ok()?;
        assert!(received, "no answer");
        Some(Frame::decode(&self.message).unwrap())
    }

    /// Sends a request. Returns the code of the refusal, or nothing for an answer, with its receipt if the server signs it.
    pub fn ask(&mut self, sequence: u64, time: Time, command: &[u8], signature: &[u8]) -> String {
        let scheme = match signature.len() {
            0 => SignatureScheme::None,
            64 => SignatureScheme::Eddsa,
            _ => SignatureScheme::Dsig,
        };
        let mut body = Vec::new();
        SignedCommand { scheme, sequence, time, signature, command }.encode_to(&mut body);
        self.send(&Frame::Request(&body));
        match self.receive().unwrap() {
            Frame::Reply { .. } => {}
            Frame::Refused { reason, .. } => return code(reason),
            other => panic!("{other:?}"),
        }
        if E::SIGNS_ANSWERS {
            assert!(matches!(self.receive(), Some(Frame::Receipt(_))));
        }
        String::new()
    }
}

/// The code at the beginning of a refusal's reason.
pub fn code(reason: &[u8]) -> String {
    std::str::from_utf8(reason).unwrap().split(' ').next().unwrap().to_owned()
}

/// The message of a request that a key signed with Ed25519.
pub fn signed<E: Engine>(key: &Key, store: &[u8; 32], sequence: u64, time: Time, command: &[u8]) -> Vec<u8> {
    let message = E::application().message(store, sequence, time, command);
    let signature = Ed25519::sign(&key.secret_key().unwrap(), &message).to_bytes();
    let (scheme, mut bytes) = (SignatureScheme::Eddsa, vec![REQUEST]);
    SignedCommand { scheme, sequence, time, signature: &signature, command }.encode_to(&mut bytes);
    bytes
}
