//! The binding of quorate for Kotlin.
