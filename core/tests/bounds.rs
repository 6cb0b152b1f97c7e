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

#[cfg(feature = "threshold")]
#[test]
fn shares_and_their_collectors_may_cross_threads() {
    use quorate::threshold::coin::{Coin, CoinCombiner, CommonCoin};
    use quorate::threshold::dleq::{Checked, KeyShare, PublicKeys, Purpose, ShareFault};
    use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, Tdh2, ValidCiphertext};

    use quorate::threshold::ecdsa::{Curve, Opener, Presignature, Presignatures, Signing, TrustedDealer};
    use quorate::threshold::{Agreed, Combiner, Ristretto255, Secp256k1, Unagreed, bls, seal};

    fn signing<G: Curve>() {
        crosses_threads::<(TrustedDealer<G>, Presignatures<G>, Opener<G>)>();
        crosses_threads::<(Presignature<G, Agreed>, Combiner<Signing<G, Agreed>>)>();
        crosses_threads::<(Presignature<G, Unagreed>, Combiner<Signing<G, Unagreed>>)>();
    }
    signing::<Ristretto255>();
    signing::<Secp256k1>();
    crosses_threads::<(bls::KeyShare<MinSig>, Combiner<bls::Signing<MinSig>>, seal::SealingKey)>();

    fn both<P: Purpose>() {
        crosses_threads::<(PublicKeys<P>, KeyShare<P>, Checked<P>, ShareFault<P>)>();
    }
    both::<Tdh2>();
    both::<CommonCoin>();
    crosses_threads::<(EncryptionKey, Ciphertext, ValidCiphertext, Decryption, Coin, CoinCombiner)>();
}

#[test]
fn everything_may_cross_threads() {
    all_of::<MinSig>();
    all_of::<MinPk>();
    all_of::<Ed25519>();
}
