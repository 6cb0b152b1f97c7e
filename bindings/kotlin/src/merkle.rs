//! Merkle trees. Paths cross the boundary as their encodings.

use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Decode, Encode};

use crate::glue::{Result, hash32};

/// Fields of a path, which crosses the boundary as its encoding.
#[derive(uniffi::Record)]
struct PathFields {
    index: u32,
    count: u32,
    siblings: Vec<Vec<u8>>,
}

#[uniffi::export]
fn path_decode(bytes: Vec<u8>) -> Result<PathFields> {
    let path = Path::decode(&bytes, &())?;
    let siblings = path.siblings().iter().map(|sibling| sibling.to_vec()).collect();
    Ok(PathFields { index: path.index(), count: path.count(), siblings })
}

#[uniffi::export]
fn merkle_leaf(leaf: String, node: String, item: Vec<u8>) -> Vec<u8> {
    Merkle::new(&leaf, &node).leaf(&item).to_vec()
}

#[uniffi::export]
fn merkle_leaves(leaf: String, node: String, items: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    Merkle::new(&leaf, &node).leaves(items).into_iter().map(|leaf| leaf.to_vec()).collect()
}

#[uniffi::export]
fn merkle_root(leaf: String, node: String, leaves: Vec<Vec<u8>>) -> Result<Vec<u8>> {
    Ok(Merkle::new(&leaf, &node).root(&hashes(&leaves)?).to_vec())
}

#[uniffi::export]
fn merkle_path(leaf: String, node: String, leaves: Vec<Vec<u8>>, index: u32) -> Result<Vec<u8>> {
    Ok(Merkle::new(&leaf, &node).path(&hashes(&leaves)?, index as usize)?.encode())
}

#[uniffi::export]
fn merkle_verify(leaf: String, node: String, root: Vec<u8>, at: Vec<u8>, path: Vec<u8>) -> Result<()> {
    let (root, at) = (hash32("hash", &root)?, hash32("hash", &at)?);
    let path = Path::decode(&path, &())?;
    Ok(Merkle::new(&leaf, &node).verify(&root, &at, &path)?)
}

fn hashes(bytes: &[Vec<u8>]) -> Result<Vec<Hash>> {
    bytes.iter().map(|hash| hash32("hash", hash)).collect()
}
