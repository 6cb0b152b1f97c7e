use std::time::Duration;

use quorate::dsig::dynamic::SuiteId;

use crate::frame::SignatureScheme;

/// How a client signs, and what it asks of the front.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// How commands are signed.
    pub scheme: SignatureScheme,
    /// Which suite, if by DSig.
    pub suite: SuiteId,
    /// The store that the front must have, if the client knows it.
    pub store: Option<[u8; 32]>,
    /// The highest number that a front of this store answered before. One that knows less of us has lost entries, or
    /// hides them, and is not believed. See [`Client::answered`](super::Client::answered).
    pub answered: u64,
    /// Whether scripts are signed. A front refuses them if its configuration does not say otherwise, and with them
    /// what was sent behind them.
    pub scripts: bool,
    /// How long connecting may take.
    pub patience: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            scheme: SignatureScheme::Dsig,
            suite: SuiteId::WotsBlake3,
            store: None,
            answered: 0,
            scripts: true,
            patience: Duration::from_secs(5),
        }
    }
}
