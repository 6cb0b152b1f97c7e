//! The binding of quorate for Python.
