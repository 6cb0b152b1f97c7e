//! What the types promise: everything may cross threads.

use quorate::bls::{MinPk, MinSig};
use quorate::certificate::{
    Certificate, Conflict, Equivocation, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
    VoteCollector, VoteFault,
};
use quorate::committee::{Committee, Verified};
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::scheme::{Scheme, UnverifiedKey, VerifiedKey};

fn crosses_threads<T: Send + Sync + 'static>() {}

fn all_of<S: Scheme>() {
    crosses_threads::<S::SecretKey>();
    crosses_threads::<(UnverifiedKey<S>, VerifiedKey<S>, Committee<S>, Guard<S>)>();
    crosses_threads::<(Vote<S>, Verified<Certificate<S>>, TimeoutVote<S>, TimeoutCertificate<S>)>();
    crosses_threads::<(Equivocation<S>, Conflict<S>, VoteFault<S>)>();
    crosses_threads::<(VoteCollector<S>, TimeoutCollector<S>, Suspects)>();
}

#[test]
fn everything_may_cross_threads() {
    all_of::<MinSig>();
    all_of::<MinPk>();
    all_of::<Ed25519>();
}
