use crate::threshold::{self, Field, lagrange};

type ScalarOf<G> = <G as threshold::Group>::Scalar;

/// Lagrange coefficients of all groups, see [`lagrange::Cache`]. One cache serves all combiners: pass
/// [`as_mut`](AsMut::as_mut) of it where the cache of one group is expected.
#[derive(Debug)]
pub struct Cache {
    ristretto255: lagrange::Cache<ScalarOf<threshold::Ristretto255>>,
    secp256k1: lagrange::Cache<ScalarOf<threshold::Secp256k1>>,
    #[cfg(feature = "bls")]
    bls: lagrange::Cache<crate::bls::Fr>,
}

impl Cache {
    /// Creates a cache of at most `capacity` sets of members for each group, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            ristretto255: lagrange::Cache::new(capacity),
            secp256k1: lagrange::Cache::new(capacity),
            #[cfg(feature = "bls")]
            bls: lagrange::Cache::new(capacity),
        }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(lagrange::Cache::<ScalarOf<threshold::Ristretto255>>::DEFAULT_CAPACITY)
    }
}

/// Also the cache of threshold encryption and of the coin.
impl AsMut<lagrange::Cache<ScalarOf<threshold::Ristretto255>>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<ScalarOf<threshold::Ristretto255>> {
        &mut self.ristretto255
    }
}

impl AsMut<lagrange::Cache<ScalarOf<threshold::Secp256k1>>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<ScalarOf<threshold::Secp256k1>> {
        &mut self.secp256k1
    }
}

#[cfg(feature = "bls")]
impl AsMut<lagrange::Cache<crate::bls::Fr>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<crate::bls::Fr> {
        &mut self.bls
    }
}

/// Returns the part of a cache for one field.
pub(super) fn part<F: Field>(cache: &mut Cache) -> &mut lagrange::Cache<F>
where
    Cache: AsMut<lagrange::Cache<F>>,
{
    cache.as_mut()
}
