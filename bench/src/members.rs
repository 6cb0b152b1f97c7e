//! A committee of `n` equal members, with their votes.

use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::{ChainId, Committee, Verified};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Reader, Writer};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The kind of all votes.
pub(crate) const KIND: Kind = Kind::new(1);
/// The view of all votes.
pub(crate) const VIEW: u64 = 7;

/// A committee with its keys.
pub(crate) struct Members<S: Scheme> {
    secrets: Vec<S::SecretKey>,
    pub(crate) committee: Arc<Committee<S>>,
}

impl<S: Scheme> Members<S> {
    /// `n` members of weight 1, the same on every run.
    pub(crate) fn equal(n: usize) -> Result<Self> {
        Self::weighing(n, |_| 1)
    }

    /// `n` members, of which the last but `absent` weighs as much as all others, so that the quorum is reached with its
    /// vote and not before: collectors stop at the quorum, and certificates with more signers are wanted too.
    /// Weights do not change the cost of a verification.
    pub(crate) fn with_absent(n: usize, absent: usize) -> Result<Self> {
        Self::weighing(n, |member| if member + absent + 1 == n { n as u128 } else { 1 })
    }

    fn weighing(n: usize, weight: impl Fn(usize) -> u128) -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(n as u64);
        let secrets = (0..n).map(|_| S::generate(&mut rng)).collect::<Result<Vec<_>>>()?;
        let members = secrets
            .iter()
            .enumerate()
            .map(|(i, secret)| (VerifiedKey::from_secret(secret), weight(i)))
            .collect();
        let committee = Arc::new(Committee::new(ChainId::from_name("bench"), 1, members)?);
        Ok(Self { secrets, committee })
    }

    /// Number of votes of a certificate.
    pub(crate) fn quorum(&self) -> usize {
        self.committee.quorum_weight() as usize
    }

    /// The statement of the votes.
    pub(crate) fn statement(&self, number: u8) -> Statement {
        self.committee.statement(KIND, VIEW, [number; 32])
    }

    /// The votes of the first `count` members as they arrive over direct links.
    pub(crate) fn link_votes(&self, count: usize) -> Result<Vec<Vec<u8>>> {
        self.votes(count, 0)?.iter().map(|vote| Ok(link(vote))).collect()
    }

    /// The same votes, except that the vote of member `culprit` has another member's signature.
    pub(crate) fn link_votes_with_one_bad(&self, count: usize, culprit: usize) -> Result<Vec<Vec<u8>>> {
        let mut votes = self.votes(count, 0)?;
        let stolen = votes.get((culprit + 1) % count).map(|vote| vote.signature().clone());
        if let (Some(vote), Some(stolen)) = (votes.get_mut(culprit), stolen) {
            *vote = Vote::new(*vote.statement(), vote.signer(), stolen);
        }
        Ok(votes.iter().map(link).collect())
    }

    /// The certificate of the first `signers` members' votes.
    pub(crate) fn certificate(&self, signers: usize, number: u8) -> Result<Certificate<S>> {
        let mut collector = VoteCollector::new(self.committee.clone(), KIND, VIEW);
        let mut suspects = Suspects::new();
        for vote in self.votes(signers, number)? {
            if let Some(certificate) = collector.add(vote, &mut suspects).certificate {
                return Ok(certificate.into_inner());
            }
        }
        Err(Error::BelowQuorum { signed: signers as u128, needed: self.committee.quorum_weight() })
    }

    fn votes(&self, count: usize, number: u8) -> Result<Vec<Vote<S>>> {
        let vote = |secret| Vote::sign_unguarded(secret, &self.committee, self.statement(number));
        self.secrets.iter().take(count).map(vote).collect()
    }
}

/// Result of the votes of a view.
pub(crate) struct Collection<S: Scheme> {
    pub(crate) certificate: Option<Verified<Certificate<S>>>,
    pub(crate) culprits: Vec<u16>,
}

/// The work of a leader: decodes the votes of the links, and forms the certificate.
pub(crate) fn collect<S: Scheme>(committee: &Arc<Committee<S>>, votes: &[Vec<u8>]) -> Result<Collection<S>> {
    let mut collector = VoteCollector::new(committee.clone(), KIND, VIEW);
    let mut suspects = Suspects::new();
    let mut culprits = Vec::new();
    let mut certificate = None;
    for bytes in votes {
        let vote = Vote::<S>::decode_link(&mut Reader::new(bytes))?;
        let collected = collector.add(vote, &mut suspects);
        culprits.extend(collected.faults.iter().map(quorate::certificate::VoteFault::signer));
        certificate = certificate.or(collected.certificate);
    }
    Ok(Collection { certificate, culprits })
}

fn link<S: Scheme>(vote: &Vote<S>) -> Vec<u8> {
    let mut w = Writer::new();
    vote.encode_link(&mut w);
    w.into_bytes()
}
