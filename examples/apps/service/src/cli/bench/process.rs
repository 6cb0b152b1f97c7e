use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::keys::Key;
use quorate_link::Endpoint;

use super::target::BenchTarget;

/// A server in its own process, which is killed when dropped.
pub(super) struct ServerProcess {
    endpoint: Endpoint,
    child: Child,
}

impl ServerProcess {
    /// Starts a server for the clients with these keys. With a key of its own, in the file `server.key` of the folder, it signs
    /// its answers.
    pub(super) fn start(
        folder: &Path,
        keys: &[Key],
        signs: bool,
        listen: &str,
        sync: &str,
        core: Option<usize>,
        target: BenchTarget,
    ) -> Result<Self, Failure> {
        let config = folder.join("bench.toml");
        let pace = if core.is_some() { "spin" } else { "sleep" };
        let mut text = format!(
            "listen = [\"{listen}\"]\nlog = \"audit.log\"\nrefusals = \"refusals\"\nsync = \"{sync}\"\npace = \"{pace}\"\n\
             accept = [\"none\", \"eddsa\", \"dsig\"]\n"
        );
        if signs {
            text += "key = \"server.key\"\n";
        }
        for (number, key) in keys.iter().enumerate() {
            let public = hex::encode(key.public()?.as_bytes());
            text += &format!("[[client]]\nname = \"bench-{number}\"\nkey = \"{public}\"\n");
        }
        std::fs::write(&config, text).or_fail(Exit::Failed, config.display())?;
        let mut command = Command::new(std::env::current_exe().or_fail(Exit::Failed, "this program")?);
        command
            .args(["serve", "--json", "--config"])
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        if let Some(core) = core {
            command.args(["--core", &core.to_string()]);
        }
        if target == BenchTarget::Plain {
            command.arg("--plain");
        }
        command.args(["--eddsa", target.library().name()]);
        let mut child = command.spawn().or_fail(Exit::Failed, "starting the server")?;
        let (output, mut line) = (child.stdout.take(), String::new());
        let mut server = Self { endpoint: Endpoint::Tcp(String::new()), child };
        if let Some(output) = output {
            BufReader::new(output).read_line(&mut line).or_fail(Exit::Failed, "the server")?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let address = said.pointer("/listen/0").and_then(serde_json::Value::as_str);
        let address = address.ok_or_else(|| Failure::failed("the server did not start"))?;
        server.endpoint = address.parse().map_err(Failure::failed)?;
        Ok(server)
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
