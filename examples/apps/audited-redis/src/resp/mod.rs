//! The parts of RESP2, Redis' protocol, that the front needs.
//!
//! The signature of a command covers the bytes that Redis receives, so a command must have **one** encoding: an
//! array of bulk strings whose lengths are decimal numbers without sign or leading zeros. General RESP libraries
//! accept more (`+1`, `01`, inline commands) and have no limits, so this module does not use one. Replies of Redis
//! are forwarded unchanged: [`ReplyScanner`] only finds the end of a reply, of any size.

use std::fmt;

/// Maximum length of an encoded command.
pub const MAX_COMMAND: usize = 8 << 20;
/// Maximum number of arguments of a command, including its name.
pub const MAX_ARGUMENTS: usize = 1 << 16;
/// Maximum nesting of a reply that [`Value`] decodes.
pub const MAX_DEPTH: usize = 32;
/// Maximum nesting of a forwarded reply, far above the limit of Lua's stack.
const MAX_OPEN: usize = 1 << 16;
/// Maximum length of a line that contains a number, including its kind.
const MAX_NUMBER: usize = 32;

/// Bytes that are not RESP, or not in the accepted subset, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed RESP: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// A command in its canonical encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    bytes: &'a [u8],
    arguments: usize,
}

impl<'a> Command<'a> {
    /// Decodes a command from exactly `bytes`.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match Self::take(bytes)? {
            Some(command) if command.bytes.len() == bytes.len() => Ok(command),
            Some(_) => Err(Malformed("bytes after the command")),
            None => Err(Malformed("the command is cut short")),
        }
    }

    /// Decodes the command at the beginning of `bytes`; `None` if more bytes are needed.
    ///
    /// # Errors
    /// [`Malformed`], as soon as it is certain.
    pub fn take(bytes: &'a [u8]) -> Result<Option<Self>, Malformed> {
        let Some((arguments, mut at)) = header(bytes, 0, b'*')? else { return Ok(None) };
        if arguments == 0 || arguments > MAX_ARGUMENTS {
            return Err(Malformed("number of arguments"));
        }
        for _ in 0..arguments {
            let Some((len, start)) = header(bytes, at, b'$')? else { return Ok(None) };
            let end = start + len;
            if end + 2 > MAX_COMMAND {
                return Err(Malformed("the command is too long"));
            }
            let Some(terminator) = bytes.get(end..end + 2) else { return Ok(None) };
            if terminator != b"\r\n" {
                return Err(Malformed("an argument does not end where it says"));
            }
            at = end + 2;
        }
        Ok(bytes.get(..at).map(|bytes| Self { bytes, arguments }))
    }

    /// Returns the bytes that are signed, logged and sent to Redis.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns name and arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &'a [u8]> {
        let (bytes, mut at) =
            (self.bytes, header(self.bytes, 0, b'*').ok().flatten().map_or(0, |(_, at)| at));
        (0..self.arguments).filter_map(move |_| {
            let (len, start) = header(bytes, at, b'$').ok().flatten()?;
            at = start + len + 2;
            bytes.get(start..start + len)
        })
    }

    /// Returns the name as sent.
    pub fn name(&self) -> &'a [u8] {
        self.arguments().next().unwrap_or_default()
    }
}

/// Encodes a command.
///
/// # Errors
/// [`Malformed`] for no arguments, too many, or too long ones.
pub fn encode_command<A: AsRef<[u8]>>(arguments: &[A]) -> Result<Vec<u8>, Malformed> {
    if arguments.is_empty() || arguments.len() > MAX_ARGUMENTS {
        return Err(Malformed("number of arguments"));
    }
    let mut bytes = format!("*{}\r\n", arguments.len()).into_bytes();
    for argument in arguments {
        let argument = argument.as_ref();
        if bytes.len() + argument.len() > MAX_COMMAND - 16 {
            return Err(Malformed("the command is too long"));
        }
        bytes.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
        bytes.extend_from_slice(argument);
        bytes.extend_from_slice(b"\r\n");
    }
    Ok(bytes)
}

/// Parses a canonical number after `kind`; returns it with the offset after its line.
fn header(bytes: &[u8], at: usize, kind: u8) -> Result<Option<(usize, usize)>, Malformed> {
    let Some(first) = bytes.get(at) else { return Ok(None) };
    if *first != kind {
        return Err(Malformed(if kind == b'*' {
            "a command is an array"
        } else {
            "an argument is a bulk string"
        }));
    }
    let (mut value, mut digits) = (0usize, 0);
    loop {
        let place = at + 1 + digits;
        match (bytes.get(place), bytes.get(place + 1)) {
            (Some(digit @ b'0'..=b'9'), _) if digits < 8 && !(digits > 0 && value == 0) => {
                value = value * 10 + usize::from(digit - b'0');
                digits += 1;
            }
            (Some(b'\r'), Some(b'\n')) if digits > 0 => return Ok(Some((value, place + 2))),
            (None, _) => return Ok(None),
            (Some(b'\r'), None) if digits > 0 => return Ok(None),
            _ => return Err(Malformed("a length is not a plain decimal number")),
        }
    }
}

/// Finds the ends of replies in a stream, in memory independent of their size. A script can return texts of any
/// length and arrays of any depth, and all clients share the connection, so a large reply must not be an error.
#[derive(Debug, Default)]
pub struct ReplyScanner {
    /// Number of missing items at each level.
    open: Vec<u64>,
    /// Missing bytes of a bulk string, including its line end.
    bulk: u64,
    /// True within the text of a simple string or an error.
    text: bool,
}

impl ReplyScanner {
    /// Scans `bytes`; returns the number of bytes consumed, and true if a reply ends there. The caller passes the
    /// remaining bytes again with more data.
    ///
    /// # Errors
    /// [`Malformed`]; the stream cannot be scanned further.
    pub fn scan(&mut self, bytes: &[u8]) -> Result<(usize, bool), Malformed> {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            if self.bulk > 0 {
                let Some(used) = self.bulk_part(rest)? else { return Ok((at, false)) };
                at += used;
                if self.bulk > 0 {
                    return Ok((at, false));
                }
            } else if self.text {
                let Some(end) = line_end(rest) else {
                    // The line end may be split between two reads.
                    return Ok((at + rest.len() - usize::from(rest.ends_with(b"\r")), false));
                };
                at += end + 2;
                self.text = false;
            } else if let Some(b'+' | b'-') = rest.first() {
                at += 1;
                self.text = true;
                continue;
            } else {
                let Some(end) = number_end(rest)? else { return Ok((at, false)) };
                let line = rest.get(..end).unwrap_or_default();
                at += end + 2;
                if !self.begin(line)? {
                    continue;
                }
            }
            if self.item_is_done() {
                return Ok((at, true));
            }
        }
    }

    /// Consumes bytes of a bulk string; `None` if no byte can be consumed.
    fn bulk_part(&mut self, rest: &[u8]) -> Result<Option<usize>, Malformed> {
        let data = self.bulk.saturating_sub(2).min(rest.len() as u64) as usize;
        let mut used = data;
        if self.bulk - data as u64 == 2 {
            match rest.get(data..data + 2) {
                Some(b"\r\n") => used += 2,
                Some(_) => return Err(Malformed("a bulk string does not end where it says")),
                None => {}
            }
        }
        self.bulk -= used as u64;
        Ok((used > 0).then_some(used))
    }

    /// Handles a line; returns true if the item that it begins is complete.
    fn begin(&mut self, line: &[u8]) -> Result<bool, Malformed> {
        let (kind, text) = line.split_first().ok_or(Malformed("an empty line"))?;
        match kind {
            b':' => Ok(true),
            b'$' | b'*' if text == b"-1" => Ok(true),
            b'$' => {
                self.bulk = number(text)?.checked_add(2).ok_or(Malformed("a length"))?;
                Ok(false)
            }
            b'*' => {
                let items = number(text)?;
                if items > 0 {
                    if self.open.len() >= MAX_OPEN {
                        return Err(Malformed("too deep"));
                    }
                    self.open.push(items);
                }
                Ok(items == 0)
            }
            _ => Err(Malformed("an unknown kind of reply")),
        }
    }

    /// Counts an item; returns true if it was the last of the reply.
    fn item_is_done(&mut self) -> bool {
        while let Some(missing) = self.open.last_mut() {
            *missing -= 1;
            if *missing > 0 {
                return false;
            }
            self.open.pop();
        }
        true
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(2).position(|pair| pair == b"\r\n")
}

/// Returns the end of a line that contains a number. The limit applies equally to complete and partial lines.
fn number_end(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    match bytes.get(..MAX_NUMBER + 2) {
        Some(longest) => line_end(longest).map(Some).ok_or(Malformed("a number is too long")),
        None => Ok(line_end(bytes)),
    }
}

fn number(text: &[u8]) -> Result<u64, Malformed> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    text.and_then(|text| text.parse().ok()).ok_or(Malformed("a length"))
}

/// A decoded reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `+`
    Simple(String),
    /// `-`
    Error(String),
    /// `:`
    Integer(i64),
    /// `$`; `None` for the null string.
    Bulk(Option<Vec<u8>>),
    /// `*`; `None` for the null array.
    Array(Option<Vec<Value>>),
}

impl Value {
    /// Decodes a reply from exactly `bytes`.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let (value, used) = Self::item(bytes, 0)?;
        if used == bytes.len() { Ok(value) } else { Err(Malformed("bytes after the reply")) }
    }

    fn item(bytes: &[u8], depth: usize) -> Result<(Self, usize), Malformed> {
        const SHORT: Malformed = Malformed("the reply is cut short");
        let end = match bytes.first() {
            Some(b'+' | b'-') => line_end(bytes),
            _ => number_end(bytes)?,
        };
        let end = end.ok_or(SHORT)?;
        let (kind, text) =
            bytes.get(..end).and_then(<[u8]>::split_first).ok_or(Malformed("an empty line"))?;
        let words = || String::from_utf8_lossy(text).into_owned();
        let mut used = end + 2;
        let value = match kind {
            b'+' => Self::Simple(words()),
            b'-' => Self::Error(words()),
            b':' => Self::Integer(words().parse().map_err(|_| Malformed("a number"))?),
            b'$' if text == b"-1" => Self::Bulk(None),
            b'*' if text == b"-1" => Self::Array(None),
            b'$' => {
                let len = usize::try_from(number(text)?).map_err(|_| SHORT)?;
                let last = used.checked_add(len).ok_or(SHORT)?;
                let data = bytes.get(used..last).ok_or(SHORT)?;
                if bytes.get(last..).and_then(|rest| rest.get(..2)) != Some(b"\r\n") {
                    return Err(Malformed("a bulk string does not end where it says"));
                }
                used = last + 2;
                Self::Bulk(Some(data.to_vec()))
            }
            b'*' if depth < MAX_DEPTH => {
                let mut items = Vec::new();
                for _ in 0..number(text)? {
                    let (item, more) = Self::item(bytes.get(used..).unwrap_or_default(), depth + 1)?;
                    used += more;
                    items.push(item);
                }
                Self::Array(Some(items))
            }
            b'*' => return Err(Malformed("too deep")),
            _ => return Err(Malformed("an unknown kind of reply")),
        };
        Ok((value, used))
    }
}

#[cfg(test)]
mod tests;
