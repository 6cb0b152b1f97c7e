use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::ffi::Scalar;
use super::group::Variant;
use super::keys::SecretKey;
use crate::{Error, Result};

/// Minimum length of a seed in bytes.
const MIN_SEED: usize = 32;
/// Maximum number of indices of a path. Ethereum's have five.
const MAX_DEPTH: usize = 32;

/// The place of a key in a tree of keys, such as `m/12381/3600/0/0/0` (EIP-2334). `m` is the root.
///
/// ```
/// use quorate::bls::{KeyPath, MinPk, SecretKey};
/// use quorate::scheme::Scheme;
///
/// let path: KeyPath = "m/12381/3600/0/0/0".parse()?;
/// let secret = SecretKey::<MinPk>::derive(&[7; 32], &path)?;
/// let same = SecretKey::<MinPk>::derive(&[7; 32], &path)?;
/// assert!(MinPk::public_key(&secret) == MinPk::public_key(&same));
/// # Ok::<(), quorate::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct KeyPath(Vec<u32>);

impl KeyPath {
    /// Returns the indices below the root.
    pub fn indices(&self) -> &[u32] {
        &self.0
    }
}

/// Accepts the form that `Display` writes: `m`, or `m/` and decimal indices without leading zeros, separated by `/`.
impl FromStr for KeyPath {
    type Err = Error;

    /// # Errors
    /// [`Error::Malformed`], also for more than 32 indices or an index of 2³² or more.
    fn from_str(text: &str) -> Result<Self> {
        let malformed = Error::Malformed { what: "path of a key; expected m/12381/3600/0/0/0, for instance" };
        let mut parts = text.split('/');
        if parts.next() != Some("m") {
            return Err(malformed);
        }
        let indices = parts.take(MAX_DEPTH + 1).map(index).collect::<Option<Vec<_>>>();
        indices.filter(|indices| indices.len() <= MAX_DEPTH).map(Self).ok_or(malformed)
    }
}

fn index(text: &str) -> Option<u32> {
    let is_canonical =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_canonical { text.parse().ok() } else { None }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("m")?;
        self.0.iter().try_for_each(|index| write!(f, "/{index}"))
    }
}

impl<V: Variant> SecretKey<V> {
    /// Derives the key at a place in the tree of keys of a seed, by EIP-2333. The seed and each key above this one are as
    /// secret as the key. Cost: about 1,000 hashes per index.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a seed of fewer than 32 bytes.
    pub fn derive(seed: &[u8], path: &KeyPath) -> Result<Self> {
        if seed.len() < MIN_SEED {
            return Err(Error::Malformed { what: "seed; expected 32 bytes or more" });
        }
        let root = Scalar::derive_root(seed);
        Ok(Self::new(path.indices().iter().fold(root, |parent, index| parent.derive_child(*index))))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::bls::{MinPk, MinSig};
    use crate::scheme::Scheme;

    /// The test cases of EIP-2333: seed, root, index, child. The numbers are written in hexadecimal.
    const CASES: [(&str, &str, u32, &str); 4] = [
        (
            "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04",
            "0d7359d57963ab8fbbde1852dcf553fedbc31f464d80ee7d40ae683122b45070",
            0,
            "2d18bd6c14e6d15bf8b5085c9b74f3daae3b03cc2014770a599d8c1539e50f8e",
        ),
        (
            "3141592653589793238462643383279502884197169399375105820974944592",
            "41c9e07822b092a93fd6797396338c3ada4170cc81829fdfce6b5d34bd5e7ec7",
            3141592653,
            "384843fad5f3d777ea39de3e47a8f999ae91f89e42bffa993d91d9782d152a0f",
        ),
        (
            "0099ff991111002299dd7744ee3355bbdd8844115566cc55663355668888cc00",
            "3cfa341ab3910a7d00d933d8f7c4fe87c91798a0397421d6b19fd5b815132e80",
            4294967295,
            "40e86285582f35b28821340f6a53b448588efa575bc4d88c32ef8567b8d9479b",
        ),
        (
            "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
            "2a0e28ffa5fbbe2f8e7aad4ed94f745d6bf755c51182e119bb1694fe61d3afca",
            42,
            "455c0dc9fccb3395825d92a60d2672d69416be1c2578a87a7a3d3ced11ebb88d",
        ),
    ];

    #[test]
    fn derives_the_keys_of_eip_2333() {
        for (seed, root, index, child) in CASES {
            let seed = hex::decode(seed).unwrap();
            let derived = |path: &str| {
                let path = path.parse().unwrap();
                let secret = SecretKey::<MinSig>::derive(&seed, &path).unwrap();
                let other = SecretKey::<MinPk>::derive(&seed, &path).unwrap();
                assert_eq!(MinPk::secret_to_bytes(&other), MinSig::secret_to_bytes(&secret));
                hex::encode(*MinSig::secret_to_bytes(&secret))
            };
            assert_eq!(derived("m"), root);
            assert_eq!(derived(&alloc::format!("m/{index}")), child);
        }
    }

    #[test]
    fn short_seeds_are_refused() {
        let derive = |length| SecretKey::<MinSig>::derive(&alloc::vec![1; length], &KeyPath::default());
        assert_eq!(derive(31).err().map(|error| error.code()), Some("MALFORMED"));
        assert!(derive(32).is_ok() && derive(33).is_ok());
    }

    #[test]
    fn a_path_has_one_form() {
        for text in ["m", "m/0", "m/12381/3600/0/0/0", "m/4294967295"] {
            assert_eq!(text.parse::<KeyPath>().unwrap().to_string(), text);
        }
        let deep = |depth| alloc::format!("m{}", "/1".repeat(depth)).parse::<KeyPath>();
        assert!(deep(32).is_ok() && deep(33).is_err());
        for text in [
            "",
            "M",
            "m/",
            "/",
            "n/0",
            "m/00",
            "m/01",
            "m/+1",
            "m/-1",
            "m/4294967296",
            "m/0'",
            "m//0",
            "m/0/",
            " m",
            "m/ 0",
        ] {
            assert!(text.parse::<KeyPath>().is_err(), "{text:?}");
        }
    }
}
