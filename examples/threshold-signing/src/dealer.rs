//! The trusted dealer: it knows the key while it deals, and whoever has its key file knows it for ever.
//!
//! Deal offline. Without a key file the key is forgotten as soon as the shares are sealed, and the group can sign as often as
//! presignatures were dealt. With one, further epochs can be dealt later; the file says which was the last, **before** that
//! epoch's shares are written: two presignatures of one tag would not combine.
//!
//! ```text
//! threshold-signing-dealer 1
//! secret <64 hexadecimal digits>
//! last-epoch 3
//! ```

use std::fs;
use std::path::Path;

use getrandom::SysRng;
use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{Plan, TrustedDealer};
use quorate_node::keys::{load_private, save_private};
use zeroize::{Zeroize, Zeroizing};

use crate::deal::{PublicDeal, context, sync_parent};
use crate::failure::{Doing, Failure};
use crate::group::Group;
use crate::keys::secret;

const FIRST_LINE: &str = "threshold-signing-dealer 1";

/// What was dealt: the public part, and for each party, in order, what only it can open.
pub struct Dealt {
    /// For everybody.
    pub public: PublicDeal,
    /// For each party.
    pub sealed: Vec<Vec<u8>>,
}

/// Deals to a group. With a key file, the next epoch of its key; the file is made if it is not there.
///
/// # Errors
/// If the key file cannot be used, or the disk fails.
pub fn deal(group: &Group, count: u32, key_file: Option<&Path>) -> Result<Dealt, Failure> {
    let committee = group.committee.id();
    let (dealer, epoch) = match key_file {
        Some(path) if path.exists() => {
            let (secret, last) = load(path)?;
            let dealer = TrustedDealer::<Secp256k1>::from_bytes(committee, group.tolerance, &secret)
                .reading(format!("dealer's key file {}", path.display()))?;
            let epoch = last.checked_add(1).ok_or_else(|| Failure::setup("no epoch is left"))?;
            (dealer, epoch)
        }
        _ => (TrustedDealer::new(committee, group.tolerance, &mut SysRng)?, 1),
    };
    if let Some(path) = key_file {
        save(path, &dealer.to_bytes(), epoch)?;
    }
    let hands = dealer.deal(epoch, Plan::Unagreed { count }, &mut SysRng)?;
    drop(dealer);
    let public = PublicDeal::of(hands.first().ok_or_else(|| Failure::failed("no parties"))?)?;
    let seal =
        |(hand, party): (&quorate::threshold::ecdsa::Presignatures<Secp256k1>, &crate::group::Party)| {
            party.sealing.seal(&context(hand.deal(), hand.member()), &hand.to_bytes()?, &mut SysRng)
        };
    let sealed = hands.iter().zip(&group.parties).map(seal).collect::<quorate::Result<_>>()?;
    Ok(Dealt { public, sealed })
}

fn load(path: &Path) -> Result<(Zeroizing<[u8; 32]>, u64), Failure> {
    let text = load_private(path)?;
    let wrong = || Failure::setup(format!("{} is no dealer's key file; check the path", path.display()));
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let version = field("threshold-signing-dealer");
    let (digits, epoch) = (field("secret"), field("last-epoch"));
    let (Some("1"), Some(digits), Some(epoch), None) = (version, digits, epoch, lines.next()) else {
        return Err(wrong());
    };
    let secret = secret("secret", digits).map_err(|_| wrong())?;
    Ok((secret, epoch.parse().map_err(|_| wrong())?))
}

/// Writes the file anew: after a crash it is the old one or the new one.
fn save(path: &Path, secret: &[u8; 32], epoch: u64) -> Result<(), Failure> {
    let mut digits = hex::encode(secret);
    let mut text = Zeroizing::new(String::with_capacity(512));
    for part in [
        "# The secret key itself. Whoever has this file can sign alone, for ever.\n",
        FIRST_LINE,
        "\nsecret ",
        &digits,
        "\nlast-epoch ",
        &epoch.to_string(),
        "\n",
    ] {
        text.push_str(part);
    }
    digits.zeroize();
    let temporary = path.with_extension("new");
    // What a crash left of an earlier attempt.
    let _ = fs::remove_file(&temporary);
    save_private(&temporary, &text)?;
    fs::rename(&temporary, path).and_then(|()| sync_parent(path)).doing(format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, Role};

    #[test]
    fn a_key_file_deals_each_epoch_once_under_one_key_and_no_key_file_keeps_nothing() {
        let parties: String = (0..4)
            .map(|i| {
                let keys = Keys::generate(&format!("p{i}"), true).unwrap();
                keys.section(Role::Party { address: "127.0.0.1:1" }).unwrap()
            })
            .collect();
        let group = Group::parse(&format!("name = \"g\"\nfaulty = 1\n{parties}")).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dealer.key");
        let epochs = [(); 3].map(|()| deal(&group, 1, Some(&path)).unwrap().public);
        assert_eq!(epochs.each_ref().map(|public| public.deal.epoch()), [1, 2, 3]);
        assert!(epochs.iter().all(|public| public.key == epochs[0].key));
        let forgotten = [(); 2].map(|()| deal(&group, 1, None).unwrap());
        assert_ne!(forgotten[0].public.key, forgotten[1].public.key);
        assert_eq!(forgotten[0].sealed.len(), 4);
        for damaged in ["", "threshold-signing-dealer 1\nsecret 12\nlast-epoch 1\n"] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(deal(&group, 1, Some(&path)).err().unwrap().code, "SETUP");
        }
    }
}
