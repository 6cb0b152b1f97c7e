//! Collecting a block's transactions: from the pool by the names in segments, and from peers by place.

mod cut;
mod places;
mod segment_set;
mod segments;
#[cfg(test)]
mod tests;

pub(crate) use cut::cut_into_segments;
pub(crate) use places::{Assembly, Completion};
pub(crate) use segments::Added;
