//! Classes of verified values, which Python code can neither construct nor subclass nor unpickle.

/// Defines a class for a `Verified<T>`, with the class for `T` and further methods.
macro_rules! verified {
    ($(#[$doc:meta])* $name:ident of $value:ident: $core:ty) => {
        $crate::verified::verified! { $(#[$doc])* $name of $value: $core, {} }
    };
    ($(#[$doc:meta])* $name:ident of $value:ident: $core:ty, { $($more:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, module = "quorate")]
        #[derive(Clone, PartialEq)]
        pub(crate) struct $name(pub(crate) quorate::committee::Verified<$core>);

        impl From<quorate::committee::Verified<$core>> for $name {
            fn from(verified: quorate::committee::Verified<$core>) -> Self {
                Self(verified)
            }
        }

        #[pymethods]
        impl $name {
            $($more)*

            /// The verified value.
            #[getter]
            fn value(&self) -> $value {
                $value((*self.0).clone())
            }

            /// Committee against which it was verified: compare it with the id of the current one.
            #[getter]
            fn committee(&self) -> $crate::ids::CommitteeId {
                self.0.committee().into()
            }

            fn __repr__(&self) -> String {
                format!(concat!("<", stringify!($name), " {}>"), $crate::text::Shown::shown(&*self.0))
            }

            /// Raises `TypeError`: unpickling would bypass verification.
            fn __reduce__<'py>(&self) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                $crate::pickle::refused(concat!(
                    "a ", stringify!($name), " cannot be pickled; send its bytes and verify them there"
                ))
            }

            fn __copy__(slf: pyo3::PyRef<'_, Self>) -> pyo3::PyRef<'_, Self> {
                slf
            }

            #[allow(unused_variables, reason = "part of the protocol")]
            #[pyo3(signature = (memo, /))]
            fn __deepcopy__<'py>(slf: pyo3::PyRef<'py, Self>, memo: &pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyRef<'py, Self> {
                slf
            }
        }
    };
}

pub(crate) use verified;
