//! Auto traits: all types are `Send` and `Sync`.

use quorate::bls::{MinPk, MinSig};
use quorate::certificate::{
    Certificate, Conflict, Equivocation, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
    VoteCollector, VoteFault,
};
use quorate::committee::{Committee, Verified};
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::scheme::{Scheme, UnverifiedKey, VerifiedKey};

fn send_and_sync<T: Send + Sync + 'static>() {}

fn all_of<S: Scheme>() {
    send_and_sync::<S::SecretKey>();
    send_and_sync::<(UnverifiedKey<S>, VerifiedKey<S>, Committee<S>, Guard<S>)>();
    send_and_sync::<(Vote<S>, Verified<Certificate<S>>, TimeoutVote<S>, TimeoutCertificate<S>)>();
    send_and_sync::<(Equivocation<S>, Conflict<S>, VoteFault<S>)>();
    send_and_sync::<(VoteCollector<S>, TimeoutCollector<S>, Suspects)>();
}

#[cfg(feature = "threshold")]
#[test]
fn threshold_types_are_send_and_sync() {
    use quorate::threshold::coin::{Cks, Coin, Toss};
    use quorate::threshold::dleq::{Checked, KeyShare, PublicKeys, Purpose, ShareFault};
    use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, Tdh2, ValidCiphertext};

    use quorate::threshold::ecdsa::{Curve, Opener, Presignature, Presignatures, Signing, TrustedDealer};
    use quorate::threshold::{Agreed, Combiner, Ristretto255, Secp256k1, Unagreed, bls, seal};

    fn signing<G: Curve>() {
        send_and_sync::<(TrustedDealer<G>, Presignatures<G>, Opener<G>)>();
        send_and_sync::<(Presignature<G, Agreed>, Combiner<Signing<G, Agreed>>)>();
        send_and_sync::<(Presignature<G, Unagreed>, Combiner<Signing<G, Unagreed>>)>();
    }
    signing::<Ristretto255>();
    signing::<Secp256k1>();
    send_and_sync::<(bls::KeyShare<MinSig>, Combiner<bls::Signing<MinSig>>, seal::SealingKey)>();

    fn both<P: Purpose>() {
        send_and_sync::<(PublicKeys<P>, KeyShare<P>, Checked<P>, ShareFault<P>)>();
    }
    both::<Tdh2>();
    both::<Cks>();
    send_and_sync::<(EncryptionKey, Ciphertext, ValidCiphertext, Decryption, Coin, Toss)>();
}

#[test]
fn all_types_are_send_and_sync() {
    all_of::<MinSig>();
    all_of::<MinPk>();
    all_of::<Ed25519>();
}
