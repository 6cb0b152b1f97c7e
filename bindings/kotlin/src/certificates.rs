//! Quorum certificates.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any;
use quorate::committee::Verified;

use crate::committees::Committee;
use crate::glue::{Failure, Result};
use crate::signers::SignerSet;
use crate::statements::Statement;

#[derive(uniffi::Object)]
pub(crate) struct Certificate(pub(crate) any::Certificate);

#[uniffi::export]
impl Certificate {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>, committee: &Committee) -> Result<Self> {
        Ok(Self(any::Certificate::decode(&bytes, &committee.0)?))
    }

    #[uniffi::constructor]
    fn decode_detached(bytes: Vec<u8>, statement: Statement, committee: &Committee) -> Result<Self> {
        Ok(Self(any::Certificate::decode_detached(&bytes, statement.try_into()?, &committee.0)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encoded_len(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn statement(&self) -> Statement {
        self.0.statement().into()
    }

    fn signers(&self) -> Arc<SignerSet> {
        SignerSet::from_core(self.0.signers().clone())
    }

    fn proof(&self) -> Vec<u8> {
        self.0.proof()
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedCertificate>> {
        Ok(Arc::new(VerifiedCertificate(self.0.clone().verify(&committee.0)?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedCertificate(pub(crate) Verified<any::Certificate>);

#[uniffi::export]
impl VerifiedCertificate {
    fn value(&self) -> Arc<Certificate> {
        Arc::new(Certificate((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

/// Verdict on one certificate of a batch.
#[derive(uniffi::Enum)]
enum Verdict {
    Valid { certificate: Arc<VerifiedCertificate> },
    Invalid { error: Failure },
}

#[uniffi::export]
fn verify_batch(committee: &Committee, certificates: Vec<Arc<Certificate>>) -> Vec<Verdict> {
    verdicts(any::Certificate::verify_batch(&committee.0, inner(&certificates), &mut SysRng))
}

#[uniffi::export]
fn verify_batch_derived(committee: &Committee, certificates: Vec<Arc<Certificate>>) -> Vec<Verdict> {
    verdicts(any::Certificate::verify_batch_derived(&committee.0, inner(&certificates)))
}

fn inner(certificates: &[Arc<Certificate>]) -> Vec<any::Certificate> {
    certificates.iter().map(|certificate| certificate.0.clone()).collect()
}

fn verdicts(results: Vec<quorate::Result<Verified<any::Certificate>>>) -> Vec<Verdict> {
    let verdict = |result| match result {
        Ok(certificate) => Verdict::Valid { certificate: Arc::new(VerifiedCertificate(certificate)) },
        Err(error) => Verdict::Invalid { error: quorate::Error::into(error) },
    };
    results.into_iter().map(verdict).collect()
}
