//! The book as an engine of the [service](quorate_service).

use quorate_audit::Application;
use quorate_audit::signed::BadFrame;
use quorate_service::{Engine, Origin};

use crate::EXCHANGE;
use crate::answer::Answer;
use crate::book::Book;
use crate::command::Command;

impl Engine for Book {
    const PROTOCOL: [u8; 8] = *b"QAEXCHG1";
    const ITEMS: &'static str = "orders";
    const SIGNS_ANSWERS: bool = true;
    type Command<'a> = Command;
    type Answer = Answer;

    fn application() -> &'static Application {
        &EXCHANGE
    }

    fn decode(bytes: &[u8]) -> Result<Command, BadFrame> {
        Command::decode(bytes)
    }

    fn encode(command: &Command, out: &mut Vec<u8>) -> Result<(), BadFrame> {
        command.encode_to(out)
    }

    fn execute(&mut self, origin: &Origin, command: &Command, answer: &mut Vec<u8>) {
        Book::execute(self, origin.entry, &origin.signer, command).encode_to(answer);
    }

    fn decode_answer(bytes: &[u8]) -> Result<Answer, BadFrame> {
        Answer::decode(bytes)
    }

    fn items(&self) -> usize {
        self.len()
    }
}
