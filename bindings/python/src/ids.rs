//! `ChainId` and `CommitteeId`: 32 bytes each, not interchangeable.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::committee;

use crate::convert::{Bytes, exactly};
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $what:literal, { $($more:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, ord, hash, module = "quorate")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) committee::$name);

        impl From<committee::$name> for $name {
            fn from(id: committee::$name) -> Self {
                Self(id)
            }
        }

        #[pymethods]
        impl $name {
            $($more)*

            /// Creates the identifier from exactly 32 bytes.
            #[staticmethod]
            fn from_bytes(data: Bytes) -> Outcome<Self> {
                Ok(Self(committee::$name(exactly(&data, $what)?)))
            }

            /// Returns the 32 bytes.
            fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.0)
            }

            /// Returns the bytes as 64 hex digits.
            fn __str__(&self) -> String {
                self.0.to_string()
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($name), "({})"), self.0)
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
                reduced::<Self>(py, "from_bytes", (self.__bytes__(py),))
            }
        }
    };
}

identifier! {
    /// Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis.
    ChainId, "chain id", {
        /// Derives an identifier from a name, for tests and demonstrations. Any party that knows the name can derive
        /// it, so a live chain hashes its genesis instead.
        #[staticmethod]
        fn from_name(name: &str) -> Self {
            Self(committee::ChainId::from_name(name))
        }
    }
}

identifier! {
    /// Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers.
    CommitteeId, "committee id", {}
}
