//! ECDSA by many. A plan, and a signature with its group, pass as their encodings.

mod combining;
mod dealing;
mod presignatures;
mod shares;
