//! DSig: decoders of signatures, announcements and evidence, and a verifier with arbitrary inputs in any order.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use quorate::Error;
use quorate::dsig::{
    Announcement, Auditor, DsigSuite, HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256,
    HorsMSha256, Reuse, Signature, Signer, SignerConfig, Verifier, VerifierConfig, WotsBlake3,
    WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::identity;
use crate::mutate::Rng;

const NOW: Time = Time(1_000_000);
const MESSAGES: [&[u8]; 3] = [b"", b"SET key value", &[7; 100]];

/// Signatures and announcements of one signer, whose first key signed two messages.
struct Fixture {
    announcement: Vec<u8>,
    /// Index in [`MESSAGES`], and the signature.
    signatures: Vec<(usize, Vec<u8>)>,
    evidence: Vec<u8>,
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn secret() -> quorate::ed25519::SecretKey {
    Ed25519::secret_from_bytes(&[9; 32]).expect("32 bytes")
}

static KEY: LazyLock<PublicKey> = LazyLock::new(|| Ed25519::public_key(&secret()));

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn make<S: DsigSuite>(log2_batch: u8, seed: u64) -> Fixture {
    let config = SignerConfig { log2_batch, low_water: 1, ..SignerConfig::default() };
    let signer = || {
        // Two signers of one memory image.
        let mut rng = StdRng::seed_from_u64(seed);
        let mut signer = Signer::<S>::new(secret(), vec![], config.clone(), &mut rng).expect("a signer");
        let announced = signer.prepare(&mut rng, NOW).expect("a batch").expect("a batch");
        (signer, announced.announcement.encode())
    };
    let ((mut one, announcement), (mut other, _)) = (signer(), signer());
    let message = |at: usize| MESSAGES.get(at).copied().unwrap_or_default();
    let sign = |signer: &mut Signer<S>, at| signer.sign(message(at), &[], NOW).expect("a key");
    let (first, second) = (sign(&mut one, 0), sign(&mut other, 1));
    let evidence = ((message(0).to_vec(), first.clone()), (message(1).to_vec(), second.clone()));
    let evidence = Reuse::new(KEY.clone(), evidence.0, evidence.1).expect("evidence").encode();
    let mut signatures = vec![(0, first.encode()), (1, second.encode())];
    if log2_batch > 0 {
        signatures.push((2, sign(&mut one, 2).encode()));
    }
    Fixture { announcement, signatures, evidence }
}

trait Fixed: DsigSuite {
    fn fixture() -> &'static Fixture;
}

macro_rules! fixed {
    ($($suite:ident: $log2:literal),*) => {
        $(impl Fixed for $suite {
            fn fixture() -> &'static Fixture {
                static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| make::<$suite>($log2, 1));
                &FIXTURE
            }
        })*

        /// Signatures, announcements and evidence of every suite: decoded values encode to the same bytes, and forgeries
        /// do not verify.
        pub(crate) fn decoders(bytes: &[u8]) {
            $(decode_as::<$suite>(bytes);)*
        }

        /// Seeds of [`decoders`].
        pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
            let mut seeds = Vec::new();
            $({
                let fixture = $suite::fixture();
                seeds.extend(fixture.signatures.iter().map(|(_, bytes)| bytes.clone()));
                seeds.extend([fixture.announcement.clone(), fixture.evidence.clone()]);
            })*
            seeds
        }
    };
}

fixed!(
    WotsHaraka512: 1, WotsHaraka256: 1, WotsBlake3: 2, WotsBlake3Wide: 1, HorsFBlake3: 1, HorsMBlake3: 0,
    HorsFHaraka256: 1, HorsMHaraka256: 0, WotsSha256: 1, HorsFSha256: 1, HorsMSha256: 0
);

fn decode_as<S: Fixed>(bytes: &[u8]) {
    let fixture = S::fixture();
    if let Some(signature) = identity::<Signature<S>, ()>(bytes, &()) {
        for (at, message) in MESSAGES.into_iter().enumerate() {
            let known = fixture.signatures.iter().any(|(of, known)| *of == at && known == bytes);
            assert_eq!(signature.verify(&KEY, message).is_ok(), known, "{}", S::NAME);
        }
    }
    if let Some(announcement) = identity::<Announcement<S>, ()>(bytes, &()) {
        assert_eq!(announcement.verify(&KEY).is_ok(), fixture.announcement == bytes, "{}", S::NAME);
    }
    if let Some(reuse) = identity::<Reuse<S>, ()>(bytes, &()) {
        assert_eq!(reuse.verify().is_ok(), fixture.evidence == bytes, "{}", S::NAME);
    }
}

static BATCHES: LazyLock<Vec<Fixture>> =
    LazyLock::new(|| (1..5).map(|seed| make::<WotsBlake3>(1, seed)).collect());

/// A verifier and an auditor that receive valid and damaged announcements and signatures; four bytes per step choose the
/// operation, the input, the position and the kind of damage. They accept nothing that a verifier without known batches
/// refuses, and refuse only reuse in addition, which they always detect while they store the batch.
pub(crate) fn verifier(bytes: &[u8]) {
    let config = VerifierConfig { announced: 2, checked: 2, burst: 4, ..VerifierConfig::default() };
    let (mut verifier, mut auditor) = (Verifier::<WotsBlake3>::new(config), Auditor::new(2));
    // Room for all batches, so that none is forgotten.
    let config = VerifierConfig { burst: u32::MAX, ..VerifierConfig::default() };
    let (mut complete, mut log) = (Verifier::<WotsBlake3>::new(config), Auditor::new(BATCHES.len()));
    // The messages that each key of each batch signed, in order.
    let mut signed: BTreeMap<_, Vec<&[u8]>> = BTreeMap::new();
    verifier.admit(KEY.clone());
    complete.admit(KEY.clone());
    let mut now = NOW;
    for step in bytes.chunks_exact(4).take(48) {
        let &[what, which, place, change] = step else { return };
        let Some(fixture) = BATCHES.get(usize::from(which) % BATCHES.len()) else { return };
        let damage = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let at = usize::from(place) * bytes.len() / 256;
            if what >= 128
                && let Some(byte) = bytes.get_mut(at)
            {
                *byte ^= change;
            }
            bytes
        };
        now = now.plus(std::time::Duration::from_micros(u64::from(place)));
        if what % 4 == 0 {
            let data = damage(&fixture.announcement);
            let outcome = verifier.announce(&KEY, &data, now);
            assert!(outcome.is_err() || data == fixture.announcement);
            assert_eq!(complete.announce(&KEY, &data, now).is_ok(), data == fixture.announcement);
            continue;
        }
        let Some((message, data)) = fixture.signatures.get(usize::from(what) % fixture.signatures.len())
        else {
            return;
        };
        let Ok(signature) = Signature::<WotsBlake3>::decode(&damage(data), &()) else { continue };
        let message = MESSAGES.get(*message).copied().unwrap_or_default();
        let expected = signature.verify(&KEY, message);
        let before = signed.entry((*signature.root(), signature.index())).or_default();
        let reused = expected.is_ok() && before.first().is_some_and(|first| *first != message);
        // A verifier that forgot the first signature may have stored another in its place.
        let twice = expected.is_ok() && before.iter().any(|other| *other != message);
        if expected.is_ok() {
            before.push(message);
        }
        let all = if reused { Err(Error::OneTimeReuse) } else { expected.clone() };
        assert_eq!(complete.verify(&KEY, message, &signature), all);
        assert_eq!(log.check(&KEY, message, &signature), all);
        let fast = verifier.can_verify_fast(&KEY, &signature);
        for outcome in [verifier.verify(&KEY, message, &signature), auditor.check(&KEY, message, &signature)]
        {
            match &outcome {
                Err(error) if error.code() == "ONE_TIME_REUSE" => assert!(twice),
                outcome => assert_eq!(*outcome, expected, "fast: {fast}"),
            }
        }
    }
}

/// Seeds of [`verifier`].
pub(crate) fn verifier_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(1);
    (0..24).map(|_| (0..4 * (8 + rng.below(40))).map(|_| rng.bits() as u8).collect()).collect()
}
