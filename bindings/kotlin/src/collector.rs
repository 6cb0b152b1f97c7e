//! The collector of votes, and the faults that it finds.

use std::sync::{Arc, Mutex};

use quorate::any;
use quorate::certificate::Kind;

use crate::certificates::VerifiedCertificate;
use crate::committees::Committee;
use crate::evidence::VerifiedEquivocation;
use crate::glue::{Failure, Result, Uint128, hash32, lock};
use crate::signers::Suspects;
use crate::votes::{VerifiedVote, Vote};

#[derive(uniffi::Record)]
struct Collected {
    certificate: Option<Arc<VerifiedCertificate>>,
    faults: Vec<VoteFault>,
}

#[derive(uniffi::Enum)]
pub(crate) enum VoteFault {
    Stray { signer: u16, error: Failure },
    BadSignature { signer: u16 },
    Equivocation { evidence: Arc<VerifiedEquivocation> },
}

/// Converts faults to Kotlin's form.
pub(crate) fn faults(faults: Vec<any::VoteFault>) -> Vec<VoteFault> {
    let fault = |fault| match fault {
        any::VoteFault::Stray { signer, error } => VoteFault::Stray { signer, error: error.into() },
        any::VoteFault::BadSignature { signer } => VoteFault::BadSignature { signer },
        any::VoteFault::Equivocation(evidence) => {
            VoteFault::Equivocation { evidence: Arc::new(VerifiedEquivocation(*evidence)) }
        }
    };
    faults.into_iter().map(fault).collect()
}

impl From<any::Collected> for Collected {
    fn from(collected: any::Collected) -> Self {
        Self {
            certificate: collected.certificate.map(|certificate| Arc::new(VerifiedCertificate(certificate))),
            faults: faults(collected.faults),
        }
    }
}

#[derive(uniffi::Object)]
struct VoteCollector(Mutex<any::VoteCollector>);

#[uniffi::export]
impl VoteCollector {
    #[uniffi::constructor]
    fn new(
        committee: &Committee,
        kind: u8,
        view: u64,
        batch_threshold: Option<u32>,
        failure_limit: Option<u16>,
    ) -> Self {
        let mut collector = any::VoteCollector::new(&committee.0, Kind::new(kind), view);
        if let Some(votes) = batch_threshold {
            collector = collector.with_batch_threshold(votes as usize);
        }
        if let Some(votes) = failure_limit {
            collector = collector.with_failure_limit(votes);
        }
        Self(Mutex::new(collector))
    }

    // Lock order: the collector before the suspects.
    fn add(&self, vote: &Vote, suspects: &Suspects) -> Result<Collected> {
        let mut collector = lock(&self.0);
        Ok(collector.add(vote.0.clone(), &mut lock(&suspects.0))?.into())
    }

    fn add_verified(&self, vote: &VerifiedVote, suspects: &Suspects) -> Result<Collected> {
        let mut collector = lock(&self.0);
        Ok(collector.add_verified(vote.0.clone(), &mut lock(&suspects.0))?.into())
    }

    fn kind(&self) -> u8 {
        lock(&self.0).topic().0.number()
    }

    fn view(&self) -> u64 {
        lock(&self.0).topic().1
    }

    fn weight_for(&self, digest: Vec<u8>) -> Result<Uint128> {
        let digest = hash32("digest", &digest)?;
        Ok(Uint128(lock(&self.0).weight_for(&digest)))
    }

    fn committee(&self) -> Arc<Committee> {
        Arc::new(Committee(lock(&self.0).committee()))
    }

    fn is_done(&self) -> bool {
        lock(&self.0).is_done()
    }
}
