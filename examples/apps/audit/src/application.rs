//! What differs between audited applications.

use quorate::machine::Time;

/// Name and arguments of a command.
pub type Words = Vec<Vec<u8>>;

/// An audited application: its names, its domains, and the encoding of its commands.
#[derive(Debug)]
pub struct Application {
    /// The application in messages, for example "an audited Redis".
    pub name: &'static str,
    /// Its program, for the commands that messages advise.
    pub program: &'static str,
    /// First bytes of a log.
    pub log_magic: [u8; 8],
    /// First bytes of a proof.
    pub proof_magic: [u8; 8],
    /// First line of a key file, without its comments.
    pub key_line: &'static str,
    /// Prefix of the message that a client signs for a command.
    pub command_domain: &'static str,
    /// Prefix of the message that a client signs to authenticate itself.
    pub hello_domain: &'static str,
    /// Domain of the hashes of a log.
    pub log_domain: &'static str,
    /// Splits a command into its name and arguments, or returns the reason why it is not a command.
    pub parse: fn(&[u8]) -> Result<Words, String>,
}

impl Application {
    /// Returns the message that a client signs for a command.
    pub fn message(&self, store: &[u8; 32], sequence: u64, time: Time, command: &[u8]) -> Vec<u8> {
        let domain = self.command_domain.as_bytes();
        [domain, store, &sequence.to_le_bytes(), &time.0.to_le_bytes(), command].concat()
    }

    /// Returns the message that a client signs with its Ed25519 key to authenticate itself.
    pub fn hello(&self, store: &[u8; 32], challenge: &[u8; 32], signer: &[u8; 32]) -> Vec<u8> {
        [self.hello_domain.as_bytes(), store, challenge, signer].concat()
    }
}

/// An application whose commands are any bytes.
#[cfg(test)]
pub(crate) static TEST: Application = Application {
    name: "a test",
    program: "audited-test",
    log_magic: *b"QATSTLOG",
    proof_magic: *b"QATSTPRF",
    key_line: "quorate-audited-test-key 1",
    command_domain: "test-command",
    hello_domain: "test-hello",
    log_domain: quorate::wire::domain::AUDITED_REDIS_LOG,
    parse: |command| Ok(vec![command.to_vec()]),
};
