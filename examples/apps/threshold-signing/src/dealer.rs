//! The trusted dealer. It knows the key while it deals, and its key file reveals the key to any reader.
//!
//! Deal offline. Without a key file the dealer discards the key when the shares are sealed, and the group can sign
//! as many messages as there are presignatures. With a key file it can deal further epochs later. The file records
//! an epoch **before** the shares of that epoch are written: shares of two deals of one epoch would not combine.
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
use quorate::threshold::ecdsa::{Plan, Presignatures, TrustedDealer};
use quorate_node::keys::{load_private, save_private};
use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing};

use crate::deal::{PublicDeal, context};
use crate::failure::{Exit, Failure, OrFail};
use crate::files::sync_parent;
use crate::group::Group;
use crate::text::secret;

const FIRST_LINE: &str = "threshold-signing-dealer 1";

/// Output of the dealer: the public part and the sealed part of each party.
pub struct DealOutput {
    /// Public part, for all parties and requesters.
    pub public: PublicDeal,
    /// Sealed part of each party, by index.
    pub sealed: Vec<Vec<u8>>,
}

/// The dealer's key file. The secret is wiped when dropped and cannot be printed.
pub struct DealerKeyFile {
    secret: Zeroizing<[u8; 32]>,
    last_epoch: u64,
}

/// Deals to a group. With a key file, deals the next epoch of its key; creates the file if it does not exist.
///
/// # Errors
/// If the key file cannot be used, or the disk fails.
pub fn deal(group: &Group, count: u32, key_file: Option<&Path>) -> Result<DealOutput, Failure> {
    let committee = group.committee.id();
    let (dealer, epoch) = match key_file {
        Some(path) if path.exists() => {
            let DealerKeyFile { secret, last_epoch } = DealerKeyFile::load(path)?;
            let dealer = TrustedDealer::<Secp256k1>::from_bytes(committee, group.tolerance, &secret)
                .or_fail(Exit::Setup, format!("dealer's key file {}", path.display()))?;
            let epoch = last_epoch
                .checked_add(1)
                .ok_or_else(|| Failure::setup("no epoch is left under this key; deal a new key"))?;
            (dealer, epoch)
        }
        _ => (TrustedDealer::new(committee, group.tolerance, &mut SysRng)?, 1),
    };
    if let Some(path) = key_file {
        DealerKeyFile { secret: dealer.to_bytes(), last_epoch: epoch }.save(path)?;
    }
    let all_presignatures = dealer.deal(epoch, Plan::Unagreed { count }, &mut SysRng)?;
    drop(dealer);
    seal(group, &all_presignatures, &mut SysRng)
}

/// Seals each party's presignatures to the party's key.
///
/// # Errors
/// If `all_presignatures` is empty, or the random generator fails.
pub fn seal<R: TryCryptoRng>(
    group: &Group,
    all_presignatures: &[Presignatures<Secp256k1>],
    rng: &mut R,
) -> Result<DealOutput, Failure> {
    let public = PublicDeal::from_shares(all_presignatures.first().ok_or_else(|| {
        Failure::failed("nothing was dealt: expected the presignatures of at least one party")
    })?)?;
    let sealed = all_presignatures.iter().zip(&group.parties).map(|(presignatures, party)| {
        party.sealing.seal(
            &context(presignatures.deal(), presignatures.member()),
            &presignatures.to_bytes()?,
            rng,
        )
    });
    let sealed = sealed.collect::<quorate::Result<_>>()?;
    Ok(DealOutput { public, sealed })
}

impl DealerKeyFile {
    /// Returns the last epoch that was dealt, completely or in part.
    pub fn last_epoch(&self) -> u64 {
        self.last_epoch
    }

    /// Encodes the file.
    pub fn text(&self) -> Zeroizing<String> {
        let mut digits = hex::encode(self.secret.as_slice());
        let mut text = Zeroizing::new(String::with_capacity(512));
        for part in [
            "# The secret key of the group. Any holder of this file can sign without the parties.\n",
            FIRST_LINE,
            "\nsecret ",
            &digits,
            "\nlast-epoch ",
            &self.last_epoch.to_string(),
            "\n",
        ] {
            text.push_str(part);
        }
        digits.zeroize();
        text
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// A message with the problem and its remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        if lines.next() != Some(FIRST_LINE) {
            return Err(format!("the first line is not `{FIRST_LINE}`; check the path"));
        }
        let mut field = |name: &str| {
            let value = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.ok_or_else(|| format!("the line `{name} …` is missing; restore the file from its copy"))
        };
        let secret = secret("secret", field("secret")?)?;
        let stated = field("last-epoch")?;
        // A number has one encoding: a number misread as a smaller one would deal an epoch twice.
        let last_epoch = stated.parse().ok().filter(|epoch: &u64| epoch.to_string() == stated);
        let last_epoch = last_epoch.ok_or("`last-epoch` is not a number; restore the file from its copy")?;
        match lines.next() {
            None => Ok(Self { secret, last_epoch }),
            Some(_) => Err("the file has additional lines; restore it from its copy".into()),
        }
    }

    fn load(path: &Path) -> Result<Self, Failure> {
        let text = load_private(path)?;
        Self::parse(&text).or_fail(Exit::Setup, format!("dealer's key file {}", path.display()))
    }

    /// Replaces the file. After a crash the path holds the old file or the new one.
    fn save(&self, path: &Path) -> Result<(), Failure> {
        let temporary = path.with_extension("new");
        // A crash can leave the temporary file of an earlier attempt.
        let _ = fs::remove_file(&temporary);
        save_private(&temporary, &self.text())?;
        let renamed = fs::rename(&temporary, path).and_then(|()| sync_parent(path));
        renamed.or_fail(Exit::Failed, format!("writing {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, Role};

    #[test]
    fn key_file_round_trips_and_a_damaged_one_is_refused() {
        let text = DealerKeyFile { secret: Zeroizing::new([5; 32]), last_epoch: 3 }.text();
        assert_eq!(DealerKeyFile::parse(&text).unwrap().text(), text);
        for damaged in [
            String::new(),
            text.replace("dealer 1", "dealer 2"),
            text.replace("05\n", "\n"),
            text.replace("secret", "secrets"),
            text.replace("epoch 3", "epoch +3"),
            text.replace("epoch 3", "epoch 03"),
            text.replace("epoch 3", "epoch 18446744073709551616"),
            text.replace("last-epoch 3\n", ""),
            format!("{}more\n", *text),
        ] {
            assert!(DealerKeyFile::parse(&damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn a_key_file_deals_each_epoch_once_under_one_key() {
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
