//! The store as an engine of the [service](quorate_service).

use quorate_audit::Application;
use quorate_audit::signed::BadFrame;
use quorate_service::{Engine, Origin};

use crate::KV;
use crate::command::{Command, Store};

impl Engine for Store {
    const PROTOCOL: [u8; 8] = *b"QAKVSTO1";
    const ITEMS: &'static str = "keys";
    const SIGNS_ANSWERS: bool = false;
    type Command<'a> = Command<'a>;
    /// True if the key had a value before the request, and the value that GET found.
    type Answer = (bool, Vec<u8>);

    fn application() -> &'static Application {
        &KV
    }

    fn decode(bytes: &[u8]) -> Result<Command<'_>, BadFrame> {
        Command::decode(bytes)
    }

    fn encode(command: &Command<'_>, out: &mut Vec<u8>) -> Result<(), BadFrame> {
        command.encode_to(out)
    }

    fn execute(&mut self, _: &Origin, command: &Command<'_>, answer: &mut Vec<u8>) {
        let outcome = Store::execute(self, command);
        answer.push(outcome.found.into());
        answer.extend_from_slice(outcome.value);
    }

    fn decode_answer(bytes: &[u8]) -> Result<Self::Answer, BadFrame> {
        match bytes.split_first() {
            Some((0, [])) => Ok((false, Vec::new())),
            Some((1, value)) => Ok((true, value.to_vec())),
            Some(_) => Err(BadFrame("neither found nor not found")),
            None => Err(BadFrame("length of the message")),
        }
    }

    fn items(&self) -> usize {
        self.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_another_form_are_refused() {
        for (bytes, answer) in [
            (&[0][..], Some((false, vec![]))),
            (&[1], Some((true, vec![]))),
            (&[1, 7, 8], Some((true, vec![7, 8]))),
            (&[], None),
            (&[0, 7], None),
            (&[2], None),
        ] {
            assert_eq!(Store::decode_answer(bytes).ok(), answer, "{bytes:?}");
        }
    }
}
