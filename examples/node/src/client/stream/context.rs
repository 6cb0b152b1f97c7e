use crate::handle::Handle;

/// State that all connections share.
#[derive(Clone)]
pub(in crate::client) struct Context {
    pub(in crate::client) handle: Handle,
    pub(in crate::client) chain: [u8; 32],
    pub(in crate::client) max_transaction: usize,
}
