//! Merkle trees.

use quorate::merkle::{Hash, Merkle as Tree, Path as Inner};
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow, array, decode};

#[wasm_bindgen]
pub struct Merkle {
    leaf: String,
    node: String,
}

impl Merkle {
    fn tree(&self) -> Tree<'_> {
        Tree::new(&self.leaf, &self.node)
    }
}

#[wasm_bindgen]
impl Merkle {
    pub fn new(leaf: String, node: String) -> Self {
        Self { leaf, node }
    }

    pub fn leaf(&self, item: &[u8]) -> Vec<u8> {
        self.tree().leaf(item).to_vec()
    }

    pub fn root(&self, leaves: Leaves) -> Vec<u8> {
        self.tree().root(&leaves.0).to_vec()
    }

    pub fn path(&self, leaves: Leaves, index: u32) -> JsResult<Path> {
        self.tree().path(&leaves.0, index as usize).or_throw().map(Path)
    }

    pub fn verify(&self, root: &[u8], leaf: &[u8], path: &Path) -> JsResult<()> {
        let (root, leaf) = (array(root, "root of a Merkle tree")?, array(leaf, LEAF)?);
        self.tree().verify(&root, &leaf, &path.0).or_throw()
    }
}

const LEAF: &str = "leaf of a Merkle tree";

/// Leaves of a tree to be computed.
#[wasm_bindgen]
#[derive(Default)]
pub struct Leaves(Vec<Hash>);

#[wasm_bindgen]
impl Leaves {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, leaf: &[u8]) -> JsResult<()> {
        array(leaf, LEAF).map(|leaf| self.0.push(leaf))
    }
}

#[wasm_bindgen]
pub struct Path(Inner);

#[wasm_bindgen]
impl Path {
    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn index(&self) -> u32 {
        self.0.index()
    }

    pub fn count(&self) -> u32 {
        self.0.count()
    }

    /// Concatenated.
    pub fn siblings(&self) -> Vec<u8> {
        self.0.siblings().concat()
    }
}
