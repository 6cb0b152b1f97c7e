//! A committee whose secrets are all at hand, and aggregates of whomever one likes.

use std::sync::Arc;

use quorate::certificate::{Kind, Statement, Vote};
use quorate::committee::{ChainId, Committee, Verified};
use quorate::gossip::{Additive, Aggregate, Gossip, Parameters, Peers};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const NOW: Time = Time(1_000_000);

pub(crate) struct World<S: Scheme> {
    pub(crate) secrets: Vec<S::SecretKey>,
    pub(crate) committee: Arc<Committee<S>>,
    pub(crate) statement: Statement,
}

impl<S: Additive> World<S> {
    pub(crate) fn new(n: usize) -> Self {
        Self::weighted(&vec![1; n])
    }

    pub(crate) fn weighted(weights: &[u128]) -> Self {
        let mut rng = StdRng::seed_from_u64(3);
        let secrets: Vec<_> = weights.iter().map(|_| S::generate(&mut rng).unwrap()).collect();
        let members = secrets.iter().map(VerifiedKey::from_secret).zip(weights.iter().copied()).collect();
        let committee = Arc::new(Committee::new(ChainId::from_name("gossip"), 4, members).unwrap());
        let statement = committee.statement(Kind::new(1), 7, [9; 32]);
        Self { secrets, committee, statement }
    }

    pub(crate) fn vote(&self, member: MemberIndex) -> Verified<Vote<S>> {
        let vote = Vote::sign_unguarded(&self.secrets[usize::from(member)], &self.committee, self.statement)
            .unwrap();
        vote.verify(&self.committee).unwrap()
    }

    pub(crate) fn single(&self, member: MemberIndex) -> Verified<Aggregate<S>> {
        Aggregate::of_vote(&self.vote(member), &self.committee).unwrap()
    }

    /// Each named member's signature, as often as it is named.
    pub(crate) fn sum(&self, members: impl IntoIterator<Item = MemberIndex>) -> Verified<Aggregate<S>> {
        let singles = members.into_iter().map(|member| self.single(member));
        singles.reduce(|a, b| a.merge(&b, u16::MAX).unwrap()).unwrap()
    }

    /// As it comes from elsewhere: in bytes, unverified.
    pub(crate) fn received(&self, members: impl IntoIterator<Item = MemberIndex>) -> Aggregate<S> {
        Aggregate::decode(&self.sum(members).encode(), &self.committee).unwrap()
    }

    /// An encoding with the parts as given, for committees of at most eight: a bitmap of signers, their counts.
    pub(crate) fn raw(&self, bitmap: u8, counts: &[u16], signature: &S::Signature) -> Vec<u8> {
        let mut bytes = vec![S::SUITE];
        bytes.extend(self.statement.encode());
        bytes.extend([0, bitmap]);
        bytes.extend(gamma(counts));
        bytes.extend(signature.encode());
        bytes
    }

    /// An aggregate that claims these signers, once each, with a signature that is not theirs.
    pub(crate) fn forged(&self, members: impl IntoIterator<Item = MemberIndex>) -> Aggregate<S> {
        let bytes = self.sum(members).encode();
        let len = self.single(0).signature().encode().len();
        let wrong = S::sign(&self.secrets[0], b"something else").encode();
        Aggregate::decode(&[&bytes[..bytes.len() - len], &wrong].concat(), &self.committee).unwrap()
    }

    pub(crate) fn gossip(&self, me: MemberIndex) -> (Gossip<S>, Peers) {
        let parameters = Parameters::default();
        let gossip = Gossip::new(self.committee.clone(), me, self.statement, parameters).unwrap();
        (gossip, Peers::new(me, self.committee.len(), parameters))
    }
}

/// The block of counts, written down independently: as text of zeros and ones.
pub(crate) fn gamma(counts: &[u16]) -> Vec<u8> {
    if counts.iter().all(|count| *count == 1) {
        return vec![0];
    }
    let codes = counts.iter().map(|count| {
        let digits = format!("{count:b}");
        "0".repeat(digits.len() - 1) + &digits
    });
    let mut bits: Vec<char> = codes.collect::<String>().chars().collect();
    bits.resize(bits.len().next_multiple_of(8), '0');
    let bytes = bits.chunks(8).map(|byte| u8::from_str_radix(&byte.iter().collect::<String>(), 2).unwrap());
    [1].into_iter().chain(bytes).collect()
}
