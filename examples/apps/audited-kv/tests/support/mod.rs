//! A real server in its own process.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ops::{Deref, DerefMut};

use quorate_audit::failure::Failure;
use quorate_audit::keys::Key;
use quorate_audit::signed::SignatureScheme;
use quorate_audited_kv::client::Client;
use quorate_audited_kv::command::{Command, Store};
use quorate_link::Endpoint;
use quorate_service::testing::{Program, options};

pub use quorate_service::testing::{LIMIT, eventually};

pub const PROGRAM: Program = Program { path: env!("CARGO_BIN_EXE_audited-kv"), name: "kv" };

/// A folder with a server for the clients `alice` and `bob`.
pub struct Deployment(quorate_service::testing::Deployment<Store>);

impl Deployment {
    pub fn new() -> Self {
        Self(quorate_service::testing::Deployment::new(PROGRAM, "kill"))
    }

    pub fn client(&self, name: &str) -> Client {
        self.client_at(0, name, SignatureScheme::Dsig)
    }

    /// A client over shared memory (0) or TCP (1).
    pub fn client_at(&self, endpoint: usize, name: &str, scheme: SignatureScheme) -> Client {
        connect(&self.endpoints[endpoint], self.key(name), scheme).unwrap()
    }
}

impl From<quorate_service::testing::Deployment<Store>> for Deployment {
    fn from(deployment: quorate_service::testing::Deployment<Store>) -> Self {
        Self(deployment)
    }
}

impl Deref for Deployment {
    type Target = quorate_service::testing::Deployment<Store>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Deployment {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

pub fn connect(endpoint: &Endpoint, key: &Key, scheme: SignatureScheme) -> Result<Client, Failure> {
    Client::connect(endpoint, key, options(None, scheme))
}

/// The encoding of a request.
pub fn encoded(command: &Command<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    command.encode_to(&mut bytes).unwrap();
    bytes
}
