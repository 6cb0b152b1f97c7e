use std::time::Duration;

use quorate::dsig::dynamic::SuiteId;

use crate::eddsa::EddsaLibrary;
use crate::frame::SignatureScheme;

/// Options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Signature scheme.
    pub scheme: SignatureScheme,
    /// Library that signs with EdDSA.
    pub library: EddsaLibrary,
    /// Suite of DSig.
    pub suite: SuiteId,
    /// Store that the front must have, if known.
    pub store: Option<[u8; 32]>,
    /// Highest sequence number that a front of this store answered before. A front that reports a lower one has
    /// lost or hides entries, and is refused. See [`Client::answered`](super::Client::answered).
    pub answered: u64,
    /// Signs scripts. A front refuses scripts unless its configuration enables them, and also refuses the commands
    /// sent after one.
    pub scripts: bool,
    /// Time limit for connecting.
    pub connect_timeout: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            scheme: SignatureScheme::Dsig,
            library: EddsaLibrary::default(),
            suite: SuiteId::WotsBlake3,
            store: None,
            answered: 0,
            scripts: true,
            connect_timeout: Duration::from_secs(5),
        }
    }
}
