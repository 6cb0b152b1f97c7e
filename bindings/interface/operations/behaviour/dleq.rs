//! Threshold encryption and the coin: members make shares together, and wrong shares are found.

fn dealing_committee() -> CommitteeId { CommitteeId::from_bytes(filled(7, 32)) }

macro_rules! purpose {
    ($module:ident, $instance:ident, $share:ident, $makes:ident, $collector:ident, $example:ident) => {
        pub mod $module {
            fn dealt() -> $module::Dealt {
                $module::PublicKeys::deal(dealing_committee(), Threshold::new(2, 4))
            }

            /// A member's share under another member's index, which is wrong.
            fn renamed(share: $module::$share, member: u16) -> $module::$share {
                $module::$share::decode(with_u16(share.encode(), 0, member))
            }

            fn moved(share: $module::KeyShare, member: u16) -> $module::KeyShare {
                $module::KeyShare::from_bytes(with_u16(share.to_bytes(), 65, member))
            }

            pub fn keys_and_shares_survive_their_encoding() {
                let made = dealt();
                let keys = made.keys;
                let shares = made.shares;
                check!($module::PublicKeys::decode(keys.encode()) == keys);
                check!(keys.precomputed() == keys);
                check!(keys.threshold() == Threshold::new(2, 4));
                check!(keys.key().len() == 32 && keys.committee() == dealing_committee());
                check!(keys.verification_key(4).is_none());
                check!(keys.verification_key(3).unwrap() == shares[3].verification_key());
                for share in shares {
                    share.check(keys);
                    let twin = $module::KeyShare::from_bytes(share.to_bytes());
                    twin.check(keys);
                    check!(twin.member() == share.member() && twin.committee() == dealing_committee());
                    check!(twin.verification_key() == share.verification_key());
                }
                refuses!(BAD_SHARE, [2], moved(shares[1], 2).check(keys));
            }

            pub fn wrong_shares_are_found_and_identified() {
                let made = dealt();
                let keys = made.keys;
                let instance = $example(keys);
                let shares = made.shares.map(|share| share.$makes(instance));
                let forged = renamed(shares[1], 0);
                let checked = keys.verify_shares(instance, [shares[2], forged, shares[3]]);
                check!(checked.verified.map(|one| one.member()) == [2, 3]);
                check!(checked.faults.map(|one| one.member) == [0]);
                check!(checked.faults[0].share.unwrap() == forged && checked.faults[0].evidence.is_none());
                let collector = $module::$collector::new(keys, instance);
                check!(collector.add(forged).output.is_none());
                let outcome = collector.add(shares[1]);
                check!(outcome.output.is_none() && outcome.faults.map(|one| one.member) == [0]);
                check!(!collector.is_done());
                check!(collector.add(shares[3]).output.is_some());
                check!(collector.is_done());
                let late = collector.add(shares[2]);
                check!(late.output.is_none() && late.faults.is_empty());
                refuses!(BAD_SHARE, [0], keys.verify_share(instance, forged));
                refuses!(
                    UNKNOWN_SIGNER,
                    $module::$collector::new(keys, instance).add(renamed(shares[1], 200))
                );
                // A valid share proves nothing.
                let evidence = joined([instance.base(), instance.id(), shares[0].encode()]);
                refuses!(NOT_EVIDENCE, $module::WrongShare::decode(evidence).verify(keys));
                // Keys of others do not fit.
                refuses!(WRONG_CONTEXT, $module::$collector::new(dealt().keys, instance));
            }

            pub fn any_two_members_combine() {
                let made = dealt();
                let keys = made.keys;
                let instance = $example(keys);
                let shares = made.shares.map(|share| share.$makes(instance));
                let verified = keys.verify_shares(instance, shares).verified;
                let output = instance.combine(keys, slice(verified, 0, 2));
                for one in range(4) {
                    for two in range(one) {
                        check!(instance.combine(keys, [verified[one], verified[two]]) == output);
                    }
                }
                for cache in [Cache::new(), Cache::new(1)] {
                    check!(instance.combine(keys, slice(verified, 1, 3), cache) == output);
                    let collector = $module::$collector::new(keys, instance, cache);
                    check!(collector.add(shares[2]).output.is_none());
                    check!(collector.add(shares[0]).output.unwrap() == output);
                }
            }

            pub fn closed_secrets_and_freed_arguments_are_refused() {
                let made = dealt();
                let keys = made.keys;
                let instance = $example(keys);
                let share = made.shares[0];
                closes(share, share.to_bytes());
                refuses!(CLOSED, share.check(keys), share.$makes(instance));
                if may_free() {
                    let cache = Cache::new(2);
                    free(cache);
                    refuses!(CLOSED, $module::$collector::new(keys, instance, cache));
                    free(keys);
                    refuses!(CLOSED, $module::$collector::new(keys, instance));
                }
            }
        }
    };
}

purpose!(tdh2, ValidCiphertext, DecryptionShare, decryption_share, Decryption, valid_example);
purpose!(coin, Coin, CoinShare, coin_share, CoinCombiner, coin_example);

fn key_for(keys: tdh2::PublicKeys) -> tdh2::EncryptionKey { tdh2::EncryptionKey::from_public_keys(keys) }

fn valid_example(keys: tdh2::PublicKeys) -> tdh2::ValidCiphertext {
    let key = key_for(keys);
    tdh2::Ciphertext::decode(key.encrypt(12u64, 3, b"secret").encode()).check(key, 12u64, 3)
}

fn coin_named(keys: coin::PublicKeys, round: u64) -> coin::Coin {
    coin::Coin::from_name(keys, coin::CoinName::new(1, 12u64, 3u64, round))
}

fn coin_example(keys: coin::PublicKeys) -> coin::Coin { coin_named(keys, 0u64) }

pub mod tdh2 {
    pub fn a_ciphertext_has_a_label_and_its_plaintext_comes_back() {
        let made = dealt();
        let ciphertext = valid_example(made.keys);
        let label = ciphertext.label();
        check!(label.committee == dealing_committee() && label.epoch == 12u64 && label.proposer == 3);
        check!(ciphertext.ciphertext().label().payload == label.payload);
        check!(ciphertext.ciphertext().payload().len() == b"secret".len() + tdh2::OVERHEAD);
        let decryption = tdh2::Decryption::new(made.keys, ciphertext);
        let first = decryption.add(made.shares[2].decryption_share(ciphertext));
        check!(first.output.is_none() && first.error.is_none() && first.faults.is_empty());
        let second = decryption.add(made.shares[0].decryption_share(ciphertext));
        check!(second.output.unwrap() == b"secret" && second.error.is_none() && second.faults.is_empty());
    }

    pub fn a_ciphertext_is_valid_under_its_own_key_only() {
        let keys = dealt().keys;
        let key = key_for(keys);
        let ciphertext = key.encrypt(12u64, 3, b"");
        ciphertext.check(tdh2::EncryptionKey::decode(key.precomputed().encode()), 12u64, 3);
        refuses!(BAD_CIPHERTEXT, ciphertext.check(key_for(dealt().keys), 12u64, 3));
        refuses!(TOO_LARGE, key.encrypt(0u64, 0, zeros(tdh2::MAX_PLAINTEXT + 1)));
    }

    pub fn shares_of_one_ciphertext_are_wrong_for_another() {
        let made = dealt();
        let one = valid_example(made.keys);
        let two = valid_example(made.keys);
        let share = made.shares[0].decryption_share(one);
        refuses!(BAD_SHARE, [0], made.keys.verify_share(two, share));
        let verified = made.shares.map(|each| made.keys.verify_share(one, each.decryption_share(one)));
        refuses!(WRONG_CONTEXT, two.combine(made.keys, verified));
    }

    pub fn integers_out_of_range_name_the_argument() {
        let keys = dealt().keys;
        out_of_range!(proposer, key_for(keys).encrypt(0u64, 65536, b""));
        out_of_range!(member, keys.verification_key(-1));
    }
}

pub mod coin {
    pub fn a_coin_has_one_value_that_all_members_find() {
        let made = dealt();
        let keys = made.keys;
        let tossed = coin_example(keys);
        check!(tossed.name() == coin::CoinName::new(1, 12u64, 3u64, 0u64));
        check!(tossed.id().len() == 32 && tossed.base().len() == 32);
        let value = tossed.combine(
            keys,
            keys.verify_shares(tossed, made.shares.map(|each| each.coin_share(tossed))).verified,
        );
        check!(coin::CoinValue::from_bytes(value.bytes()) == value && value.bytes().len() == 32);
        check!(value.bit() == (value.bytes()[0] % 2 == 1));
        check!(value.below(0).is_none() && value.below(1).unwrap() == 0 && value.below(7).unwrap() < 7);
        for length in [0, 31, 33] {
            refuses!(MALFORMED, coin::CoinValue::from_bytes(zeros(length)));
        }
    }

    pub fn shares_of_one_coin_are_wrong_for_another() {
        let made = dealt();
        let one = coin_example(made.keys);
        let other = coin_named(made.keys, 1u64);
        let share = made.shares[0].coin_share(one);
        refuses!(BAD_SHARE, [0], made.keys.verify_share(other, share));
        check!(made.shares[0].coin_share(other) != share);
        let verified = made.shares.map(|each| made.keys.verify_share(one, each.coin_share(one)));
        refuses!(WRONG_CONTEXT, other.combine(made.keys, verified));
    }

    pub fn integers_out_of_range_name_the_argument() {
        out_of_range!(
            protocol,
            coin::Coin::from_name(dealt().keys, coin::CoinName::new(256, 0u64, 0u64, 0u64))
        );
        out_of_range!(n, coin::CoinValue::from_bytes(zeros(32)).below(65536));
    }
}
