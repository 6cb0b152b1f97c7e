//! A chain with one process per validator.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use quorate_support::ports::free_address;
use serde_json::{Value, json};

use super::{Running, Sandbox, eventually};

/// A chain with one process per validator.
pub struct Chain {
    pub sandbox: Sandbox,
    running: Vec<(&'static str, Running)>,
}

pub const FOUNDERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

impl Chain {
    /// A chain of the four founders.
    pub fn new(protocol: &str) -> Self {
        let chain = Self { sandbox: Sandbox::new(), running: Vec::new() };
        let mut arguments = vec!["genesis".to_owned(), "--chain".into(), "test".into()];
        arguments.extend(["--protocol".into(), protocol.into()]);
        let is_dealt = protocol == "abft";
        if is_dealt {
            arguments.extend(["--shares".into(), "shares".into()]);
        }
        for name in FOUNDERS {
            chain.keys(name);
            let shares =
                if is_dealt { format!("shares = '../shares/{name}.shares'\n") } else { String::new() };
            chain.configure(name, &shares);
            arguments.push(format!("{name}/public.toml"));
        }
        chain.sandbox.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        chain
    }

    pub fn keys(&self, name: &str) {
        let address = free_address().unwrap().to_string();
        self.sandbox.ok(&["keygen", "--name", name, "--address", &address, "--out", name]);
    }

    /// Writes a configuration with unique addresses, an empty data directory, and extra lines under `[node]`.
    pub fn configure(&self, name: &str, more: &str) {
        let (http, stream) = (free_address().unwrap(), free_address().unwrap());
        let public = self.sandbox.read(&format!("{name}/public.toml"));
        let address = public.lines().find_map(|line| line.strip_prefix("address = ")).unwrap();
        let config = format!(
            "[node]\ngenesis = '../genesis.toml'\nkeys = 'keys'\ndata = 'data'\n{more}\
             [links]\nlisten = {address}\n\
             [clients]\nhttp = '{http}'\nstream = '{stream}'\n"
        );
        self.sandbox.write(&format!("{name}/config.toml"), config);
    }

    pub fn start(&mut self, name: &'static str) {
        self.start_with(name, |_| {});
    }

    /// Starts a validator with a changed command, such as other variables of its environment.
    pub fn start_with(&mut self, name: &'static str, change: impl FnOnce(&mut Command)) {
        let path = self.sandbox.path(&format!("{name}/log.txt"));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        let mut command = self.sandbox.command(&["run", "--config", &format!("{name}/config.toml")]);
        if !self.sandbox.path(&format!("{name}/data")).exists() {
            command.arg("--new-validator");
        }
        command.stdout(std::process::Stdio::null()).stderr(log);
        change(&mut command);
        self.running.push((name, Running { child: command.spawn().unwrap() }));
    }

    pub fn process(&mut self, name: &str) -> &mut Running {
        &mut self.running.iter_mut().find(|(running, _)| *running == name).unwrap().1
    }

    /// Kills the validator with SIGKILL.
    pub fn kill(&mut self, name: &str) {
        let process = self.process(name);
        process.signal("KILL");
        assert_eq!(process.child.wait().unwrap().signal(), Some(9), "the process was running");
        self.running.retain(|(running, _)| *running != name);
    }

    /// Kills the validator if it still runs.
    pub fn stop(&mut self, name: &str) {
        self.running.retain(|(running, _)| *running != name);
    }

    /// Waits for the process to end, and returns its exit code and its log.
    pub fn wait_for_exit(&mut self, name: &str) -> (Option<i32>, String) {
        let mut code = None;
        eventually("the process exits", || {
            let ended = self.process(name).child.try_wait().unwrap();
            code = ended.and_then(|status| status.code());
            ended.is_some()
        });
        self.running.retain(|(running, _)| *running != name);
        (code, self.sandbox.read(&format!("{name}/log.txt")))
    }

    pub fn node(&self, name: &str) -> String {
        format!("http://{}", self.address(name, "http"))
    }

    /// Address of the submission stream.
    pub fn stream(&self, name: &str) -> String {
        self.address(name, "stream")
    }

    fn address(&self, name: &str, field: &str) -> String {
        let config = self.sandbox.read(&format!("{name}/config.toml"));
        let line = config.lines().find(|line| line.starts_with(field)).unwrap();
        line.split('\'').nth(1).unwrap().to_owned()
    }

    /// Adds the arguments for the validator and the genesis file.
    pub fn ask(&self, name: &str, arguments: &[&str]) -> Vec<String> {
        let target = ["--node".to_owned(), self.node(name), "--genesis".into(), "genesis.toml".into()];
        arguments.iter().map(|argument| (*argument).to_owned()).chain(target).collect()
    }

    pub fn ok(&self, name: &str, arguments: &[&str]) -> String {
        let arguments = self.ask(name, arguments);
        self.sandbox.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub fn fails(&self, code: i32, expected: &str, name: &str, arguments: &[&str]) {
        let arguments = self.ask(name, arguments);
        self.sandbox.fails(code, expected, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    }

    pub fn status(&self, name: &str) -> Option<Value> {
        let done = self.sandbox.run(&["status", "--json", "--node", &self.node(name)]);
        let list: Value = serde_json::from_str(&done.stdout).ok()?;
        Some(list[0].clone()).filter(|status| status["height"].is_u64())
    }

    /// Waits until the validator is a member of the epoch.
    pub fn wait_for_membership(&self, name: &str, epoch: u64) {
        eventually(&format!("{name} as a member of epoch {epoch}"), || {
            self.status(name).is_some_and(|status| {
                status["epoch"] == json!(epoch) && status["me"].is_u64() && status["syncing"] == json!(false)
            })
        });
    }

    /// Submits a transaction through this validator, and verifies the proof of its commit.
    pub fn commit(&self, name: &str, text: &str) -> String {
        let id = self.ok(name, &["submit", "--wait=120", text]);
        id.trim().to_owned()
    }

    /// Waits until all running validators have the same newest block, and compares their states.
    pub fn compare_states(&self) {
        let mut roots = Vec::new();
        eventually("all validators report one height", || {
            let all: Option<Vec<Value>> = self.running.iter().map(|(name, _)| self.status(name)).collect();
            let Some(all) = all else { return false };
            roots = all
                .iter()
                .map(|status| (status["executed_height"].clone(), status["state_root"].clone()))
                .collect();
            roots.iter().all(|(height, _)| *height == roots[0].0)
        });
        assert!(roots.iter().all(|(_, root)| root.is_string() && *root == roots[0].1), "{roots:?}");
    }
}
