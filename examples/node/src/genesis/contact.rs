//! Contact of a validator that joins a running chain: its name and link address. The members certify it together with the
//! membership change.
//!
//! | bytes | field |
//! |---|---|
//! | 1, n | length of the name, 1 to 255; the name, UTF-8 without control characters |
//! | 1, n | length of the address, 1 to 255; the address: host and port |
//!
//! The protocol stores the bytes of a contact unchanged. A malformed contact must not stop a node, and all nodes must use the
//! same name for a member: [`Contact::resolve`] derives a name and an address from any bytes.

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::check::{MAX_TEXT, check_text};

/// Number of digits of the identity key in a derived name.
const KEY_DIGITS: usize = 8;

/// Name and link address of a validator. Its encoding has at most 512 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    name: String,
    address: String,
}

impl Contact {
    /// Creates a contact.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) for a name or an address that a genesis does not allow.
    pub fn new(name: &str, address: &str) -> crate::Result<Self> {
        check_text("name", name)?;
        check_text("address", address)?;
        Ok(Self { name: name.to_owned(), address: address.to_owned() })
    }

    /// The human-readable name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Link address: host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Derives the name and the address of a member from the bytes of its contact. A malformed name, or one that is `taken`,
    /// is replaced by a name derived from the identity key; a malformed address is `None`.
    pub fn resolve(bytes: &[u8], identity: &[u8], taken: impl Fn(&str) -> bool) -> (String, Option<String>) {
        let (name, address) = match Self::decode(bytes, &()) {
            Ok(Self { name, address }) => (Some(name), Some(address)),
            Err(_) => (None, None),
        };
        let mut digits = hex::encode(identity);
        digits.truncate(KEY_DIGITS);
        let derived = || {
            let numbered = |n| match n {
                0 => format!("member-{digits}"),
                n => format!("member-{digits}-{n}"),
            };
            // A member may have chosen such a name. There are fewer members than numbers.
            (0u32..).map(numbered).find(|name| !taken(name)).unwrap_or_default()
        };
        (name.filter(|name| !taken(name)).unwrap_or_else(derived), address)
    }
}

impl Encode for Contact {
    fn encode_to(&self, w: &mut Writer) {
        for text in [&self.name, &self.address] {
            // Both are checked to be at most 255 bytes long.
            w.u8(text.len() as u8);
            w.raw(text.as_bytes());
        }
    }
}

impl Decode for Contact {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let mut text = || {
            let n = r.u8()?;
            let text = core::str::from_utf8(r.raw(n.into())?).map_err(|_| MALFORMED)?;
            if text.is_empty() || text.chars().any(char::is_control) {
                Err(MALFORMED)
            } else {
                Ok(text.to_owned())
            }
        };
        Ok(Self { name: text()?, address: text()? })
    }
}

const MALFORMED: Error = Error::Malformed { what: "contact" };
const _: () = assert!(MAX_TEXT == u8::MAX as usize, "a length is one byte");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encoded_contacts_decode() {
        let longest = "ä".repeat(127) + "b";
        for (name, address) in [("alice", "203.0.113.7:7100"), (&*longest, &*longest)] {
            let contact = Contact::new(name, address).unwrap();
            let bytes = contact.encode();
            assert!(bytes.len() <= 512);
            assert_eq!(Contact::decode(&bytes, &()).unwrap(), contact);
            for len in 0..bytes.len() {
                assert!(Contact::decode(&bytes[..len], &()).is_err(), "cut at {len}");
            }
            assert!(Contact::decode(&[&bytes[..], &[0]].concat(), &()).is_err());
        }
        for bytes in [&b"\0\x01a"[..], b"\x01a\0", b"\x01\n\x01a", b"\x01\xff\x01a"] {
            assert_eq!(Contact::decode(bytes, &()), Err(MALFORMED));
        }
        for (name, address) in [("", "a:1"), ("a", ""), ("a\n", "a:1"), (&*"x".repeat(256), "a:1")] {
            assert_eq!(Contact::new(name, address).unwrap_err().code(), "GENESIS");
        }
    }

    #[test]
    fn any_bytes_resolve_to_a_unique_name() {
        let contact = Contact::new("alice", "a:1").unwrap().encode();
        let key = [0xab; 32];
        assert_eq!(Contact::resolve(&contact, &key, |_| false), ("alice".into(), Some("a:1".into())));
        let second = |name: &str| name == "alice";
        assert_eq!(Contact::resolve(&contact, &key, second), ("member-abababab".into(), Some("a:1".into())));
        assert_eq!(Contact::resolve(b"", &key, |_| false), ("member-abababab".into(), None));
        let third = |name: &str| matches!(name, "alice" | "member-abababab" | "member-abababab-1");
        assert_eq!(Contact::resolve(&contact, &key, third).0, "member-abababab-2");
    }
}
