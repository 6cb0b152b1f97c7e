use quorate::wire::domain;

/// The hash over all application roots that blocks contain. See the [module](super).
pub fn execution_root(previous: &[u8; 32], height: u64, application: &[u8; 32]) -> [u8; 32] {
    let mut hasher = domain::hasher(domain::EXECUTED);
    hasher.update(previous).update(&height.to_le_bytes()).update(application);
    *hasher.finalize().as_bytes()
}
