use std::fs;
use std::path::PathBuf;

use quorate::threshold::ecdsa::Plan;
use quorate::wire::Encode;
use quorate_support::outln;
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use quorate_threshold_signing::files::write_new;
use quorate_threshold_signing::group::Group;
use quorate_threshold_signing::{dealer, der};

use super::common::{Outcome, print_json};

/// Make a key and deal presignatures of it. THE DEALER KNOWS THE KEY while it deals.
///
/// Run it offline, on a machine that all parties trust, and wipe that machine. Each presignature signs one message;
/// when all are spent, the group cannot sign any more. Unless --key stores the key, no further epoch can be dealt,
/// and the next group has another key.
///
/// Each party gets a file that only it can open. All parties and requesters get the public deal file, and compare
/// the id that is printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing deal --group group.toml --out dealt                     once, the key is discarded
  threshold-signing deal --group group.toml --out dealt --key dealer.key    the first epoch, and each further one")]
pub(super) struct DealArgs {
    /// The group file.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The directory to write into. It is created if necessary, and no file in it is overwritten.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Number of presignatures: the number of messages that can be signed.
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(Plan::MAX_COUNT)))]
    count: u32,

    /// The dealer's key file, for further epochs; created if it does not exist. ANY HOLDER OF IT CAN SIGN WITHOUT
    /// THE GROUP.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl DealArgs {
    pub(super) fn run(&self) -> Outcome {
        let group = Group::load(&self.group)?;
        fs::create_dir_all(&self.out).or_fail(Exit::Setup, format!("making {}", self.out.display()))?;
        let dealt = dealer::deal(&group, self.count, self.key.as_deref())?;
        let (public, epoch) = (&dealt.public, dealt.public.deal.epoch());
        let path = self.out.join(format!("deal-{epoch}.public"));
        if path.exists() {
            let what = format!("{} exists and is not overwritten; name another directory", path.display());
            return Err(Failure::setup(what));
        }
        let mut shares = Vec::new();
        for (party, sealed) in group.parties.iter().zip(&dealt.sealed) {
            let path = self.out.join(format!("{}-{epoch}.sealed", party.name));
            write_new(&path, true, sealed)?;
            shares.push(path);
        }
        let (pem, text) = (self.out.join("key.pem"), der::public_key_pem(&public.key)?);
        if fs::read_to_string(&pem).ok().as_ref() != Some(&text) {
            write_new(&pem, false, text.as_bytes())?;
        }
        // The deal file is written last, so that a directory that contains it is complete.
        write_new(&path, false, &public.encode())?;
        let (key, id) = (hex::encode(public.key.id().0), hex::encode(public.deal.id()));
        if self.json {
            print_json(
                &serde_json::json!({ "deal": path, "id": id, "epoch": epoch, "count": self.count, "key": key,
                "pem": pem, "shares": shares, "needed": public.needed() }),
            );
        } else {
            outln!("deal:   {}\nid:     {id}", path.display());
            outln!("key:    {} ({key})", pem.display());
            shares.iter().for_each(|path| outln!("shares: {}", path.display()));
            let parties = group.parties.len();
            outln!("{} of {parties} parties sign, {} messages in epoch {epoch}", public.needed(), self.count);
        }
        Ok(())
    }
}
