//! Votes.

use std::sync::Arc;

use quorate::any;
use quorate::committee::Verified;

use crate::committees::Committee;
use crate::glue::Result;
use crate::keys::{SecretKey, Signature, suite};
use crate::statements::Statement;

#[derive(uniffi::Object)]
pub(crate) struct Vote(pub(crate) any::Vote);

#[uniffi::export]
impl Vote {
    #[uniffi::constructor]
    fn new(statement: Statement, signer: u16, signature: &Signature) -> Result<Self> {
        Ok(Self(any::Vote::new(statement.try_into()?, signer, signature.0.clone())))
    }

    #[uniffi::constructor]
    fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: Statement) -> Result<Self> {
        let statement = statement.try_into()?;
        Ok(Self(secret.with(|key| any::Vote::sign_unguarded(key, &committee.0, statement))??))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Vote::decode(self::suite(suite)?, &bytes)?))
    }

    #[uniffi::constructor]
    fn decode_link(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Vote::decode_link(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encode_link(&self) -> Vec<u8> {
        self.0.encode_link()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn statement(&self) -> Statement {
        self.0.statement().into()
    }

    fn signer(&self) -> u16 {
        self.0.signer()
    }

    fn signature(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.signature()))
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedVote>> {
        Ok(Arc::new(VerifiedVote(self.0.clone().verify(&committee.0)?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedVote(pub(crate) Verified<any::Vote>);

#[uniffi::export]
impl VerifiedVote {
    fn value(&self) -> Arc<Vote> {
        Arc::new(Vote((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}
