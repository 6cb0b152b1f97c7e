use super::*;

/// The test vectors of EIP-2335.
const SCRYPT: &str = include_str!("../../../tests/keystores/scrypt.json");
const PBKDF2: &str = include_str!("../../../tests/keystores/pbkdf2.json");
const SECRET: &str = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

fn password() -> Password {
    Password::new("𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑").unwrap()
}

fn parse(text: &str) -> Result<Keystore, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[test]
fn decrypts_the_vectors_of_eip_2335() {
    for text in [SCRYPT, PBKDF2] {
        let keystore = parse(text).unwrap();
        assert_eq!(hex::encode(*keystore.decrypt(&password()).unwrap()), SECRET);
        let other = Password::new("testpassword").unwrap();
        assert!(keystore.decrypt(&other).unwrap_err().contains("the password is wrong"));
        let read: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(&keystore).unwrap(), read, "all fields are kept");
    }
}

#[test]
fn an_encrypted_secret_can_be_decrypted() {
    let (secret, pubkey) = ([7; 32], Hex(vec![1, 2, 3]));
    let encrypt =
        || Keystore::encrypt(&secret, pubkey.clone(), "a text", &password(), KeyDerivation::Pbkdf2).unwrap();
    let (one, other) = (encrypt(), encrypt());
    let read = parse(&serde_json::to_string(&one).unwrap()).unwrap();
    assert_eq!(read, one);
    assert_eq!(*read.decrypt(&password()).unwrap(), secret);
    assert!(one.uuid != other.uuid && one.crypto.cipher != other.crypto.cipher, "random parameters");
    assert!(one.uuid.len() == 36 && one.uuid.get(14..15) == Some("4"), "{}", one.uuid);
}

#[test]
fn damaged_and_expensive_keystores_are_refused() {
    let change = |from: &str, to: &str, of: &str| {
        assert!(of.contains(from), "{from}");
        parse(&of.replace(from, to)).and_then(|keystore| keystore.decrypt(&password()).map(drop))
    };
    for (from, to) in [
        ("\"version\": 4", "\"version\": 3"),
        ("scrypt\"", "argon2\""),
        ("sha256\"", "sha512\""),
        ("aes-128-ctr", "aes-128-cbc"),
        ("\"n\": 262144", "\"n\": 262143"),
        ("\"n\": 262144", "\"n\": 1"),
        ("\"n\": 262144", "\"n\": 1099511627776"),
        ("\"n\": 262144", "\"n\": -1"),
        ("\"r\": 8", "\"r\": 4294967295"),
        ("\"r\": 8", "\"r\": 0"),
        (
            "\"n\": 262144,\n                \"p\": 1,\n                \"r\": 8",
            "\"n\": 2, \"p\": 16, \"r\": 4000000",
        ),
        ("\"p\": 1", "\"p\": 17"),
        ("\"p\": 1", "\"p\": 1, \"q\": 1"),
        ("\"dklen\": 32", "\"dklen\": 16"),
        ("06ae90d5", "06ae90d4"),
        ("06ae90d5", "06ae90"),
        ("264daa3f", "264daa"),
        ("d2217fe5", "d2217fe4"),
        ("\"params\": {},", "\"params\": {\"a\": 1},"),
        ("\"message\": \"\"", "\"message\": \"00\""),
    ] {
        assert!(change(from, to, SCRYPT).is_err(), "{from} {to}");
    }
    for (from, to) in [
        ("\"c\": 262144", "\"c\": 0"),
        ("\"c\": 262144", "\"c\": 4294967295"),
        ("hmac-sha256", "hmac-sha1"),
        ("\"salt\": \"", &format!("\"salt\": \"{}", "00".repeat(300))),
    ] {
        assert!(change(from, to, PBKDF2).is_err(), "{from} {to}");
    }
}
