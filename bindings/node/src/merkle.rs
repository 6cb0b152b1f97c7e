//! Merkle trees: each call passes the two domain strings of its tree.

use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;
use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Decode, Encode};

use crate::glue::{Bytes, Result, Throw, array, bytes, handle};

fn hashes(leaves: Vec<&[u8]>) -> Result<Vec<Hash>> {
    leaves.into_iter().map(|leaf| array("Merkle leaf", leaf)).collect()
}

#[napi(catch_unwind)]
pub fn merkle_leaves<'env>(
    env: &'env Env,
    leaf_domain: String,
    node_domain: String,
    items: Vec<&[u8]>,
) -> Result<Vec<Bytes<'env>>> {
    let tree = Merkle::new(&leaf_domain, &node_domain);
    tree.leaves(items).into_iter().map(|leaf| bytes(env, leaf)).collect()
}

#[napi(catch_unwind)]
pub fn merkle_root<'env>(
    env: &'env Env,
    leaf_domain: String,
    node_domain: String,
    leaves: Vec<&[u8]>,
) -> Result<Bytes<'env>> {
    bytes(env, Merkle::new(&leaf_domain, &node_domain).root(&hashes(leaves)?))
}

#[napi(catch_unwind)]
pub fn merkle_path(
    leaf_domain: String,
    node_domain: String,
    leaves: Vec<&[u8]>,
    index: u32,
) -> Result<External<Path>> {
    handle(Merkle::new(&leaf_domain, &node_domain).path(&hashes(leaves)?, index as usize))
}

#[napi(catch_unwind)]
pub fn merkle_verify(
    leaf_domain: String,
    node_domain: String,
    root: &[u8],
    leaf: &[u8],
    path: &External<Path>,
) -> Result<()> {
    let (root, leaf) = (array("Merkle root", root)?, array("Merkle leaf", leaf)?);
    Merkle::new(&leaf_domain, &node_domain).verify(&root, &leaf, path).throw()
}

#[napi(catch_unwind)]
pub fn path_decode(data: &[u8]) -> Result<External<Path>> {
    handle(Path::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn path_encode<'env>(env: &'env Env, path: &External<Path>) -> Result<Bytes<'env>> {
    bytes(env, path.encode())
}

#[napi(catch_unwind)]
pub fn path_index(path: &External<Path>) -> u32 {
    path.index()
}

#[napi(catch_unwind)]
pub fn path_count(path: &External<Path>) -> u32 {
    path.count()
}

#[napi(catch_unwind)]
pub fn path_siblings<'env>(env: &'env Env, path: &External<Path>) -> Result<Vec<Bytes<'env>>> {
    path.siblings().iter().map(|sibling| bytes(env, sibling)).collect()
}

#[napi(catch_unwind)]
pub fn path_equals(path: &External<Path>, other: &External<Path>) -> bool {
    **path == **other
}
