//! The binding of quorate for Node.
