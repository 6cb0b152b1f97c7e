//! What a key keeps of its element, so that verifying costs less.

use core::marker::PhantomData;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering};
#[cfg(feature = "std")]
use std::sync::OnceLock;

use super::curve::Curve;

/// A [`Curve::Table`], computed once so many signatures were verified that it pays. Without `std` there is none.
pub(super) struct Tables<G: Curve> {
    #[cfg(feature = "std")]
    table: OnceLock<G::Table>,
    #[cfg(feature = "std")]
    uses: AtomicU32,
    curve: PhantomData<G>,
}

impl<G: Curve> Tables<G> {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(feature = "std")]
            table: OnceLock::new(),
            #[cfg(feature = "std")]
            uses: AtomicU32::new(0),
            curve: PhantomData,
        }
    }

    /// a · element + b · G in variable time. `element` is the same each time.
    pub(super) fn double(&self, a: &G::Scalar, element: &G::Element, b: &G::Scalar) -> G::Element {
        #[cfg(feature = "std")]
        if let Some(table) = self.table(element) {
            return G::public_double_with(a, table, b);
        }
        G::public_double(a, element, b)
    }

    #[cfg(feature = "std")]
    fn table(&self, element: &G::Element) -> Option<&G::Table> {
        let computed = self.table.get();
        // Whether two threads count in order does not matter: the cell has one of them compute it.
        if computed.is_some() || self.uses.fetch_add(1, Ordering::Relaxed) < G::TABLE_AFTER {
            return computed;
        }
        Some(self.table.get_or_init(|| G::table(element)))
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use super::*;
    use crate::threshold::{Field, Ristretto255, Secp256k1};
    use getrandom::SysRng;

    fn the_table_comes_when_it_pays_and_changes_nothing<G: Curve>() {
        let element = G::base(&G::Scalar::random(&mut SysRng).unwrap());
        let tables = Tables::<G>::new();
        for number in 0..G::TABLE_AFTER + 8 {
            assert_eq!(tables.table.get().is_some(), number > G::TABLE_AFTER);
            let of = || match number % 3 {
                0 => G::Scalar::from_u64(number.into()),
                1 => -G::Scalar::from_u64(number.into()),
                _ => G::Scalar::random(&mut SysRng).unwrap(),
            };
            let (a, b) = (of(), of());
            assert_eq!(tables.double(&a, &element, &b), G::times(&element, &a) + G::base(&b));
        }
        let one = G::Scalar::ONE;
        assert_eq!(Tables::<G>::new().double(&one, &-G::generator(), &one), G::identity());
    }

    #[test]
    fn both_curves() {
        the_table_comes_when_it_pays_and_changes_nothing::<Ristretto255>();
        the_table_comes_when_it_pays_and_changes_nothing::<Secp256k1>();
    }
}
