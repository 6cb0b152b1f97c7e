//! Threshold ECDSA. Plans, and signatures with their group, cross the boundary as their encodings.

mod combining;
mod deal;
mod dealer;
mod presignatures;
mod shares;
