//! How a validator that joins a running chain is reached: its *contact*, which travels with the change that lets it in,
//! and which the members allow together with it.
//!
//! | bytes | field |
//! |---|---|
//! | 1, n | length of the name, 1 to 255; the name, UTF-8 without control characters |
//! | 1, n | length of the address, 1 to 255; the address: host and port |
//!
//! The protocol keeps a contact as it is. Nothing may stop because somebody allowed one that says nothing sensible, and
//! all nodes must call a member alike: [`Contact::settle`] makes a name and an address of any bytes.

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::check::{MAX_TEXT, check_text};

/// How many digits of its identity key a member is called by that has no name of its own.
const KEY_DIGITS: usize = 8;

/// A validator's name and where it accepts links. At most 512 bytes when encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    name: String,
    address: String,
}

impl Contact {
    /// A contact.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) for what no genesis would take as a name or an address either.
    pub fn new(name: &str, address: &str) -> crate::Result<Self> {
        check_text("name", name)?;
        check_text("address", address)?;
        Ok(Self { name: name.to_owned(), address: address.to_owned() })
    }

    /// The name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it accepts links: host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What a member is called and where it is reached, whatever came with the change that let it in: a name that
    /// cannot be read or that `taken` says another member has is replaced by one made of the identity key; an address
    /// that cannot be read is missing.
    pub fn settle(bytes: &[u8], identity: &[u8], taken: impl Fn(&str) -> bool) -> (String, Option<String>) {
        let (name, address) = match Self::decode(bytes, &()) {
            Ok(Self { name, address }) => (Some(name), Some(address)),
            Err(_) => (None, None),
        };
        let mut digits = hex::encode(identity);
        digits.truncate(KEY_DIGITS);
        let of_the_key = || {
            let numbered = |n| match n {
                0 => format!("member-{digits}"),
                n => format!("member-{digits}-{n}"),
            };
            // Somebody may have chosen such a name, and members are fewer than numbers.
            (0u32..).map(numbered).find(|name| !taken(name)).unwrap_or_default()
        };
        (name.filter(|name| !taken(name)).unwrap_or_else(of_the_key), address)
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
    fn a_contact_survives_as_bytes_and_nothing_else_decodes() {
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
    fn whatever_the_bytes_there_is_a_name_of_its_own() {
        let contact = Contact::new("alice", "a:1").unwrap().encode();
        let key = [0xab; 32];
        assert_eq!(Contact::settle(&contact, &key, |_| false), ("alice".into(), Some("a:1".into())));
        let second = |name: &str| name == "alice";
        assert_eq!(Contact::settle(&contact, &key, second), ("member-abababab".into(), Some("a:1".into())));
        assert_eq!(Contact::settle(b"", &key, |_| false), ("member-abababab".into(), None));
        let third = |name: &str| matches!(name, "alice" | "member-abababab" | "member-abababab-1");
        assert_eq!(Contact::settle(&contact, &key, third).0, "member-abababab-2");
    }
}
