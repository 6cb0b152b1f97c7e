//! Threshold encryption and the coin. Randomness cannot be chosen: the model's output is verified instead, beside a value
//! that is made here.

macro_rules! purpose {
    ($module:ident, $instance:ident, $share:ident, $makes:ident, $collector:ident, $instance_of:ident, $output:ident) => {
        pub mod $module {
            fn keys_of(input: Json) -> $module::PublicKeys {
                $module::PublicKeys::decode(input.bytes("keys"))
            }

            fn share_of(given: Bytes) -> $module::$share { $module::$share::decode(given) }

            fn shares_of(input: Json) -> Vec<$module::$share> {
                input.byte_strings("shares").map(|share| share_of(share))
            }

            fn key_share_of(input: Json) -> $module::KeyShare {
                $module::KeyShare::from_bytes(input.bytes("key_share"))
            }

            pub fn keys(input: Json) -> Json {
                let keys = keys_of(input);
                json! {
                    committee: keys.committee(),
                    key: keys.key(),
                    needed: keys.threshold().needed(),
                    parties: keys.threshold().parties(),
                }
            }

            pub fn key_share(input: Json) -> Json {
                let share = key_share_of(input);
                share.check(keys_of(input));
                json! { member: share.member(), verification_key: share.verification_key() }
            }

            /// Only the proof in a share is random.
            pub fn share(input: Json) -> Json {
                let keys = keys_of(input);
                let instance = $instance_of(keys, input);
                let own = key_share_of(input).$makes(instance);
                let other = share_of(input.get("made").bytes("share"));
                check!(own.member() == other.member());
                check!(slice(own.encode(), 0, 34) == slice(other.encode(), 0, 34));
                check!(own != other);
                check!(keys.verify_share(instance, own).member() == keys.verify_share(instance, other).member());
                input.get("made")
            }

            /// The member of a share that is valid on its own.
            fn alone(keys: $module::PublicKeys, instance: $module::$instance, share: $module::$share) -> Option<u16> {
                let verdict = attempt(|| keys.verify_share(instance, share));
                if let Some(code) = refused(verdict) {
                    check!(code == "BAD_SHARE");
                    check!(culprits(verdict) == [share.member()]);
                    return None;
                }
                verdict.unwrap().member()
            }

            /// All shares together must give the results of single verification, with and without tables.
            fn checked_of(keys: $module::PublicKeys, instance: $module::$instance, input: Json) -> $module::Checked {
                let shares = shares_of(input);
                let checked = keys.verify_shares(instance, shares);
                let tabled = keys.precomputed().verify_shares(instance, shares);
                let members = checked.verified.map(|one| one.member());
                check!(tabled.verified.map(|one| one.member()) == members);
                check!(tabled.faults.map(|one| one.member) == checked.faults.map(|one| one.member));
                let valid = shares.map(|one| alone(keys, instance, one)).filter(|one| one.is_some());
                check!(valid.map(|one| one.unwrap()) == members);
                checked
            }

            fn fault_shown(fault: $module::ShareFault) -> Json {
                json! { member: fault.member, evidence: fault.evidence.map(|evidence| evidence.encode()) }
            }

            pub fn verify_shares(input: Json) -> Json {
                let keys = keys_of(input);
                let checked = checked_of(keys, $instance_of(keys, input), input);
                json! {
                    verified: checked.verified.map(|one| one.member()),
                    faults: checked.faults.map(|one| fault_shown(one)),
                }
            }

            pub fn wrong_share(input: Json) -> Json {
                let keys = keys_of(input);
                json! { culprit: $module::WrongShare::decode(input.bytes("evidence")).verify(keys) }
            }

            fn added(collector: $module::$collector, share: $module::$share) -> Json {
                let verdict = attempt(|| collector.add(share));
                if let Some(code) = refused(verdict) {
                    return json! { output: code, faults: [] };
                }
                let collected = verdict.unwrap();
                json! { output: $output(collected), faults: collected.faults.map(|one| one.member) }
            }

            pub fn session(input: Json) -> Json {
                let keys = keys_of(input);
                let collector = $module::$collector::new(keys, $instance_of(keys, input));
                json! { outcomes: shares_of(input).map(|share| added(collector, share)) }
            }
        }
    };
}

purpose!(tdh2, ValidCiphertext, DecryptionShare, decryption_share, Decryption, valid_ciphertext, decrypted);
purpose!(coin, Coin, CoinShare, coin_share, CoinCombiner, named_coin, tossed);

/// With and without tables, the check of a ciphertext has one result.
fn valid_ciphertext(keys: tdh2::PublicKeys, input: Json) -> tdh2::ValidCiphertext {
    let key = tdh2::EncryptionKey::from_public_keys(keys);
    let ciphertext = tdh2::Ciphertext::decode(input.bytes("ciphertext"));
    let epoch = input.u64("epoch");
    let proposer = input.u16("proposer");
    let valid = attempt(|| ciphertext.check(key, epoch, proposer));
    check!(refused(attempt(|| ciphertext.check(key.precomputed(), epoch, proposer))) == refused(valid));
    valid.unwrap()
}

fn decrypted(collected: tdh2::Collected) -> Json {
    if let Some(error) = collected.error {
        return shown(error.code());
    }
    shown(collected.output)
}

fn named_coin(keys: coin::PublicKeys, input: Json) -> coin::Coin {
    let given = input.get("name");
    let name =
        coin::CoinName::new(given.u8("protocol"), given.u64("epoch"), given.u64("instance"), given.u64("round"));
    let named = coin::Coin::from_name(keys, name);
    check!(named.name() == name);
    named
}

fn tossed(collected: coin::Collected) -> Json { shown(collected.output) }

pub mod tdh2 {
    pub fn encryption_key(input: Json) -> Json {
        let key = tdh2::EncryptionKey::decode(input.bytes("encryption_key"));
        json! { committee: key.committee(), key: key.key() }
    }

    pub fn encrypt(input: Json) -> Json {
        let key = tdh2::EncryptionKey::from_public_keys(keys_of(input));
        let epoch = input.u64("epoch");
        let proposer = input.u16("proposer");
        let other = tdh2::Ciphertext::decode(input.get("made").bytes("ciphertext"));
        other.check(key, epoch, proposer);
        for each in [key, key.precomputed()] {
            let own = each.encrypt(epoch, proposer, input.bytes("plaintext"));
            check!(own.encode().len() == other.encode().len());
            check!(own != other);
            let valid = own.check(key, epoch, proposer);
            check!(valid.ciphertext() == own);
            check!(valid.label().epoch == epoch && valid.label().proposer == proposer);
        }
        input.get("made")
    }

    pub fn check(input: Json) -> Json { json! { id: valid_ciphertext(keys_of(input), input).id() } }

    pub fn decrypt(input: Json) -> Json {
        let keys = keys_of(input);
        let ciphertext = valid_ciphertext(keys, input);
        let checked = checked_of(keys, ciphertext, input);
        let plaintext = ciphertext.combine(keys, checked.verified);
        check!(ciphertext.combine(keys, checked.verified, Cache::new(2)) == plaintext);
        json! { plaintext: plaintext }
    }
}

pub mod coin {
    pub fn toss(input: Json) -> Json {
        let coin = named_coin(keys_of(input), input);
        json! { base: coin.base(), id: coin.id() }
    }

    pub fn value(input: Json) -> Json {
        let keys = keys_of(input);
        let coin = named_coin(keys, input);
        let checked = checked_of(keys, coin, input);
        let value = coin.combine(keys, checked.verified);
        check!(coin.combine(keys, checked.verified, Cache::new()) == value);
        check!(coin::CoinValue::from_bytes(value.bytes()) == value);
        let below = input.u16s("below").map(|limit| value.below(limit));
        json! { value: value, bit: if value.bit() { 1 } else { 0 }, below: below }
    }
}
