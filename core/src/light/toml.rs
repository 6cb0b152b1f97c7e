//! The subset of TOML that genesis files are written in.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Error, Result};

/// Maximum length of a file in bytes: 65,535 members of a kilobyte.
const MAX_FILE: usize = 64 << 20;
/// Maximum number of fields of a table, above that of any known one: each name is compared with all before it.
const MAX_FIELDS: usize = 16;
/// Digits of the largest integer of 128 bits.
const MAX_DIGITS: usize = 39;

const FIELD: Error =
    Error::Malformed { what: "genesis file: expected a field, [parameters], [schedule] or [[member]]" };
const VALUE: Error = Error::Malformed { what: "genesis file: expected a string or a whole number" };
const ESCAPE: Error = Error::Malformed { what: "genesis file: unknown escape in a string" };
const REPEATED: Error = Error::Malformed { what: "genesis file: a field or a table is repeated" };
const UNKNOWN: Error = Error::Malformed { what: "genesis file: unknown field" };
const KIND: Error = Error::Malformed { what: "genesis file: a field of another type than expected" };
const RANGE: Error = Error::Malformed { what: "genesis file: a number out of range" };
const HEXADECIMAL: Error = Error::Malformed { what: "genesis file: expected hexadecimal digits" };

/// A parsed file.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) root: Table,
    pub(super) parameters: Table,
    pub(super) schedule: Option<Table>,
    pub(super) members: Vec<Table>,
}

/// The fields of a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    fields: Vec<(String, Value)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Integer(u128),
}

impl Document {
    pub(super) fn parse(text: &str) -> Result<Self> {
        if text.len() > MAX_FILE {
            return Err(Error::TooLarge { what: "genesis file", limit: MAX_FILE as u64 });
        }
        let mut file = Self::default();
        let mut parameters = None;
        let mut place = Place::Root;
        for line in text.split('\n') {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                let header = line.split('#').next().unwrap_or_default().trim();
                place = Place::from_header(header)?;
                match place {
                    Place::Parameters => open(&mut parameters)?,
                    Place::Schedule => open(&mut file.schedule)?,
                    Place::Member => file.members.push(Table::default()),
                    Place::Root => {}
                }
                continue;
            }
            let table = match place {
                Place::Root => Some(&mut file.root),
                Place::Parameters => parameters.as_mut(),
                Place::Schedule => file.schedule.as_mut(),
                Place::Member => file.members.last_mut(),
            };
            table.ok_or(FIELD)?.add(line)?;
        }
        file.parameters = parameters.unwrap_or_default();
        Ok(file)
    }
}

/// The table to which the next fields belong.
#[derive(Clone, Copy)]
enum Place {
    Root,
    Parameters,
    Schedule,
    Member,
}

impl Place {
    fn from_header(header: &str) -> Result<Self> {
        match header {
            "[parameters]" => Ok(Self::Parameters),
            "[schedule]" => Ok(Self::Schedule),
            "[[member]]" => Ok(Self::Member),
            _ => Err(FIELD),
        }
    }
}

/// Begins a table that may be in a file once.
fn open(table: &mut Option<Table>) -> Result<()> {
    if table.replace(Table::default()).is_some() { Err(REPEATED) } else { Ok(()) }
}

impl Table {
    /// Refuses fields with other names.
    pub(super) fn require_known(&self, names: &[&str]) -> Result<()> {
        let is_known = |(name, _): &(String, Value)| names.contains(&name.as_str());
        if self.fields.iter().all(is_known) { Ok(()) } else { Err(UNKNOWN) }
    }

    /// Returns a string.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Integer(_)) => Err(KIND),
        }
    }

    /// Returns the bytes of a string of hexadecimal digits.
    pub(super) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.text(name)?.map(|digits| hex::decode(digits).map_err(|_| HEXADECIMAL)).transpose()
    }

    /// Returns an integer. Numbers beyond TOML's range are strings.
    pub(super) fn integer<T: TryFrom<u128>>(&self, name: &str) -> Result<Option<T>> {
        let value = match self.value(name) {
            None => return Ok(None),
            Some(Value::Integer(value)) => *value,
            Some(Value::Text(digits)) => integer(digits).map_err(|_| KIND)?,
        };
        T::try_from(value).map(Some).map_err(|_| RANGE)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// Adds the field of a line.
    fn add(&mut self, line: &str) -> Result<()> {
        let (name, rest) = line.split_once('=').ok_or(FIELD)?;
        let name = name.trim_end();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return Err(FIELD);
        }
        if self.value(name).is_some() {
            return Err(REPEATED);
        }
        if self.fields.len() == MAX_FIELDS {
            return Err(UNKNOWN);
        }
        let (value, rest) = value(rest.trim_start())?;
        let rest = rest.trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(VALUE);
        }
        self.fields.push((name.into(), value));
        Ok(())
    }
}

/// Reads a value, and returns the text after it.
fn value(text: &str) -> Result<(Value, &str)> {
    if let Some(literal) = text.strip_prefix('\'') {
        let (content, rest) = literal.split_once('\'').ok_or(VALUE)?;
        return Ok((Value::Text(content.into()), rest));
    }
    if let Some(basic) = text.strip_prefix('"') {
        return basic_string(basic);
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end).ok_or(VALUE)?;
    Ok((Value::Integer(integer(digits)?), rest))
}

fn integer(digits: &str) -> Result<u128> {
    if digits.len() > MAX_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(VALUE);
    }
    digits.parse().map_err(|_| VALUE)
}

/// Reads the rest of a string in double quotes, and returns the text after it.
fn basic_string(text: &str) -> Result<(Value, &str)> {
    let (mut content, mut characters) = (String::new(), text.chars());
    loop {
        match characters.next().ok_or(VALUE)? {
            '"' => return Ok((Value::Text(content), characters.as_str())),
            '\\' => {
                let escaped = match characters.next().ok_or(ESCAPE)? {
                    same @ ('"' | '\\') => same,
                    'b' => '\u{8}',
                    't' => '\t',
                    'n' => '\n',
                    'f' => '\u{c}',
                    'r' => '\r',
                    'u' => scalar(&mut characters, 4)?,
                    'U' => scalar(&mut characters, 8)?,
                    _ => return Err(ESCAPE),
                };
                content.push(escaped);
            }
            other => content.push(other),
        }
    }
}

/// Reads the hexadecimal digits of a character.
fn scalar(characters: &mut core::str::Chars<'_>, digits: usize) -> Result<char> {
    let mut number = 0;
    for _ in 0..digits {
        let digit = characters.next().and_then(|character| character.to_digit(16)).ok_or(ESCAPE)?;
        number = number << 4 | digit;
    }
    char::from_u32(number).ok_or(ESCAPE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, expected: &Error) {
        assert_eq!(&Document::parse(text).map(drop).unwrap_err(), expected, "{text:?}");
    }

    #[test]
    fn fields_are_read_into_their_tables() {
        let text = "# a comment\r\nchain = \"a\\u00e9\\\"#\" # one more\n\nscheme='bls'\n[schedule] # rounds\nstart = 7\n\
                    [[member]]\nweight = \"340282366920938463463374607431768211455\"\n[[member]]\nweight = 1";
        let file = Document::parse(text).unwrap();
        assert_eq!(file.root.text("chain"), Ok(Some("aé\"#")));
        assert_eq!(file.root.text("scheme"), Ok(Some("bls")));
        assert_eq!(file.root.text("epoch"), Ok(None));
        assert_eq!(file.schedule.unwrap().integer("start"), Ok(Some(7u64)));
        assert_eq!(file.members[0].integer("weight"), Ok(Some(u128::MAX)));
        assert_eq!(file.members[0].integer::<u64>("weight"), Err(RANGE));
        assert_eq!(file.members[1].integer("weight"), Ok(Some(1u16)));
        assert!(file.root.require_known(&["chain", "scheme"]).is_ok());
        assert_eq!(file.root.require_known(&["chain"]), Err(UNKNOWN));
    }

    #[test]
    fn a_table_has_a_bounded_number_of_fields() {
        let fields = |count| (1..=count).map(|n| "a".repeat(n) + " = 1\n").collect::<String>();
        assert!(Document::parse(&fields(MAX_FIELDS)).is_ok());
        refused(&fields(MAX_FIELDS + 1), &UNKNOWN);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["chain", "Chain = 1", " = 1", "[other]", "[[parameters]]", "a.b = 1", "\"a\" = 1"] {
            refused(text, &FIELD);
        }
        for text in
            ["a =", "a = b", "a = -1", "a = 1_000", "a = 1 2", "a = \"b", "a = 'b", "a = [1]", "a = \"b\" c"]
        {
            refused(text, &VALUE);
        }
        refused("a = 340282366920938463463374607431768211456", &VALUE);
        for text in ["a = \"\\x\"", "a = \"\\ud800\"", "a = \"\\u12\"", "a = \"\\"] {
            refused(text, &ESCAPE);
        }
        for text in ["a = 1\na = 2", "[parameters]\n[parameters]", "[schedule]\n[schedule]"] {
            refused(text, &REPEATED);
        }
        let file = Document::parse("a = 1\nb = 'x'").unwrap();
        assert_eq!(file.root.text("a"), Err(KIND));
        assert_eq!(file.root.integer::<u8>("b"), Err(KIND));
        assert_eq!(file.root.bytes("b"), Err(HEXADECIMAL));
    }
}
