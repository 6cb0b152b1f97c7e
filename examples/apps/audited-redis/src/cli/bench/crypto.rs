//! Time of signing and verifying alone, for messages like those of the measurement.

use std::time::Instant;

use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audited_redis::eddsa::{EddsaLibrary, EddsaSigner};
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::frame::{SignatureScheme, message};
use quorate_audited_redis::now;
use quorate_audited_redis::suites::{signer, verifier};

/// Number of measured batches of 128.
const BATCHES: usize = 30;

/// Returns the medians over batches, in microseconds; `None` without signatures.
pub(super) fn measure(
    scheme: SignatureScheme,
    library: EddsaLibrary,
    suite: SuiteId,
) -> Result<Option<(f64, f64)>, Failure> {
    let secret = Ed25519::generate(&mut getrandom::SysRng).map_err(failed)?;
    match scheme {
        SignatureScheme::None => Ok(None),
        SignatureScheme::Eddsa => {
            let key = Ed25519::public_key(&secret);
            let signer = EddsaSigner::new(library, secret)?;
            let signed = batches(|messages| {
                let began = Instant::now();
                let signatures: Result<Vec<_>, _> =
                    messages.iter().map(|message| signer.sign(message)).collect();
                let sign = began.elapsed();
                let signatures = signatures.map_err(|_| quorate::Error::BadSignature { signers: vec![] })?;
                let began = Instant::now();
                for (message, signature) in messages.iter().zip(&signatures) {
                    library.verify(&key, message, signature)?;
                }
                Ok((sign.as_secs_f64(), began.elapsed().as_secs_f64()))
            });
            signed.map(Some).map_err(failed)
        }
        SignatureScheme::Dsig => {
            let key = Ed25519::public_key(&secret);
            let config = SignerConfig { low_water: 1, ..SignerConfig::default() };
            let mut signer = signer(suite, secret, config).map_err(failed)?;
            let mut verifier = verifier(suite, key).map_err(failed)?;
            let signed = batches(|messages| {
                while let Some(work) = signer.plan(now())? {
                    if let Some(announcement) = signer.add(work()?) {
                        let work = verifier.admit(now(), announcement.into())?;
                        verifier.learn(work()?)?;
                    }
                }
                let time = now();
                let began = Instant::now();
                let signatures: Vec<_> =
                    messages.iter().map(|message| signer.sign(message, time)).collect::<Result<_, _>>()?;
                let sign = began.elapsed();
                let began = Instant::now();
                for (message, signature) in messages.iter().zip(&signatures) {
                    verifier.verify(message, signature)?;
                }
                Ok((sign.as_secs_f64(), began.elapsed().as_secs_f64()))
            });
            signed.map(Some).map_err(failed)
        }
    }
}

fn batches(mut batch: impl FnMut(&[Vec<u8>]) -> quorate::Result<(f64, f64)>) -> quorate::Result<(f64, f64)> {
    let command = b"*2\r\n$3\r\nGET\r\n$16\r\n0000000000000000\r\n";
    let messages: Vec<_> = (0..128).map(|number| message(&[7; 32], number, Time(number), command)).collect();
    let (mut signs, mut verifies) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        let (sign, verify) = batch(&messages)?;
        signs.push(sign);
        verifies.push(verify);
    }
    Ok((median(signs), median(verifies)))
}

/// Returns the median per message, in microseconds.
fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or_default() * 1e6 / 128.0
}

fn failed(error: quorate::Error) -> Failure {
    Failure::failed(format!("measuring signatures: {error}"))
}
