//! All of it at once, with real processes. Every step is a command that could be typed.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use quorate_support::ports::free_addresses;
use quorate_support::terminal::verdict;
use quorate_support::{say, tell};
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::common::{Outcome, print_json};

/// How long a party may take until it serves.
const START: Duration = Duration::from_secs(30);
/// How much of a log is shown when a party ended by itself.
const LOG_TAIL: usize = 2_000;

/// Make parties as processes on this machine, sign with them, have OpenSSL verify, and clean up.
///
/// Every command that it runs is printed, so that you can type them yourself. With --corrupt a party sends wrong shares: it
/// is named, with evidence that is checked. With --kill a party is killed, signs the same message again after its restart,
/// and never another one under the same presignature.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing demo --corrupt 2 --kill 0")]
pub(super) struct DemoArgs {
    /// How many parties. Four bear one that lies or is down, seven bear two.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(4..=100))]
    parties: u16,

    /// How many messages are signed.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    messages: u16,

    /// This party, from 0, sends wrong shares.
    #[arg(long, value_name = "I")]
    corrupt: Option<u16>,

    /// This party, from 0, is killed and comes back.
    #[arg(long, value_name = "I")]
    kill: Option<u16>,

    /// Keep everything in this directory, which must be new. Without it a temporary one is removed at the end.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Print one JSON object; the commands go to standard error.
    #[arg(long)]
    json: bool,
}

/// What is at work.
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
                let what = format!("there is no party {party}; the last one is {}", self.parties - 1);
                return Err(Failure::with_code(Exit::Setup, "UNKNOWN_PARTY", what));
            }
        }
        if self.corrupt.is_some() && self.corrupt == self.kill {
            return Err(Failure::setup("--corrupt and --kill name the same party; name two"));
        }
        let mut stage = Demonstration::open(&self)?;
        // What runs ends with the stage, whichever way this ends.
        tokio::select! {
            outcome = stage.play() => outcome,
            _ = tokio::signal::ctrl_c() => {
                Err(Failure::with_code(Exit::Interrupted, "INTERRUPTED", "stopped; everything is cleaned up"))
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

    async fn play(&mut self) -> Outcome {
        self.prepare().await?;
        let with_openssl = openssl().await;
        for number in 0..self.options.messages {
            self.sign(number, with_openssl).await?;
        }
        let culprit = match self.options.corrupt {
            Some(party) => Some(self.accuse(party).await?),
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
            let says = format!("{} message{plural} signed, {checked}", self.options.messages);
            say!("{}", verdict(&says, true));
        }
        Ok(())
    }

    /// Keys, group, deal, and a process for each party.
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

    /// Has the evidence against a party judged.
    async fn accuse(&self, party: u16) -> Result<String, Failure> {
        let index = self.options.messages - 1;
        let evidence = format!("{}-1-{index}.evidence", name(party));
        self.run(&[&["check-evidence"][..], &PUBLIC, &[&evidence]].concat()).await?;
        Ok(name(party))
    }

    /// Kills a party, signs without it, and asks it after its restart for what it had signed, and for something else.
    async fn kill(&mut self, party: u16) -> Outcome {
        let slot = self.parties.get_mut(usize::from(party)).and_then(Option::take);
        if let Some(mut child) = slot {
            self.note(&format!("$ kill -9 {}", child.id().unwrap_or_default()));
            child.kill().await.or_fail(Exit::Failed, "killing a party")?;
        }
        let child = match self.options.corrupt {
            // With one that lies and one that is down, too few are left.
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
        // All are waited for, so that its share is among those that are checked.
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
        // The pipe ends with this process, however it ends, and the party with the pipe.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        command.spawn().or_fail(Exit::Failed, format!("starting {name}"))
    }

    /// Waits until a party takes connections.
    async fn ready(&mut self, party: u16) -> Outcome {
        let began = Instant::now();
        let address = self.addresses.get(usize::from(party)).cloned().unwrap_or_default();
        while TcpStream::connect(&address).await.is_err() {
            let child = self.parties.get_mut(usize::from(party)).and_then(Option::as_mut);
            let ended = child.and_then(|child| child.try_wait().ok().flatten());
            if ended.is_some() || began.elapsed() > START {
                let log = std::fs::read(self.log(party)).unwrap_or_default();
                let tail = log.get(log.len().saturating_sub(LOG_TAIL)..).unwrap_or_default();
                let said = String::from_utf8_lossy(tail).into_owned();
                return Err(Failure::failed(format!("{} does not serve: {said}", name(party))));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Ends all parties in order, by closing their standard inputs.
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

    /// Runs a command, shows what it prints, and fails unless it ends as it should.
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
        Err(Failure::failed(format!("`{program} {}` ended with {}", quoted.join(" "), output.status)))
    }

    fn log(&self, party: u16) -> PathBuf {
        self.dir.join(format!("{}.log", name(party)))
    }

    fn note(&self, line: &str) {
        if self.options.json {
            tell!("{line}");
        } else {
            say!("{line}");
        }
    }
}

/// What the program is called where it is shown.
const THIS: &str = "threshold-signing";
const PUBLIC: [&str; 4] = ["--group", "group.toml", "--deal", "dealt/deal-1.public"];
const SIGN: [&str; 7] =
    ["sign", "--group", "group.toml", "--deal", "dealt/deal-1.public", "--keys", "client.keys"];

fn name(party: u16) -> String {
    format!("party{party}")
}

fn executable() -> Result<PathBuf, Failure> {
    std::env::current_exe().or_fail(Exit::Failed, "finding this program's own file")
}

async fn openssl() -> bool {
    let mut command = Command::new("openssl");
    command.arg("version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().await.is_ok_and(|status| status.success())
}
