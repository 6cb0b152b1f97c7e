use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use quorate::ed25519;
use quorate::wire::{Decode, Encode};
use serde::Deserialize;

/// A signer's identity key and address: `<64 hexadecimal digits>@<IP address>:<port>`.
///
/// The address is no host name, because a thread that must not wait for a name server dials it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SignerAddress {
    /// The signer's identity key.
    pub identity: ed25519::PublicKey,
    /// Where it listens.
    pub address: SocketAddr,
}

impl FromStr for SignerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected the identity key of the signer, `@` and its IP address and port, as `quorate signer` prints it";
        let (identity, address) = text.split_once('@').ok_or(expected)?;
        let identity = hex::decode(identity).map_err(|error| format!("{expected}: {error}"))?;
        let identity =
            ed25519::PublicKey::decode(&identity, &()).map_err(|e| format!("identity key: {e}"))?;
        let address = address.parse().map_err(|error| format!("{address}: {error}; {expected}"))?;
        Ok(Self { identity, address })
    }
}

impl TryFrom<String> for SignerAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for SignerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", hex::encode(self.identity.encode()), self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let identity = Ed25519::public_key(&Ed25519::generate(&mut SysRng).unwrap());
        let digits = hex::encode(identity.encode());
        for address in ["192.0.2.7:7400", "[2001:db8::1]:7400"] {
            let text = format!("{digits}@{address}");
            let read: SignerAddress = text.parse().unwrap();
            assert_eq!((&read.identity, read.to_string()), (&identity, text));
        }
        for text in [
            "192.0.2.7:7400",
            "@192.0.2.7:7400",
            &format!("{digits}@signer.example:7400"),
            &format!("{digits}@192.0.2.7"),
            &format!("{digits}00@192.0.2.7:7400"),
            &format!("{}@192.0.2.7:7400", "f".repeat(64)),
        ] {
            assert!(text.parse::<SignerAddress>().is_err(), "{text}");
        }
    }
}
