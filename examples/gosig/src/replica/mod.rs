mod restore;

pub use restore::Config;
