//! Costs of each suite, measured alternately with Ed25519.

use std::hint::black_box;

use quorate::dsig::{DsigSuite, Signature, Signer, SignerConfig, Verifier, VerifierConfig};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::certificates::SingleEd;
use crate::sampling::{Case, SamplePlan, medians};

/// Number of keys that a measurement of signing consumes.
const STOCK: usize = 512;
/// Number of verifiers that each receive one announcement in a measurement.
const FRESH: usize = 16;
const NOW: Time = Time(1);

/// Batch size and message length of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) log2_batch: u8,
    pub(crate) message_len: usize,
}

/// The paper's setting, except where the paper names another.
pub(crate) const PAPER_SETTING: Setting = Setting { log2_batch: 7, message_len: 8 };

/// Nanoseconds of each operation, and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    pub(crate) suite: &'static str,
    /// One `verify_strict` of ed25519-dalek, measured alternately.
    pub(crate) ed: f64,
    /// EdDSA of the same message.
    pub(crate) ed_sign: f64,
    pub(crate) ed_verify: f64,
    /// Time per key to generate, sign and encode a batch.
    pub(crate) generate: f64,
    pub(crate) sign: f64,
    /// Decoding and verification of a signature whose batch was announced.
    pub(crate) verify: f64,
    /// Verification of a decoded signature whose batch was announced.
    pub(crate) verify_decoded: f64,
    /// The same when the batch was not announced.
    pub(crate) verify_slowly: f64,
    /// Time per key to decode and check an announcement.
    pub(crate) announce: f64,
    pub(crate) signature_bytes: usize,
    pub(crate) announced_bytes: f64,
}

impl Costs {
    /// Time from the message to the result of verification, without transmission.
    pub(crate) fn latency(&self) -> f64 {
        self.sign + self.verify
    }

    /// Signatures per second of one core that does everything a signer does.
    pub(crate) fn signs_per_second(&self) -> f64 {
        1e9 / (self.generate + self.sign)
    }

    /// Signatures per second of one core that does everything a verifier does.
    pub(crate) fn verifies_per_second(&self) -> f64 {
        1e9 / (self.announce + self.verify)
    }
}

/// Measures one suite.
pub(crate) fn measure_suite<S: DsigSuite>(care: SamplePlan, setting: Setting) -> Result<Costs> {
    let batch = 1usize << setting.log2_batch;
    super::progress(
        "dsig",
        format_args!("  {}, batches of {batch}, messages of {} bytes", S::NAME, setting.message_len),
    );
    let message = vec![7u8; setting.message_len];
    let mut rng = StdRng::seed_from_u64(7);
    let mut signer = signer::<S>(&mut rng, setting, 1)?;
    let alice = signer.public_key().clone();
    let mut announcement = Vec::new();
    while let Some(made) = signer.prepare(&mut rng, NOW)? {
        announcement = made.announcement.encode();
    }
    let signatures: Vec<Vec<u8>> =
        (0..batch).map(|_| Ok(signer.sign(&message, &[], NOW)?.encode())).collect::<Result<_>>()?;
    refuses_forgeries::<S>(&alice, &announcement, &signatures)?;

    let mut verifier = new_verifier::<S>(&alice);
    verifier.announce(&alice, &announcement, NOW)?;
    let mut informed = new_verifier::<S>(&alice);
    informed.announce(&alice, &announcement, NOW)?;
    let in_memory: Vec<Signature<S>> =
        signatures.iter().map(|bytes| Signature::decode(bytes, &())).collect::<Result<_>>()?;
    let mut decoded = in_memory.iter().cycle();
    let check = |verifier: &mut Verifier<S>, bytes: &[u8]| {
        Signature::<S>::decode(bytes, &()).and_then(|signature| verifier.verify(&alice, &message, &signature))
    };
    let (mut turn, mut wrong) = (signatures.iter().cycle(), signatures.iter().cycle());
    let mut next = || turn.next().map_or(&[][..], Vec::as_slice);
    let mut next_wrong = || wrong.next().map_or(&[][..], Vec::as_slice);
    let (single, same) = (SingleEd::new(), SingleEd::new_for(message.clone()));
    let [mut one, mut other, mut another] = [1, 2, 3].map(StdRng::seed_from_u64);
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| same.sign()),
        Case::new(|| same.verify()),
        // The steady state: the keys of the previous batch have signed.
        Case::prepared(
            || used_up::<S>(&mut another, setting, &message),
            |signer| {
                let made = signer.as_mut().map(|signer| signer.prepare(&mut one, NOW));
                assert!(made.is_ok_and(|made| {
                    made.is_ok_and(|made| {
                        made.is_some_and(|made| black_box(made.announcement.encode()).len() > 68)
                    })
                }));
            },
        ),
        Case::prepared(
            || stocked::<S>(&mut other, setting),
            |signer| {
                for _ in 0..STOCK {
                    black_box(signer.as_mut().map(|signer| signer.sign(&message, &[], NOW)).is_ok());
                }
            },
        ),
        Case::new(|| assert!(check(&mut verifier, next()).is_ok())),
        Case::new(|| {
            let verdict = decoded.next().map(|signature| informed.verify(&alice, &message, signature));
            assert!(verdict.is_some_and(|verdict| verdict.is_ok()));
        }),
        Case::new(|| assert!(check(&mut new_verifier(&alice), next_wrong()).is_ok())),
        Case::prepared(
            || [(); FRESH].map(|()| new_verifier::<S>(&alice)),
            |verifiers| {
                for verifier in verifiers {
                    assert!(verifier.announce(&alice, &announcement, NOW).is_ok());
                }
            },
        ),
    ];
    let [ed, ed_sign, ed_verify, generate, sign, verify, verify_decoded, verify_slowly, announce] =
        medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 9]);
    let keys = batch as f64;
    Ok(Costs {
        suite: S::NAME,
        ed,
        ed_sign,
        ed_verify,
        generate: generate / keys,
        sign: sign / STOCK as f64,
        verify,
        verify_decoded,
        verify_slowly,
        announce: announce / FRESH as f64 / keys,
        signature_bytes: Signature::<S>::LEN,
        announced_bytes: announcement.len() as f64 / keys,
    })
}

fn signer<S: DsigSuite>(rng: &mut StdRng, setting: Setting, low_water: usize) -> Result<Signer<S>> {
    // The clock of this bench stands still, so that no key is too old.
    let config = SignerConfig { log2_batch: setting.log2_batch, low_water, ..SignerConfig::default() };
    Signer::new(Ed25519::generate(rng)?, vec![], config, rng)
}

fn stocked<S: DsigSuite>(rng: &mut StdRng, setting: Setting) -> Result<Signer<S>> {
    let mut signer = signer(rng, setting, STOCK)?;
    while signer.prepare(rng, NOW)?.is_some() {}
    Ok(signer)
}

fn used_up<S: DsigSuite>(rng: &mut StdRng, setting: Setting, message: &[u8]) -> Result<Signer<S>> {
    let mut signer = signer(rng, setting, 1)?;
    signer.prepare(rng, NOW)?;
    while signer.sign(message, &[], NOW).is_ok() {}
    Ok(signer)
}

/// A verifier that knows the signer but none of its batches.
fn new_verifier<S: DsigSuite>(signer: &PublicKey) -> Verifier<S> {
    let mut verifier = Verifier::new(VerifierConfig::default());
    verifier.admit(signer.clone());
    verifier
}

/// Fails if a measured operation fails, which would invalidate the measurement.
fn refuses_forgeries<S: DsigSuite>(
    signer: &PublicKey,
    announcement: &[u8],
    signatures: &[Vec<u8>],
) -> Result<()> {
    let mut known = new_verifier::<S>(signer);
    known.announce(signer, announcement, NOW)?;
    for bytes in signatures {
        let signature = Signature::<S>::decode(bytes, &())?;
        let forged = known.verify(signer, b"another", &signature);
        if forged.is_ok() || signature.verify(signer, b"another").is_ok() {
            return Err(Error::BadSignature { signers: vec![] });
        }
    }
    Ok(())
}
