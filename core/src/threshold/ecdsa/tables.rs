//! Tables of a key's element that make verification faster.

use core::marker::PhantomData;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering};
#[cfg(feature = "std")]
use std::sync::OnceLock;

use super::curve::Curve;

/// A [`Curve::Table`], computed once enough signatures were verified for it to pay off. Without `std` there is none.
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

    /// Returns a · element + b · G in variable time. `element` must be the same in each call.
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
        // An inexact count of two threads is harmless: the cell lets one of them compute the table.
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

    fn table_is_built_after_enough_uses_and_changes_nothing<G: Curve>() {
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
        table_is_built_after_enough_uses_and_changes_nothing::<Ristretto255>();
        table_is_built_after_enough_uses_and_changes_nothing::<Secp256k1>();
    }
}
