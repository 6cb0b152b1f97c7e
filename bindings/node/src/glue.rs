//! Common parts of all modules: conversion of errors and bytes to JavaScript, and work off the main thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{AsyncTask, BigInt, Either, ToNapiValue, Uint8Array, Uint8ArraySlice, Unknown};
use napi::{Env, ScopedTask};
use napi_derive::napi;
use quorate::{Detail, Error};
use quorate_interface::{Attested, SecretBytes};
use serde_json::{Value, json};

use crate::handle::External;

/// A value, or an error as text.
pub type Verdict<T> = Either<T, String>;
/// Result of a fallible function.
pub type Result<T> = napi::Result<T>;
/// Bytes owned by JavaScript.
pub type Bytes<'env> = Uint8ArraySlice<'env>;
/// The promise of work off the main thread.
pub type Promised<T> = AsyncTask<Job<T>>;

/// Conversion of the core's errors.
pub(crate) trait Throw<T> {
    fn throw(self) -> Result<T>;
}

impl<T> Throw<T> for quorate::Result<T> {
    fn throw(self) -> Result<T> {
        self.map_err(|error| napi::Error::from_reason(failure(&error)))
    }
}

/// Returns an error as the text that `node/backend.ts` reads.
pub(crate) fn failure(error: &Error) -> String {
    let details: Vec<Value> = error
        .details()
        .into_iter()
        .map(|(name, detail)| match detail {
            Detail::Text(text) => json!([name, "text", text]),
            Detail::Number(number) => json!([name, "number", number.to_string()]),
            Detail::Members(members) => json!([name, "members", members]),
            other => json!([name, "text", format!("{other:?}")]),
        })
        .collect();
    json!({ "code": error.code(), "message": error.to_string(), "culprits": error.culprits(), "details": details })
        .to_string()
}

/// Copies bytes to JavaScript: they are few, and copying is cheaper than garbage collection.
pub(crate) fn bytes<'env>(env: &'env Env, data: impl AsRef<[u8]>) -> Result<Bytes<'env>> {
    Bytes::copy_from(env, data)
}

/// Bytes that JavaScript owns: for plain data, and from other threads.
pub(crate) fn owned(data: impl Into<Vec<u8>>) -> Uint8Array {
    Uint8Array::new(data.into())
}

/// The bytes of a secret, moved to JavaScript, which leaves no copy here.
pub(crate) fn revealed(mut secret: SecretBytes) -> Uint8Array {
    Uint8Array::new(std::mem::take(&mut *secret))
}

/// A value for JavaScript, or the text of its error.
pub(crate) fn verdict<T, V>(verdict: quorate::Result<T>, shown: impl FnOnce(T) -> V) -> Verdict<V> {
    match verdict {
        Ok(value) => Either::A(shown(value)),
        Err(error) => Either::B(failure(&error)),
    }
}

/// An attestation for the user to verify: that a member attested these bytes.
#[napi(object, object_from_js = false)]
pub struct Attestation {
    pub member: u16,
    pub bytes: Uint8Array,
    pub attestation: Uint8Array,
}

/// A culprit, provided that the user accepts all attestations.
#[napi(object, object_from_js = false)]
pub struct Accusation {
    pub culprit: u16,
    pub attestations: Vec<Attestation>,
}

/// Runs `verify` as if all attestations were valid, and collects them: a function of JavaScript's could free the objects
/// that `verify` uses.
pub(crate) fn accuse(
    verify: impl FnOnce(Attested<'_>) -> quorate::Result<u16>,
) -> quorate::Result<Accusation> {
    let mut attestations = Vec::new();
    let culprit = verify(&mut |member, bytes, attestation| {
        attestations.push(Attestation { member, bytes: owned(bytes), attestation: owned(attestation) });
        true
    })?;
    Ok(Accusation { culprit, attestations })
}

/// The error if one of them is invalid.
#[napi(catch_unwind)]
pub fn not_evidence() -> Result<()> {
    Err(Error::NotEvidence).throw()
}

/// A `bigint` whose range `check.ts` has checked.
pub(crate) fn number(value: &BigInt) -> u64 {
    value.get_u64().1
}

/// A `bigint` whose range `check.ts` has checked.
pub(crate) fn large(value: &BigInt) -> u128 {
    value.get_u128().1
}

/// True once queued work was cancelled.
pub type Flag = Arc<AtomicBool>;

#[napi(catch_unwind)]
pub fn flag_new() -> External<Flag> {
    External::new(Flag::default())
}

#[napi(catch_unwind)]
pub fn flag_raise(flag: &External<Flag>) {
    flag.store(true, Ordering::Relaxed);
}

/// Work that runs on one of Node's worker threads.
pub struct Job<T> {
    work: Option<Box<dyn FnOnce() -> quorate::Result<T> + Send>>,
    cancelled: Option<Flag>,
}

/// Queues work; `cancelled` cancels it before it starts.
pub(crate) fn queue<T: ToNapiValue + Send + 'static>(
    cancelled: Option<&External<Flag>>,
    work: impl FnOnce() -> quorate::Result<T> + Send + 'static,
) -> Promised<T> {
    AsyncTask::new(Job { work: Some(Box::new(work)), cancelled: cancelled.map(|flag| Flag::clone(flag)) })
}

impl<'task, T: ToNapiValue + Send + 'static> ScopedTask<'task> for Job<T> {
    type Output = quorate::Result<T>;
    type JsValue = Unknown<'task>;

    fn compute(&mut self) -> Result<Self::Output> {
        let cancelled = self.cancelled.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let work = self.work.take().filter(|_| !cancelled);
        let work = work.ok_or_else(|| napi::Error::new(napi::Status::Cancelled, "called off"))?;
        // A panic must not cross into Node, which would abort; each function has `catch_unwind` for the same reason.
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|_| napi::Error::from_reason("quorate has a bug: it panicked; please report this"))
    }

    fn resolve(&mut self, env: &'task Env, output: Self::Output) -> Result<Self::JsValue> {
        output.throw()?.into_unknown(env)
    }
}
