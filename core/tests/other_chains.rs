//! Signatures of other chains, verified as their light clients would: real ones of drand, and the framings of Sui, Aptos
//! and CometBFT.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(all(feature = "bls", feature = "ed25519"))]

use quorate::any::{self, Suite};
use quorate::bls::{self, Ciphersuite, MinPk, MinSig, Variant};
use quorate::committee::{ChainId, Committee, Repeats, SignerSet};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::{Claim, Scheme};
use quorate::wire::Decode;
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Verifies a beacon of drand, which has one key for the whole group.
fn beacon<V>(ciphersuite: Ciphersuite, key: &str, message: &str, signature: &str) -> Result<()>
where
    V: Variant + Scheme<PublicKey = bls::PublicKey<V>, Signature = bls::Signature<V>>,
{
    let decoded = |text| hex::decode(text).unwrap();
    let key = bls::PublicKey::<V>::decode(&decoded(key), &())?;
    let signature = bls::Signature::<V>::decode(&decoded(signature), &())?;
    ciphersuite.verify(&key, &decoded(message), &signature)
}

/// The SHA-256 of round 1000 as eight big-endian bytes.
const ROUND_1000: &str = "f652498d092acd949bad74e40683bf3824fb817980504a0c7e6722cfc5a9c0a3";

#[test]
fn drands_quicknet_uses_the_basic_scheme() {
    let key = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451\
               0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
    let signature =
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";
    beacon::<MinSig>(Ciphersuite::Basic, key, ROUND_1000, signature).unwrap();
    let default = beacon::<MinSig>(Ciphersuite::default(), key, ROUND_1000, signature);
    assert_eq!(default.unwrap_err().code(), "BAD_SIGNATURE");
}

#[test]
fn drands_first_network_chains_its_signatures() {
    let key =
        "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31";
    // The SHA-256 of the previous signature and of round 1.
    let message = "3bdd496a35f3c3b6b4318da8b77d3ce4793cbdf26e08156f6fd8c49e85b727cb";
    let signature = "8d61d9100567de44682506aea1a7a6fa6e5491cd27a0a0ed349ef6910ac5ac20ff7bc3e09d7c046566c9f7f3c6f3b101\
                     04990e7cb424998203d8f7de586fb7fa5f60045417a432684f85093b06ca91c769f0e7ca19268375e659c2a2352b4655";
    beacon::<MinPk>(Ciphersuite::Basic, key, message, signature).unwrap();
}

#[test]
fn drands_fastnet_has_a_tag_of_its_own() {
    let key = "a0b862a7527fee3a731bcb59280ab6abd62d5c0b6ea03dc4ddf6612fdfc9d01f01c31542541771903475eb1ec6615f8d\
               0df0b8b6dce385811d6dcf8cbefb8759e5e616a3dfd054c928940766d9a5b9db91e3b697e5d70a975181e007f87fca5e";
    let signature =
        "b09eacd45767c4d58306b98901ad0d6086e2663766f3a4ec71d00cf26f0f49eaf248abc7151c60cf419c4e8b37e80412";
    // The tag of signatures in G2, although its signatures are in G1.
    let ciphersuite = Ciphersuite::custom(b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_").unwrap();
    beacon::<MinSig>(ciphersuite, key, ROUND_1000, signature).unwrap();
    assert!(beacon::<MinSig>(Ciphersuite::Basic, key, ROUND_1000, signature).is_err());
}

/// A committee whose members have weight 1, and the members' secret keys.
fn committee<S: Scheme>(n: u8, ciphersuite: S::Ciphersuite) -> (Committee<S>, Vec<S::SecretKey>) {
    let secrets: Vec<_> = (1..=n).map(|i| S::secret_from_bytes(&[i; 32]).unwrap()).collect();
    let members = secrets.iter().map(|secret| (S::public_key(secret), 1)).collect();
    let committee =
        Committee::from_attested(ChainId::from_name("other"), 9, members, Repeats::Refuse).unwrap();
    (committee.with_ciphersuite(ciphersuite), secrets)
}

/// All ciphersuites, with a tag of a chain's own.
fn ciphersuites() -> [Ciphersuite; 4] {
    [
        Ciphersuite::Basic,
        Ciphersuite::MessageAugmentation,
        Ciphersuite::ProofOfPossession,
        Ciphersuite::custom(b"CHAIN_V1").unwrap(),
    ]
}

fn one_message_under_each_ciphersuite<V>()
where
    V: Variant
        + Scheme<
            SecretKey = bls::SecretKey<V>,
            PublicKey = bls::PublicKey<V>,
            Signature = bls::Signature<V>,
            Proof = bls::Signature<V>,
            Ciphersuite = Ciphersuite,
        >,
{
    for ciphersuite in ciphersuites() {
        let (committee, secrets) = committee::<V>(5, ciphersuite.clone());
        let signed = |members: &[MemberIndex], message: &[u8]| {
            let signatures: Vec<_> =
                members.iter().map(|i| (*i, ciphersuite.sign(&secrets[usize::from(*i)], message))).collect();
            V::combine(&signatures.iter().map(|(i, signature)| (*i, signature)).collect::<Vec<_>>())
        };
        let set = |members: &[MemberIndex]| SignerSet::from_members(5, members.iter().copied()).unwrap();
        for members in [&[0, 1, 2, 3, 4][..], &[0, 2, 3, 4], &[3]] {
            let proof = signed(members, b"block 17");
            assert_eq!(committee.verify_raw(b"block 17", &set(members), &proof), Ok(members.len() as u128));
            assert!(committee.verify_raw(b"block 18", &set(members), &proof).is_err());
            for other in ciphersuites().into_iter().filter(|other| *other != ciphersuite) {
                let other = committee.clone().with_ciphersuite(other);
                assert!(other.verify_raw(b"block 17", &set(members), &proof).is_err());
            }
        }

        // A batch with a bad proof, with other signers, and with the signers of another committee.
        let (three, two) = (set(&[0, 1, 2]), set(&[1, 4]));
        let proofs = [signed(&[0, 1, 2], b"a"), signed(&[1, 4], b"b"), signed(&[0, 1, 2], b"c")];
        let foreign = SignerSet::full(4);
        let claim = |message, signers| Claim { message, signers };
        let items = [
            (claim(b"a", &three), &proofs[0]),
            (claim(b"b", &two), &proofs[1]),
            (claim(b"a", &foreign), &proofs[0]),
            (claim(b"x", &three), &proofs[2]),
            (claim(b"c", &three), &proofs[2]),
        ];
        let results = committee.verify_raw_batch(&items, &mut StdRng::seed_from_u64(1));
        let codes: Vec<_> =
            results.iter().map(|result| result.clone().map_err(|error| error.code())).collect();
        assert_eq!(codes, [Ok(3), Ok(2), Err("WRONG_CONTEXT"), Err("BAD_SIGNATURE"), Ok(3)]);

        // A message for each member.
        let messages: [&[u8]; 3] = [b"vote 0", b"vote 2", b"vote 3"];
        let each: Vec<(MemberIndex, &[u8])> = [0, 2, 3].into_iter().zip(messages).collect();
        let parts: Vec<_> = each
            .iter()
            .map(|(i, message)| (*i, ciphersuite.sign(&secrets[usize::from(*i)], message)))
            .collect();
        let proof = V::combine(&parts.iter().map(|(i, signature)| (*i, signature)).collect::<Vec<_>>());
        assert_eq!(committee.verify_raw_each(&each, &proof), Ok(3));
        let swapped = [each[0], (2, messages[2]), (3, messages[1])];
        assert_eq!(committee.verify_raw_each(&swapped, &proof).unwrap_err().code(), "BAD_SIGNATURE");
    }
}

#[test]
fn a_committee_verifies_the_messages_of_its_ciphersuite_only() {
    one_message_under_each_ciphersuite::<MinSig>();
    one_message_under_each_ciphersuite::<MinPk>();
}

#[test]
fn ciphersuites_do_not_affect_votes() {
    let (plain, secrets) = committee::<MinSig>(4, Ciphersuite::default());
    let (basic, _) = committee::<MinSig>(4, Ciphersuite::Basic);
    let statement = plain.statement(quorate::certificate::Kind::new(1), 3, [7; 32]);
    let vote = quorate::certificate::Vote::<MinSig>::sign_unguarded(&secrets[0], &basic, statement).unwrap();
    vote.check(&plain).unwrap();
    vote.check(&basic).unwrap();
    let forged = Ciphersuite::Basic.sign(&secrets[0], &statement.signed_bytes(&plain.id()));
    assert!(quorate::certificate::Vote::<MinSig>::new(statement, 0, forged).check(&basic).is_err());
}

#[test]
fn a_bad_ed25519_proof_names_its_signers() {
    let (committee, secrets) = committee::<Ed25519>(5, ());
    let messages: Vec<Vec<u8>> = (0..5).map(|i| vec![i; 3]).collect();
    let mut proof: Vec<_> =
        (0..).zip(&secrets).zip(&messages).map(|((i, secret), m)| (i, Ed25519::sign(secret, m))).collect();
    let mut each: Vec<(MemberIndex, &[u8])> =
        (0..).zip(&messages).map(|(i, message)| (i, message.as_slice())).collect();
    assert_eq!(committee.verify_raw_each(&each, &proof), Ok(5));
    proof[1].1 = Ed25519::sign(&secrets[1], b"other");
    proof[4].1 = Ed25519::sign(&secrets[3], &messages[4]);
    let bad = Err(Error::BadSignature { signers: vec![1, 4] });
    assert_eq!(committee.verify_raw_each(&each, &proof), bad);

    let all = SignerSet::full(5);
    let mut proof: Vec<_> =
        (0..).zip(&secrets).map(|(i, secret)| (i, Ed25519::sign(secret, b"same"))).collect();
    assert_eq!(committee.verify_raw(b"same", &all, &proof), Ok(5));
    proof[2].1 = Ed25519::sign(&secrets[2], b"other");
    assert_eq!(committee.verify_raw(b"same", &all, &proof), Err(Error::BadSignature { signers: vec![2] }));
    let claim = Claim { message: b"same", signers: &all };
    let batch = committee.verify_raw_batch(&[(claim, &proof)], &mut StdRng::seed_from_u64(1));
    assert_eq!(batch, [Err(Error::BadSignature { signers: vec![2] })]);

    // Members must be ascending, distinct, of the committee, and at least one.
    let code = |each: &[(MemberIndex, &[u8])]| committee.verify_raw_each(each, &proof).unwrap_err().code();
    each.swap(1, 2);
    assert_eq!(committee.verify_raw_each(&each, &proof), Err(Error::OutOfOrder { index: 1 }));
    assert_eq!(code(&[(1, b"a"), (1, b"b")]), "DUPLICATE_SIGNER");
    assert_eq!(code(&[(1, b"a"), (5, b"b")]), "UNKNOWN_SIGNER");
    assert_eq!(code(&[]), "BELOW_QUORUM");
    assert_eq!(code(&[(1, b"a")]), "WRONG_CONTEXT", "a proof of other signers");
}

#[test]
fn only_bls_has_ciphersuites() {
    for suite in Suite::ALL {
        let secret = any::SecretKey::from_bytes(*suite, &[7; 32]).unwrap();
        let members = vec![(secret.public_key(), 1)];
        let committee =
            any::Committee::from_attested(ChainId::from_name("other"), 0, members, Repeats::Refuse).unwrap();
        let has_ciphersuites = matches!(suite, Suite::MinSig | Suite::MinPk);
        let basic = committee.clone().with_ciphersuite(Ciphersuite::Basic);
        assert_eq!(basic.is_ok(), has_ciphersuites, "{suite}");
        assert!(committee.clone().with_ciphersuite(Ciphersuite::default()).is_ok());

        let signers = SignerSet::full(1);
        let signed = secret.sign_with(&Ciphersuite::Basic, b"m");
        assert_eq!(signed.is_ok(), has_ciphersuites, "{suite}");
        let Ok(basic) = basic else { continue };
        let signature = signed.unwrap();
        assert_eq!(basic.verify_raw(b"m", &signers, &signature.encode()), Ok(1));
        assert_eq!(basic.verify_raw_each(&[(0, b"m")], &signature.encode()), Ok(1));
        let items = [
            (Claim { message: b"m", signers: &signers }, &*signature.encode()),
            (Claim { message: b"m", signers: &signers }, &b"garbage"[..]),
            (Claim { message: b"n", signers: &signers }, &*signature.encode()),
        ];
        let results = basic.verify_raw_batch(&items, &mut StdRng::seed_from_u64(1));
        let codes: Vec<_> = results.into_iter().map(|result| result.map_err(|error| error.code())).collect();
        assert_eq!(codes, [Ok(1), Err("MALFORMED"), Err("BAD_SIGNATURE")]);
        assert!(committee.verify_raw(b"m", &signers, &signature.encode()).is_err());
        secret.public_key().verify_with(&Ciphersuite::Basic, b"m", &signature).unwrap();
        assert!(secret.public_key().verify(b"m", &signature).is_err());
    }
}
