//! Requests.
//!
//! | bytes | field |
//! |---|---|
//! | 1 | 1 GET, 2 PUT, 3 DELETE |
//! | 1 | length of the key, at least 1 |
//! | … | key |
//! | rest | value, at most 1024 bytes; only in PUT |

use hashbrown::HashMap;
use quorate_audit::signed::BadFrame;

/// Maximum length of a key.
pub const MAX_KEY: usize = 255;
/// Maximum length of a value.
pub const MAX_VALUE: usize = 1024;

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// Reads a value.
    Get {
        /// 1 to 255 bytes.
        key: &'a [u8],
    },
    /// Writes a value.
    Put {
        /// 1 to 255 bytes.
        key: &'a [u8],
        /// At most 1024 bytes.
        value: &'a [u8],
    },
    /// Removes a value.
    Delete {
        /// 1 to 255 bytes.
        key: &'a [u8],
    },
}

/// Result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// True if the key had a value before the request.
    pub found: bool,
    /// Its value; empty for PUT and DELETE.
    pub value: &'a [u8],
}

impl<'a> Command<'a> {
    /// Decodes a request from exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let short = BadFrame("a request is cut short");
        let (kind, rest) = bytes.split_first().ok_or(short)?;
        let (len, rest) = rest.split_first().ok_or(short)?;
        let (key, value) = rest.split_at_checked((*len).into()).ok_or(short)?;
        if key.is_empty() {
            return Err(BadFrame("an empty key"));
        }
        match (kind, value) {
            (1, []) => Ok(Self::Get { key }),
            (2, value) if value.len() <= MAX_VALUE => Ok(Self::Put { key, value }),
            (3, []) => Ok(Self::Delete { key }),
            (1..=3, _) => Err(BadFrame("length of the value")),
            _ => Err(BadFrame("unknown request")),
        }
    }

    /// Appends the encoding.
    ///
    /// # Errors
    /// [`BadFrame`] if the key or the value is empty or too long.
    pub fn encode_to(&self, out: &mut Vec<u8>) -> Result<(), BadFrame> {
        let (kind, key, value) = match *self {
            Self::Get { key } => (1, key, &[][..]),
            Self::Put { key, value } => (2, key, value),
            Self::Delete { key } => (3, key, &[][..]),
        };
        let len = u8::try_from(key.len()).ok().filter(|len| *len > 0).ok_or(BadFrame("length of the key"))?;
        if value.len() > MAX_VALUE {
            return Err(BadFrame("length of the value"));
        }
        out.extend_from_slice(&[kind, len]);
        out.extend_from_slice(key);
        out.extend_from_slice(value);
        Ok(())
    }

    /// Returns name and arguments.
    pub fn words(&self) -> Vec<Vec<u8>> {
        match *self {
            Self::Get { key } => vec![b"GET".to_vec(), key.to_vec()],
            Self::Put { key, value } => vec![b"PUT".to_vec(), key.to_vec(), value.to_vec()],
            Self::Delete { key } => vec![b"DELETE".to_vec(), key.to_vec()],
        }
    }

    /// Parses name and arguments, the name in any case.
    ///
    /// # Errors
    /// A message with the expected form.
    pub fn from_words<A: AsRef<[u8]>>(words: &'a [A]) -> Result<Self, String> {
        let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
        let command = match *words.as_slice() {
            [name, key] if name.eq_ignore_ascii_case(b"get") => Self::Get { key },
            [name, key, value] if name.eq_ignore_ascii_case(b"put") => Self::Put { key, value },
            [name, key] if name.eq_ignore_ascii_case(b"delete") => Self::Delete { key },
            _ => return Err("expected GET KEY, PUT KEY VALUE or DELETE KEY".to_owned()),
        };
        command.encode_to(&mut Vec::new()).map_err(|reason| reason.0.to_owned())?;
        Ok(command)
    }
}

/// The store: a hash table in memory. It is a function of the log: executing the requests of a log in their order yields the
/// same store and the same outcomes.
#[derive(Debug, Default)]
pub struct Store {
    table: HashMap<Box<[u8]>, Box<[u8]>>,
}

impl Store {
    /// Executes a request.
    pub fn execute(&mut self, command: &Command<'_>) -> Outcome<'_> {
        const NOTHING: &[u8] = &[];
        match *command {
            Command::Get { key } => {
                let value = self.table.get(key);
                Outcome { found: value.is_some(), value: value.map_or(NOTHING, |value| value) }
            }
            Command::Put { key, value } => {
                let found = match self.table.get_mut(key) {
                    Some(old) if old.len() == value.len() => {
                        old.copy_from_slice(value);
                        true
                    }
                    _ => self.table.insert(key.into(), value.into()).is_some(),
                };
                Outcome { found, value: NOTHING }
            }
            Command::Delete { key } => Outcome { found: self.table.remove(key).is_some(), value: NOTHING },
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn requests_are_executed_in_order() {
        let mut store = Store::default();
        let outcome = |found, value| Outcome { found, value };
        assert_eq!(store.execute(&Command::Get { key: b"k" }), outcome(false, b""));
        assert_eq!(store.execute(&Command::Put { key: b"k", value: b"one" }), outcome(false, b""));
        assert_eq!(store.execute(&Command::Put { key: b"k", value: b"two" }), outcome(true, b""));
        assert_eq!(store.execute(&Command::Get { key: b"k" }), outcome(true, b"two"));
        assert_eq!(store.execute(&Command::Put { key: b"k", value: b"" }), outcome(true, b""));
        assert_eq!(store.execute(&Command::Get { key: b"k" }), outcome(true, b""));
        assert_eq!(store.execute(&Command::Delete { key: b"k" }), outcome(true, b""));
        assert_eq!(store.execute(&Command::Delete { key: b"k" }), outcome(false, b""));
        assert!(store.is_empty());
    }

    #[test]
    fn requests_outside_the_limits_are_refused() {
        let long = vec![0; MAX_VALUE + 1];
        for words in [
            vec![&b"GET"[..], b""],
            vec![b"PUT", b"k", &long],
            vec![b"GET", &long[..256]],
            vec![b"INCR", b"k"],
        ] {
            assert!(Command::from_words(&words).is_err());
        }
        assert_eq!(Command::from_words(&["put", "k", "v"]), Ok(Command::Put { key: b"k", value: b"v" }));
        for bytes in
            [&b""[..], &[1], &[1, 0], &[1, 2, 7], &[1, 1, 7, 7], &[0, 1, 7], &[4, 1, 7], &[3, 1, 7, 7]]
        {
            assert!(Command::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn decoded_requests_encode_to_the_same_bytes(bytes in vec(any::<u8>(), 0..1400), kind in 0u8..5, len in 0u8..9) {
            let mut bytes = bytes;
            if bytes.len() > 1 && len < 8 {
                (bytes[0], bytes[1]) = (kind, len);
            }
            if let Ok(command) = Command::decode(&bytes) {
                let mut again = Vec::new();
                command.encode_to(&mut again).unwrap();
                let words = command.words();
                prop_assert_eq!(Command::from_words(&words), Ok(command));
                prop_assert_eq!(&again, &bytes);
            }
        }
    }
}
