//! `quorate.merkle`: roots and paths.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::merkle;
use quorate::wire::{Decode, Encode};

use crate::convert::{Bytes, Count, List, exactly, size};
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};

/// A kind of tree: the domain strings of its leaves and of its nodes, which must differ and have no other use. THE ROOT
/// ALONE DOES NOT BIND THE NUMBER OF LEAVES: sign the count together with the root.
#[pyclass(frozen, eq, module = "quorate.merkle")]
#[derive(PartialEq)]
pub(crate) struct Merkle {
    leaf: String,
    node: String,
}

impl Merkle {
    fn tree(&self) -> merkle::Merkle<'_> {
        merkle::Merkle::new(&self.leaf, &self.node)
    }
}

#[pymethods]
impl Merkle {
    /// Creates a kind of tree.
    #[new]
    fn new(leaf_domain: String, node_domain: String) -> Self {
        Self { leaf: leaf_domain, node: node_domain }
    }

    /// Returns the leaf of one item.
    fn leaf<'py>(&self, py: Python<'py>, item: Bytes) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.tree().leaf(&item)))
    }

    /// Returns the leaves of several items.
    fn leaves<'py>(&self, py: Python<'py>, items: List<Bytes>) -> Outcome<Vec<Bound<'py, PyBytes>>> {
        let items = items.all()?;
        let leaves = py.detach(|| self.tree().leaves(items.iter().map(|item| &**item)));
        Ok(leaves.iter().map(|leaf| PyBytes::new(py, leaf)).collect())
    }

    /// Returns the root over leaves of 32 bytes each.
    fn root<'py>(&self, py: Python<'py>, leaves: List<Bytes>) -> Outcome<Bound<'py, PyBytes>> {
        let leaves = leaves.all()?;
        let root = py.detach(|| Ok::<_, quorate::Error>(self.tree().root(&hashes(&leaves)?)))?;
        Ok(PyBytes::new(py, &root))
    }

    /// Returns the path of the leaf at `index`.
    fn path(&self, py: Python<'_>, leaves: List<Bytes>, index: Count) -> Outcome<Path> {
        let leaves = leaves.all()?;
        Ok(Path(py.detach(|| self.tree().path(&hashes(&leaves)?, size(index.0)))?))
    }

    /// Verifies that `leaf` is at the path's position in the tree under `root`; raises `WrongContextError` if it is
    /// not. Compare `path.count` with the signed count.
    fn verify(&self, root: Bytes, leaf: Bytes, path: &Path) -> Outcome<()> {
        let (root, leaf) = (exactly(&root, "Merkle root")?, exactly(&leaf, "Merkle leaf")?);
        Ok(self.tree().verify(&root, &leaf, &path.0)?)
    }

    fn __repr__(&self) -> String {
        format!("Merkle({:?}, {:?})", self.leaf, self.node)
    }
}

/// The path from one leaf to the root.
#[pyclass(frozen, eq, module = "quorate.merkle")]
#[derive(PartialEq)]
pub(crate) struct Path(merkle::Path);

#[pymethods]
impl Path {
    /// Decodes a path.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(merkle::Path::decode(&data, &())?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Index of the leaf.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    /// Number of leaves of the tree, as this path claims.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count()
    }

    /// The siblings along the path, bottom first.
    #[getter]
    fn siblings<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.0.siblings().iter().map(|sibling| PyBytes::new(py, sibling)).collect()
    }

    fn __repr__(&self) -> String {
        format!("Path(leaf {} of {}, {} siblings)", self.index(), self.count(), self.0.siblings().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

fn hashes(leaves: &[Bytes]) -> quorate::Result<Vec<merkle::Hash>> {
    leaves.iter().map(|leaf| exactly(leaf, "Merkle leaf")).collect()
}
