//! Checks of the machine: open files, addresses, clock.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

use quorate_node::NodeError;
use quorate_node::config::NodeConfig;
use quorate_node::descriptors;
use quorate_node::links::LinkListener;

use super::finding::Finding;

/// Shortest time over which the clocks are compared.
const CLOCK_TIME: Duration = Duration::from_millis(200);
/// Difference of the clocks in that time that a correction by slewing does not explain.
const MAX_STEP: Duration = Duration::from_millis(50);
/// A time before the first version of this program: 1 January 2025.
const PAST: Duration = Duration::from_secs(1_735_689_600);

/// Checks the limit of open files, which is that of this process.
pub(super) fn open_files(config: &NodeConfig, members: usize) -> Finding {
    let wanted = config.clients.max_connections as u64;
    match descriptors::fitting_clients(config, members) {
        Err(error) => Finding::error("open files", &error),
        Ok(fits) if fits < wanted => Finding::warning(
            "open files",
            format!("the limit leaves {fits} of {wanted} connections to HTTP and to streams each"),
            "raise the hard limit (LimitNOFILE= in a systemd unit, --ulimit nofile= of a container)",
        ),
        Ok(_) => Finding::ok("open files", "enough for all connections"),
    }
}

/// Checks that each listen address is free, or held by the running validator.
pub(super) async fn addresses(
    config: &NodeConfig,
    own: Option<&str>,
    is_running: bool,
    findings: &mut Vec<Finding>,
) {
    let links = LinkListener::open(&config.links, own).await.map(|listener| listener.address().to_string());
    findings.push(match links {
        Err(NodeError::Bind { address, source }) => taken("links", &address, &source, is_running),
        Err(error) => Finding::error("links address", &error),
        Ok(address) => free("links", &address, is_running),
    });
    for (name, address) in [("http", &config.clients.http), ("stream", &config.clients.stream)] {
        if !address.is_empty() {
            findings.push(match TcpListener::bind(address) {
                Err(source) => taken(name, address, &source, is_running),
                Ok(_) => free(name, address, is_running),
            });
        }
    }
}

fn taken(name: &str, address: &str, source: &std::io::Error, is_running: bool) -> Finding {
    let check = format!("{name} address");
    if is_running && source.kind() == ErrorKind::AddrInUse {
        return Finding::ok(check, format!("{address} is in use, as by the running validator"));
    }
    let remedy = "stop the process that uses it (`ss -ltnp`), or configure an address of this machine";
    Finding::failed(check, format!("cannot listen on {address}: {source}"), remedy)
}

fn free(name: &str, address: &str, is_running: bool) -> Finding {
    let check = format!("{name} address");
    if is_running {
        let remedy = "restart the validator if its configuration has changed";
        return Finding::warning(
            check,
            format!("the running validator does not listen on {address}"),
            remedy,
        );
    }
    Finding::ok(check, format!("{address} is free"))
}

/// Compares the system's clock with the monotonic one while other checks run.
pub(super) struct Clock {
    system: SystemTime,
    monotonic: Instant,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { system: SystemTime::now(), monotonic: Instant::now() }
    }

    pub(super) async fn check(self) -> Finding {
        tokio::time::sleep(CLOCK_TIME.saturating_sub(self.monotonic.elapsed())).await;
        let (system, monotonic) = (self.system.elapsed(), self.monotonic.elapsed());
        let steps = system.map_or(true, |system| system.abs_diff(monotonic) > MAX_STEP);
        let is_past = self.system.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| now < PAST);
        let remedy = "run an NTP client that slews, and restart the validator after a correction";
        if is_past {
            Finding::failed("clock", "it shows a time before 2025", remedy)
        } else if steps {
            Finding::warning("clock", "it was set during this check", remedy)
        } else {
            Finding::ok("clock", "it advances evenly")
        }
    }
}
