//! A demonstration of all commands with real processes.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use quorate_support::ports::free_addresses;
use quorate_support::terminal::verdict;
use quorate_support::{errln, outln};
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::common::{Outcome, print_json};

/// Time limit for the start of a party.
const START: Duration = Duration::from_secs(30);
/// Number of bytes of the log that are shown when a party exits unexpectedly.
const LOG_TAIL: usize = 2_000;

/// Start parties as processes on this machine, sign with them, verify with OpenSSL, and clean up.
///
/// Each command is printed, so that you can type it yourself. With --corrupt a party sends invalid shares; it is
/// named, and the evidence is verified. With --kill a party is killed; after its restart it signs the same message
/// again, and no other message under the same presignature.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing demo --corrupt 2 --kill 0")]
pub(super) struct DemoArgs {
    /// Number of parties. Four tolerate one faulty party, seven tolerate two.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(4..=100))]
    parties: u16,

    /// Number of messages to sign.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    messages: u16,

    /// Index of a party, from 0, that sends invalid shares.
    #[arg(long, value_name = "I")]
    corrupt: Option<u16>,

    /// Index of a party, from 0, that is killed and restarted.
    #[arg(long, value_name = "I")]
    kill: Option<u16>,

    /// Keep all files in this new directory. The default is a temporary directory that is removed at the end.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Print one JSON object; the commands are printed to standard error.
    #[arg(long)]
    json: bool,
}

/// Processes and files of a demonstration.
struct Demonstration<'a> {
    options: &'a DemoArgs,
    dir: PathBuf,
    addresses: Vec<String>,
    parties: Vec<Option<Child>>,
    _temporary: Option<tempfile::TempDir>,
}

impl DemoArgs {
    pub(super) async fn run(self) -> Outcome {
        for party in [self.corrupt, self.kill].into_iter().flatten() {
            if party >= self.parties {
                let what = format!("unknown party {party}: expected 0 to {}", self.parties - 1);
                return Err(Failure::with_code(Exit::Setup, "UNKNOWN_PARTY", what));
            }
        }
        if self.corrupt.is_some() && self.corrupt == self.kill {
            return Err(Failure::setup("--corrupt and --kill name the same party; name two different ones"));
        }
        let mut demonstration = Demonstration::open(&self)?;
        // All processes end when `demonstration` is dropped.
        tokio::select! {
            outcome = demonstration.run_all() => outcome,
            _ = tokio::signal::ctrl_c() => {
                Err(Failure::with_code(Exit::Interrupted, "INTERRUPTED", "interrupted; processes and temporary files are removed"))
            }
        }
    }
}

impl<'a> Demonstration<'a> {
    fn open(options: &'a DemoArgs) -> Result<Self, Failure> {
        let (dir, temporary) = match &options.dir {
            Some(dir) => {
                std::fs::create_dir(dir).or_fail(Exit::Setup, format!("making {}", dir.display()))?;
                (dir.clone(), None)
            }
            None => {
                let temporary = tempfile::Builder::new().prefix("threshold-signing-").tempdir();
                let temporary = temporary.or_fail(Exit::Failed, "making a temporary directory")?;
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        let addresses =
            free_addresses(options.parties.into()).or_fail(Exit::Failed, "looking for free ports")?;
        let addresses = addresses.iter().map(ToString::to_string).collect();
        Ok(Self { options, dir, addresses, parties: Vec::new(), _temporary: temporary })
    }

    async fn run_all(&mut self) -> Outcome {
        self.prepare().await?;
        let with_openssl = openssl().await;
        for number in 0..self.options.messages {
            self.sign(number, with_openssl).await?;
        }
        let culprit = match self.options.corrupt {
            Some(party) => Some(self.check_evidence(party).await?),
            None => None,
        };
        if let Some(party) = self.options.kill {
            self.kill(party).await?;
        }
        self.stop().await;
        if self.options.json {
            print_json(&serde_json::json!({ "messages": self.options.messages, "openssl": with_openssl,
                "culprit": culprit, "killed": self.options.kill.map(name) }));
        } else {
            let checked =
                if with_openssl { "verified by OpenSSL" } else { "verified (no openssl on the path)" };
            let plural = if self.options.messages == 1 { "" } else { "s" };
            let summary = format!("{} message{plural} signed, {checked}", self.options.messages);
            outln!("{}", verdict(&summary, true));
        }
        Ok(())
    }

    /// Makes keys, group and deal, and starts a process for each party.
    async fn prepare(&mut self) -> Outcome {
        let mut group = vec!["group", "--name", "demo", "--out", "group.toml", "--faulty"];
        let (faulty, mut public) = (((self.options.parties - 1) / 3).to_string(), Vec::new());
        for (party, address) in (0..).zip(self.addresses.clone()) {
            self.run(&["keys", "--name", &name(party), "--address", &address]).await?;
            public.push(format!("{}.public", name(party)));
        }
        self.run(&["keys", "--name", "client"]).await?;
        group.extend([faulty.as_str(), "client.public"]);
        group.extend(public.iter().map(String::as_str));
        self.run(&group).await?;
        let count = (u32::from(self.options.messages) + 16).to_string();
        self.run(&["deal", "--group", "group.toml", "--out", "dealt", "--count", &count]).await?;
        for party in 0..self.options.parties {
            let child = self.start(party)?;
            self.parties.push(Some(child));
        }
        for party in 0..self.options.parties {
            self.ready(party).await?;
        }
        Ok(())
    }

    async fn sign(&self, number: u16, with_openssl: bool) -> Outcome {
        let (message, out) = (format!("message {number}"), format!("{number}.der"));
        let mut sign = [&SIGN[..], &["--message", &message, "--out", &out]].concat();
        if self.options.corrupt.is_some() {
            sign.push("--check-all");
        }
        self.run(&sign).await?;
        let deal = ["verify", "--deal", "dealt/deal-1.public"];
        self.run(&[&deal[..], &["--signature", &out, "--message", &message]].concat()).await?;
        if with_openssl {
            let file = format!("{number}.txt");
            std::fs::write(self.dir.join(&file), &message).or_fail(Exit::Failed, "writing the message")?;
            let dgst = ["dgst", "-sha256", "-verify", "dealt/key.pem", "-signature", &out, &file];
            self.command("openssl", &dgst, Some(0)).await?;
        }
        Ok(())
    }

    /// Verifies the evidence against a party and returns the party's name.
    async fn check_evidence(&self, party: u16) -> Result<String, Failure> {
        let index = self.options.messages - 1;
        let evidence = format!("{}-1-{index}.evidence", name(party));
        self.run(&[&["check-evidence"][..], &PUBLIC, &[&evidence]].concat()).await?;
        Ok(name(party))
    }

    /// Kills a party, signs without it, restarts it, and asks it for an earlier share and for a contradicting one.
    async fn kill(&mut self, party: u16) -> Outcome {
        let slot = self.parties.get_mut(usize::from(party)).and_then(Option::take);
        if let Some(mut child) = slot {
            self.note(&format!("$ kill -9 {}", child.id().unwrap_or_default()));
            child.kill().await.or_fail(Exit::Failed, "killing a party")?;
        }
        let child = match self.options.corrupt {
            // With one faulty party and one that is down, too few parties are left.
            Some(_) => self.start(party)?,
            None => {
                self.run(&[&SIGN[..], &["--message", "without it"]].concat()).await?;
                self.start(party)?
            }
        };
        if let Some(slot) = self.parties.get_mut(usize::from(party)) {
            *slot = Some(child);
        }
        self.ready(party).await?;
        // `--check-all` waits for all parties, so that the share of this one is checked.
        self.run(&[&SIGN[..], &["--index", "0", "--message", "message 0", "--check-all"]].concat()).await?;
        let contradiction = [&SIGN[..], &["--index", "0", "--message", "another message"]].concat();
        let exit = Some(Exit::BelowQuorum as i32);
        self.command(THIS, &contradiction, exit).await
    }

    fn start(&self, party: u16) -> Result<Child, Failure> {
        let name = name(party);
        let (keys, shares) = (format!("{name}.keys"), format!("dealt/{name}-1.sealed"));
        let own = ["--keys", &keys, "--shares", &shares, "--data", &name];
        let mut arguments = [&["serve"][..], &PUBLIC, &own].concat();
        if self.options.corrupt == Some(party) {
            arguments.extend(["--misbehave", "wrong-shares"]);
        }
        self.note(&format!("$ {THIS} {} &", arguments.join(" ")));
        let log = std::fs::File::create(self.log(party)).or_fail(Exit::Failed, "writing a log")?;
        let mut command = Command::new(executable()?);
        command.args(arguments).arg("--stop-with-stdin").current_dir(&self.dir);
        // The pipe closes when this process ends, and the party exits when the pipe closes.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        command.spawn().or_fail(Exit::Failed, format!("starting {name}"))
    }

    /// Waits until a party accepts connections.
    async fn ready(&mut self, party: u16) -> Outcome {
        let began = Instant::now();
        let address = self.addresses.get(usize::from(party)).cloned().unwrap_or_default();
        while TcpStream::connect(&address).await.is_err() {
            let child = self.parties.get_mut(usize::from(party)).and_then(Option::as_mut);
            let ended = child.and_then(|child| child.try_wait().ok().flatten());
            if ended.is_some() || began.elapsed() > START {
                let log = std::fs::read(self.log(party)).unwrap_or_default();
                let tail = log.get(log.len().saturating_sub(LOG_TAIL)..).unwrap_or_default();
                let tail = String::from_utf8_lossy(tail).into_owned();
                return Err(Failure::failed(format!("{} did not start to serve: {tail}", name(party))));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Stops all parties by closing their standard inputs.
    async fn stop(&mut self) {
        for child in self.parties.iter_mut().flatten() {
            drop(child.stdin.take());
        }
        for mut child in self.parties.drain(..).flatten() {
            if tokio::time::timeout(Duration::from_secs(5), child.wait()).await.is_err() {
                let _ = child.kill().await;
            }
        }
    }

    async fn run(&self, arguments: &[&str]) -> Outcome {
        self.command(THIS, arguments, Some(0)).await
    }

    /// Runs a command, prints its output, and fails unless it exits with the expected code.
    async fn command(&self, program: &str, arguments: &[&str], exit: Option<i32>) -> Outcome {
        let quoted: Vec<String> = arguments
            .iter()
            .map(|word| if word.contains(' ') { format!("{word:?}") } else { (*word).to_owned() })
            .collect();
        self.note(&format!("$ {program} {}", quoted.join(" ")));
        let path = if program == THIS { executable()? } else { program.into() };
        let mut command = Command::new(path);
        command.args(arguments).current_dir(&self.dir).stdin(Stdio::null()).kill_on_drop(true);
        let output = command.output().await.or_fail(Exit::Failed, format!("running {program}"))?;
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            if !text.trim().is_empty() {
                self.note(text.trim_end());
            }
        }
        if output.status.code() == exit {
            return Ok(());
        }
        Err(Failure::failed(format!("`{program} {}` exited with {}", quoted.join(" "), output.status)))
    }

    fn log(&self, party: u16) -> PathBuf {
        self.dir.join(format!("{}.log", name(party)))
    }

    fn note(&self, line: &str) {
        if self.options.json {
            errln!("{line}");
        } else {
            outln!("{line}");
        }
    }
}

/// Name of the program in printed commands.
const THIS: &str = "threshold-signing";
const PUBLIC: [&str; 4] = ["--group", "group.toml", "--deal", "dealt/deal-1.public"];
const SIGN: [&str; 7] =
    ["sign", "--group", "group.toml", "--deal", "dealt/deal-1.public", "--keys", "client.keys"];

fn name(party: u16) -> String {
    format!("party{party}")
}

fn executable() -> Result<PathBuf, Failure> {
    std::env::current_exe().or_fail(Exit::Failed, "finding this program's executable")
}

async fn openssl() -> bool {
    let mut command = Command::new("openssl");
    command.arg("version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().await.is_ok_and(|status| status.success())
}
