use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;

use super::{Deal, EcdsaGroupKey, EcdsaShareFault, EcdsaSignature, EcdsaSignatureShare, Opening, Tag};
use crate::convert::{Bytes, Member};
use crate::failure::Outcome;
use crate::threshold::cache::{Cache, WithCache};
use crate::threshold::common::{Combined, Counts, Group};

/// A message under a tag: the subject of a combiner.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Signing(pub(super) any::Signing);

#[pymethods]
impl Signing {
    /// For a combiner without a party's file; parties call `Presignatures.signing`. A wrong nonce makes every
    /// combination fail.
    #[new]
    fn new(key: &EcdsaGroupKey, deal: &Deal, nonce: Bytes, tag: &Tag, message: Bytes) -> Outcome<Self> {
        Ok(Self(any::Signing::new(&key.0, deal.0.clone(), &nonce, tag.0, &message)?))
    }

    /// Its group.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// The message.
    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.message())
    }

    /// Public part of the presignature, which all signings of this tag share.
    #[getter]
    fn nonce<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.nonce())
    }

    /// Its tag.
    #[getter]
    fn tag(&self) -> Tag {
        Tag(self.0.tag())
    }

    fn __repr__(&self) -> String {
        let tag = self.0.tag();
        format!("Signing({}, epoch {}, index {})", self.0.group(), tag.epoch(), tag.index())
    }
}

/// Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
/// the wrong ones. Threads may share it.
#[pyclass(frozen, module = "quorate._native")]
pub(crate) struct EcdsaCombiner {
    signing: any::Signing,
    inner: WithCache<any::Combiner>,
}

#[pymethods]
impl EcdsaCombiner {
    /// A combiner without shares. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of
    /// members.
    #[new]
    #[pyo3(signature = (signing, cache = None))]
    fn new(signing: &Signing, cache: Option<Py<Cache>>) -> Self {
        let signing = signing.0.clone();
        let inner = WithCache::new(any::Combiner::new(signing.clone()), cache);
        Self { signing, inner }
    }

    /// Adds a share received over a link that authenticates `sender`. Raises `WrongContextError` for a share of another
    /// message or of another party than the sender, and `UnknownSignerError`.
    fn add(
        &self,
        py: Python<'_>,
        sender: Member,
        share: &EcdsaSignatureShare,
    ) -> Outcome<Combined<EcdsaSignature, EcdsaShareFault>> {
        let share = share.0.clone();
        Ok(Combined::from_core(self.inner.with(py, |combiner, cache| combiner.add(cache, sender.0, share))?))
    }

    /// Adds the opening of `member`'s share, from any sender. It is ignored unless it was requested.
    fn open(
        &self,
        py: Python<'_>,
        member: Member,
        opening: &Opening,
    ) -> Outcome<Combined<EcdsaSignature, EcdsaShareFault>> {
        let open = |combiner: &mut any::Combiner, cache: &mut _| combiner.open(cache, member.0, &opening.0);
        Ok(Combined::from_core(self.inner.with(py, open)?))
    }

    /// The signing whose shares it collects.
    #[getter]
    fn signing(&self) -> Signing {
        Signing(self.signing.clone())
    }

    /// The signature, once it exists.
    #[getter]
    fn signature(&self, py: Python<'_>) -> Option<EcdsaSignature> {
        self.inner.with(py, |combiner, _| combiner.signature()).map(EcdsaSignature)
    }

    /// Work done so far.
    #[getter]
    fn counts(&self, py: Python<'_>) -> Counts {
        Counts(self.inner.with(py, |combiner, _| combiner.counts()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let done = self.signature(py).is_some();
        let tag = self.signing.tag();
        format!("Combiner(epoch {}, index {}, done: {done})", tag.epoch(), tag.index())
    }
}
