//! Evidence of protocol violations.

use std::sync::Arc;

use quorate::any;
use quorate::committee::Verified;

use crate::certificates::Certificate;
use crate::committees::Committee;
use crate::glue::Result;
use crate::keys::suite;
use crate::signers::SignerSet;
use crate::votes::Vote;

#[derive(uniffi::Object)]
pub(crate) struct Equivocation(any::Equivocation);

#[uniffi::export]
impl Equivocation {
    #[uniffi::constructor]
    fn new(first: &Vote, second: &Vote) -> Result<Self> {
        Ok(Self(any::Equivocation::new(first.0.clone(), second.0.clone())?))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Equivocation::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn votes(&self) -> Vec<Arc<Vote>> {
        let (first, second) = self.0.votes();
        vec![Arc::new(Vote(first)), Arc::new(Vote(second))]
    }

    fn signer(&self) -> u16 {
        self.0.signer()
    }

    fn culprits(&self) -> Vec<u16> {
        self.0.culprits().to_vec()
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedEquivocation>> {
        Ok(Arc::new(VerifiedEquivocation(self.0.clone().verify(&committee.0)?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedEquivocation(pub(crate) Verified<any::Equivocation>);

#[uniffi::export]
impl VerifiedEquivocation {
    fn value(&self) -> Arc<Equivocation> {
        Arc::new(Equivocation((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[derive(uniffi::Object)]
pub(crate) struct Conflict(any::Conflict);

#[uniffi::export]
impl Conflict {
    #[uniffi::constructor]
    fn new(first: &Certificate, second: &Certificate) -> Result<Self> {
        Ok(Self(any::Conflict::new(first.0.clone(), second.0.clone())?))
    }

    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>, committee: &Committee) -> Result<Self> {
        Ok(Self(any::Conflict::decode(&bytes, &committee.0)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn certificates(&self) -> Vec<Arc<Certificate>> {
        let (first, second) = self.0.certificates();
        vec![Arc::new(Certificate(first)), Arc::new(Certificate(second))]
    }

    fn culprits(&self) -> Arc<SignerSet> {
        SignerSet::from_core(self.0.culprits())
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedConflict>> {
        Ok(Arc::new(VerifiedConflict(self.0.clone().verify(&committee.0)?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedConflict(Verified<any::Conflict>);

#[uniffi::export]
impl VerifiedConflict {
    fn value(&self) -> Arc<Conflict> {
        Arc::new(Conflict((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}
