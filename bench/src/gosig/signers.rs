//! A committee in which every member has voted, and aggregates of the votes.

use std::sync::Arc;

use quorate::certificate::{Kind, Statement, Vote};
use quorate::committee::{ChainId, Committee, Verified};
use quorate::gossip::Aggregate;
use quorate::scheme::{Additive, VerifiedKey};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// A committee, a statement, and the vote of every member.
pub(super) struct Signers<S: Additive> {
    pub(super) committee: Arc<Committee<S>>,
    pub(super) statement: Statement,
    pub(super) votes: Vec<Verified<Vote<S>>>,
}

impl<S: Additive> Signers<S> {
    pub(super) fn new(n: usize) -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(n as u64);
        let secrets = (0..n).map(|_| S::generate(&mut rng)).collect::<Result<Vec<_>>>()?;
        let keys = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
        let committee = Arc::new(Committee::new(ChainId::from_name("bench"), 1, keys)?);
        let statement = committee.statement(Kind::new(1), 1, [7; 32]);
        let vote = |secret| Vote::sign_unguarded(secret, &committee, statement)?.verify(&committee);
        let votes = secrets.iter().map(vote).collect::<Result<_>>()?;
        Ok(Self { committee, statement, votes })
    }

    pub(super) fn single(&self, vote: &Verified<Vote<S>>) -> Result<Verified<Aggregate<S>>> {
        Aggregate::from_vote(vote, &self.committee)
    }

    /// An aggregate of this number of signers, with counts that cycle from 1 to `highest`.
    pub(super) fn aggregate(&self, signers: usize, highest: u16) -> Result<Verified<Aggregate<S>>> {
        let mut sum: Option<Verified<Aggregate<S>>> = None;
        // From the highest bit of the counts to the lowest: double the sum, and add the signers with this bit.
        for bit in (0..16).rev().filter(|bit| highest >> bit > 0) {
            if let Some(so_far) = sum.take() {
                sum = Some(so_far.merge(&so_far, highest)?);
            }
            for (number, vote) in self.votes.iter().take(signers).enumerate() {
                let count = number as u16 % highest + 1;
                if count >> bit & 1 == 1 {
                    let vote = self.single(vote)?;
                    sum = Some(sum.map_or(Ok(vote.clone()), |so_far| so_far.merge(&vote, highest))?);
                }
            }
        }
        sum.ok_or(Error::Malformed { what: "signers" })
    }
}

#[cfg(test)]
mod tests {
    use quorate::bls::{Counted, MinSig};
    use quorate::scheme::Toy;
    use quorate::wire::Encode;

    use super::*;

    #[test]
    fn counts_go_from_one_to_the_highest_and_verify() {
        let signers = Signers::<Counted<MinSig>>::new(20).unwrap();
        let aggregate = signers.aggregate(20, 5).unwrap();
        let counts: Vec<u16> = (0..20).map(|member| aggregate.count(member)).collect();
        assert_eq!(counts, (0..20).map(|number| number % 5 + 1).collect::<Vec<u16>>());
        assert!(aggregate.check(&signers.committee).is_ok());
    }

    #[test]
    fn the_scheme_without_cost_has_the_real_encoding_lengths() {
        let (toy, bls) = (Signers::<Toy>::new(20).unwrap(), Signers::<Counted<MinSig>>::new(20).unwrap());
        for (count, highest) in [(1, 1), (20, 1), (20, 16), (7, 3)] {
            let toy = toy.aggregate(count, highest).unwrap();
            let bls = bls.aggregate(count, highest).unwrap();
            assert_eq!(toy.encode().len(), bls.encode().len());
            assert_eq!(toy.encode().len(), toy.encoded_len());
        }
    }
}
