//! A client: signs each request, and checks that the server keeps to the protocol.
//!
//! ```no_run
//! # use quorate_audit::keys::Key;
//! # use quorate_audited_kv::{KV, client::{Client, ClientOptions}, command::Command};
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Key::load(&KV, "alice.key".as_ref())?;
//! let mut client = Client::connect(&"shm:kv.sock".parse()?, &key, ClientOptions::default())?;
//! client.call(&Command::Put { key: b"greeting", value: b"hello" })?;
//! let answer = client.call(&Command::Get { key: b"greeting" })?;
//! println!("{:?} is the answer of entry {} of the log", answer.value, answer.entry);
//! client.prepare()?; // when there is time: one-time keys for the next requests
//! # Ok(()) }
//! ```

use quorate_audit::failure::Failure;
use quorate_audit::keys::Key;
use quorate_link::Endpoint;

pub use quorate_service::client::ClientOptions;

use crate::command::{Command, Store};

/// A connection to the server. One request after another.
pub struct Client(quorate_service::client::Client<Store>);

/// Answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Sequence number of the request.
    pub sequence: u64,
    /// Number of its entry in the log.
    pub entry: u64,
    /// True if the key had a value before the request.
    pub found: bool,
    /// The value that GET found.
    pub value: Vec<u8>,
}

impl Client {
    /// Connects and authenticates the client, and makes the first one-time keys.
    ///
    /// # Errors
    /// [`Failure`] if the server does not answer, has another store than expected, or refuses the client.
    pub fn connect(server: &Endpoint, key: &Key, options: ClientOptions) -> Result<Self, Failure> {
        quorate_service::client::Client::connect(server, key, options).map(Self)
    }

    /// Returns the server's store.
    pub fn store(&self) -> &[u8; 32] {
        self.0.store()
    }

    /// Returns the highest sequence number of the client in the log, for [`ClientOptions::answered`] and for auditors.
    pub fn answered(&self) -> u64 {
        self.0.answered()
    }

    /// Makes one-time keys if few are left, and waits until the server has verified them: the background plane of DSig. A
    /// request that finds no key does the same.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn prepare(&mut self) -> Result<(), Failure> {
        self.0.prepare()
    }

    /// Signs and sends a request, and waits for the answer.
    ///
    /// # Errors
    /// Those of [`call`](quorate_service::client::Client::call) of any engine.
    pub fn call(&mut self, command: &Command<'_>) -> Result<Answer, Failure> {
        let answer = self.0.call(command)?;
        let (found, value) = answer.outcome;
        Ok(Answer { sequence: answer.sequence, entry: answer.entry, found, value })
    }
}
