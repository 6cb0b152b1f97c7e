//! Certificates, single and in batches.

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use quorate::any::{Certificate, Committee};
use quorate::certificate::Statement;
use quorate::committee::{CommitteeId, SignerSet, Verified};

use crate::glue::{Bytes, Flag, Promised, Result, bytes, failure, handle, queue};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn certificate_decode(data: &[u8], committee: &External<Committee>) -> Result<External<Certificate>> {
    handle(Certificate::decode(data, committee))
}

#[napi(catch_unwind)]
pub fn certificate_encode<'env>(env: &'env Env, certificate: &External<Certificate>) -> Result<Bytes<'env>> {
    bytes(env, certificate.encode())
}

#[napi(catch_unwind)]
pub fn certificate_decode_detached(
    data: &[u8],
    statement: &External<Statement>,
    committee: &External<Committee>,
) -> Result<External<Certificate>> {
    handle(Certificate::decode_detached(data, **statement, committee))
}

#[napi(catch_unwind)]
pub fn certificate_encode_detached<'env>(
    env: &'env Env,
    certificate: &External<Certificate>,
) -> Result<Bytes<'env>> {
    bytes(env, certificate.encode_detached())
}

#[napi(catch_unwind)]
pub fn certificate_encoded_length(certificate: &External<Certificate>) -> u32 {
    certificate.encoded_len() as u32
}

#[napi(catch_unwind)]
pub fn certificate_suite(certificate: &External<Certificate>) -> &'static str {
    certificate.suite().name()
}

#[napi(catch_unwind)]
pub fn certificate_statement(certificate: &External<Certificate>) -> External<Statement> {
    External::new(*certificate.statement())
}

#[napi(catch_unwind)]
pub fn certificate_signers(certificate: &External<Certificate>) -> External<SignerSet> {
    External::new(certificate.signers().clone())
}

#[napi(catch_unwind)]
pub fn certificate_proof<'env>(env: &'env Env, certificate: &External<Certificate>) -> Result<Bytes<'env>> {
    bytes(env, certificate.proof())
}

#[napi(catch_unwind)]
pub fn certificate_verify(
    certificate: &External<Certificate>,
    committee: &External<Committee>,
) -> Result<External<Verified<Certificate>>> {
    handle(Certificate::clone(certificate).verify(committee))
}

#[napi(catch_unwind)]
pub fn certificate_verify_async(
    certificate: &External<Certificate>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<Certificate>>> {
    let (certificate, committee) = (Certificate::clone(certificate), Committee::clone(committee));
    queue(cancelled, move || certificate.verify(&committee).map(External::new))
}

/// A verified certificate, or its error.
pub type Verdict = Either<External<Verified<Certificate>>, String>;

fn verdicts(
    committee: &Committee,
    certificates: Vec<Certificate>,
    derived: bool,
) -> Vec<quorate::Result<Verified<Certificate>>> {
    if derived {
        Certificate::verify_batch_derived(committee, certificates)
    } else {
        Certificate::verify_batch(committee, certificates, &mut SysRng)
    }
}

fn shown(verdicts: Vec<quorate::Result<Verified<Certificate>>>) -> Vec<Verdict> {
    let show = |verdict: quorate::Result<_>| match verdict {
        Ok(verified) => Either::A(External::new(verified)),
        Err(error) => Either::B(failure(&error)),
    };
    verdicts.into_iter().map(show).collect()
}

#[napi(catch_unwind)]
pub fn certificate_verify_batch(
    committee: &External<Committee>,
    certificates: Vec<&External<Certificate>>,
    derived: bool,
) -> Vec<Verdict> {
    let certificates = certificates.into_iter().map(|certificate| Certificate::clone(certificate));
    shown(verdicts(committee, certificates.collect(), derived))
}

#[napi(catch_unwind)]
pub fn certificate_verify_batch_async(
    committee: &External<Committee>,
    certificates: Vec<&External<Certificate>>,
    derived: bool,
    cancelled: Option<&External<Flag>>,
) -> Promised<Vec<Verdict>> {
    let committee = Committee::clone(committee);
    let certificates: Vec<Certificate> =
        certificates.into_iter().map(|certificate| Certificate::clone(certificate)).collect();
    queue(cancelled, move || Ok(shown(verdicts(&committee, certificates, derived))))
}

#[napi(catch_unwind)]
pub fn certificate_equals(certificate: &External<Certificate>, other: &External<Certificate>) -> bool {
    **certificate == **other
}

#[napi(catch_unwind)]
pub fn verified_certificate_value(certificate: &External<Verified<Certificate>>) -> External<Certificate> {
    External::new(Certificate::clone(certificate))
}

#[napi(catch_unwind)]
pub fn verified_certificate_committee(
    certificate: &External<Verified<Certificate>>,
) -> External<CommitteeId> {
    External::new(certificate.committee())
}
