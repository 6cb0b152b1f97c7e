use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_audit::cli::{AuditArgs, Outcome, Verdicts};
use quorate_audit::clients::KnownClient;
use quorate_audit::keys::public_key;
use quorate_exchange::EXCHANGE;
use quorate_exchange::judge::judge;

/// Verifies a log offline: signatures, hashes and order of its entries, and by a replay of the book that every answer follows
/// from the rules.
///
/// Names each entry that was altered, removed, moved or forged, and the first order that was matched unfairly, dropped or
/// reordered. The replay ends before the first entry from which on the log may differ from what the exchange executed, such as an
/// altered one, but not at a reused key, a wrong clock or an unknown trader. Needs only the log and the public keys; get the keys
/// from a trusted source, not from the source of the log. Keep the head that is printed: with `--head` the next audit detects that
/// the end of the log was removed.
#[derive(Debug, Args)]
pub(super) struct BookAuditArgs {
    #[command(flatten)]
    log: AuditArgs,
    /// The public key of the exchange.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    exchange: PublicKey,
}

impl BookAuditArgs {
    pub(super) fn run(&self) -> Outcome {
        let exchange = KnownClient { name: "exchange (receipts)".to_owned(), key: self.exchange.clone() };
        let verdicts = Verdicts {
            intact: "the log is intact, each entry is signed, and each answer follows from the rules of the book",
            faulty: "the log differs from what was signed, or an answer from the rules of the book",
        };
        self.log.run_with(&EXCHANGE, Some(exchange), &verdicts, |log, report| {
            if let Some(finding) = judge(log, self.exchange.as_bytes(), report.damaged_at)? {
                report.add(finding);
            }
            Ok(())
        })
    }
}
