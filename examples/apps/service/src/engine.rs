//! The interface of a state machine that a [`Server`](crate::server::Server) runs.

use quorate_audit::Application;
use quorate_audit::signed::BadFrame;

/// A deterministic state machine: executing the commands of a log in their order yields the same state and the same answers.
/// The default value is the state of an empty log.
pub trait Engine: Default + 'static {
    /// First bytes of a connection: name and version of the protocol.
    const PROTOCOL: [u8; 8];
    /// Noun for the items that the state contains, in the plural, for example "keys".
    const ITEMS: &'static str;
    /// True if the server signs each answer and logs this [receipt](crate::receipt).
    const SIGNS_ANSWERS: bool;

    /// A command.
    type Command<'a>;
    /// An answer, as a client sees it.
    type Answer;

    /// Returns the names and the domains.
    fn application() -> &'static Application;

    /// Decodes a command from exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    fn decode(bytes: &[u8]) -> Result<Self::Command<'_>, BadFrame>;

    /// Appends the encoding of a command.
    ///
    /// # Errors
    /// [`BadFrame`] if a value exceeds its limits.
    fn encode(command: &Self::Command<'_>, out: &mut Vec<u8>) -> Result<(), BadFrame>;

    /// Executes a command and appends the encoding of its answer, at most [`MAX_ANSWER`] bytes.
    fn execute(&mut self, origin: &Origin, command: &Self::Command<'_>, answer: &mut Vec<u8>);

    /// Decodes an answer from exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    fn decode_answer(bytes: &[u8]) -> Result<Self::Answer, BadFrame>;

    /// Returns the number of items that the state contains.
    fn items(&self) -> usize;
}

/// Position and sender of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Number of its entry in the log.
    pub entry: u64,
    /// Public key of its signer.
    pub signer: [u8; 32],
}

/// Maximum length of an answer. A receipt contains it with the command and a signature, in one message of the link.
pub const MAX_ANSWER: usize = 5 << 10;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An engine whose state is the last command, and whose answer is the command before it.
    #[derive(Default)]
    pub(crate) struct TestEngine(Vec<u8>);

    pub(crate) static TEST: Application = Application {
        name: "a test",
        program: "test",
        log_magic: *b"QATSTLOG",
        proof_magic: *b"QATSTPRF",
        key_line: "quorate-test-key 1",
        command_domain: "test-command",
        hello_domain: "test-hello",
        log_domain: quorate::wire::domain::AUDITED_KV_LOG,
        parse: |command| Ok(vec![command.to_vec()]),
    };

    impl Engine for TestEngine {
        const PROTOCOL: [u8; 8] = *b"QATEST01";
        const ITEMS: &'static str = "bytes";
        const SIGNS_ANSWERS: bool = false;
        type Command<'a> = &'a [u8];
        type Answer = Vec<u8>;

        fn application() -> &'static Application {
            &TEST
        }

        fn decode(bytes: &[u8]) -> Result<&[u8], BadFrame> {
            bytes.strip_prefix(&[1]).ok_or(BadFrame("a command begins with 1"))
        }

        fn encode(command: &&[u8], out: &mut Vec<u8>) -> Result<(), BadFrame> {
            out.push(1);
            out.extend_from_slice(command);
            Ok(())
        }

        fn execute(&mut self, _: &Origin, command: &&[u8], answer: &mut Vec<u8>) {
            answer.extend_from_slice(&self.0);
            self.0 = command.to_vec();
        }

        fn decode_answer(bytes: &[u8]) -> Result<Vec<u8>, BadFrame> {
            Ok(bytes.to_vec())
        }

        fn items(&self) -> usize {
            self.0.len()
        }
    }
}
