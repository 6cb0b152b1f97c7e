mod faults;
pub(in crate::guard) mod model;
mod signing;
