//! Keys, signatures and their aggregates, identifiers and hashes.

fn suite_of(input: Json) -> Suite {
    if input.has("suite") {
        return suite(input.u8("suite"));
    }
    suite(input.get("committee").u8("suite"))
}

fn secret_of(input: Json) -> SecretKey { SecretKey::from_bytes(suite_of(input), input.bytes("secret")) }
fn key_of(input: Json) -> PublicKey { PublicKey::decode(suite_of(input), input.bytes("public_key")) }
fn signature_of(input: Json) -> Signature { Signature::decode(suite_of(input), input.bytes("signature")) }
fn ciphersuite_of(input: Json) -> Ciphersuite { Ciphersuite::decode(input.bytes("ciphersuite")) }

/// The key of a member after its possession proof was verified.
fn verified_key(suite: Suite, member: Json) -> VerifiedKey {
    UnverifiedKey::decode(suite, joined([member.bytes("public_key"), member.bytes("possession")])).verify()
}

pub mod secret_key {
    pub fn decode(input: Json) -> Json { json! { public_key: secret_of(input).public_key().encode() } }
}

pub mod public_key {
    pub fn decode(input: Json) -> Json { json! { public_key: key_of(input).encode() } }
}

pub mod signature {
    pub fn decode(input: Json) -> Json { json! { link: signature_of(input).encode_link() } }

    pub fn decode_link(input: Json) -> Json {
        json! { signature: Signature::decode_link(suite_of(input), input.bytes("link")).encode() }
    }

    pub fn verify_with(input: Json) {
        key_of(input).verify_with(ciphersuite_of(input), input.bytes("message"), signature_of(input));
    }
}

pub fn sign(input: Json) -> Json {
    json! { signature: secret_of(input).sign(input.bytes("message")).encode() }
}

pub fn verify(input: Json) { key_of(input).verify(input.bytes("message"), signature_of(input)); }

pub mod possession {
    pub fn prove(input: Json) -> Json { json! { possession: secret_of(input).prove_possession().encode() } }
    pub fn verify(input: Json) { verified_key(suite_of(input), input); }
}

pub mod ciphersuite {
    pub fn decode(input: Json) -> Json {
        json! { encoded: Ciphersuite::decode(input.bytes("bytes")).encode() }
    }
}

pub mod bls {
    pub fn aggregate(input: Json) -> Json {
        let suite = suite_of(input);
        let parts = input.byte_strings("signatures").map(|part| Signature::decode(suite, part));
        json! { signature: bls::aggregate(parts).encode() }
    }

    pub fn fast_aggregate_verify(input: Json) {
        let suite = suite_of(input);
        let keys = input.list("keys").map(|key| verified_key(suite, key));
        bls::fast_aggregate_verify(keys, input.bytes("message"), signature_of(input));
    }

    pub fn aggregate_verify(input: Json) {
        let suite = suite_of(input);
        bls::aggregate_verify(
            input.list("keys").map(|key| (verified_key(suite, key), key.bytes("message"))),
            signature_of(input),
        );
    }
}

pub mod chain_id {
    pub fn from_name(input: Json) -> Json { json! { chain: ChainId::from_name(input.text("name")) } }
}

pub mod merkle {
    fn tree() -> Merkle { Merkle::new("quorate-v1-transaction", "quorate-v1-batch-node") }
    fn leaves(input: Json) -> Vec<Bytes> { tree().leaves(input.byte_strings("items")) }
    pub fn root(input: Json) -> Json { json! { root: tree().root(leaves(input)) } }

    pub fn path(input: Json) -> Json {
        json! { path: tree().path(leaves(input), input.usize("index")).encode() }
    }

    pub fn verify(input: Json) -> Json {
        let path = Path::decode(input.bytes("path"));
        tree().verify(input.bytes("root"), tree().leaf(input.bytes("item")), path);
        json! { index: path.index(), count: path.count() }
    }
}
