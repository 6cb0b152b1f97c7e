use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use quorate_audit::cli::Outcome;
use quorate_audit::eddsa::EddsaLibrary;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_support::{errln, outln};

use crate::Engine;
use crate::config::Config;
use crate::server::Server;

/// Runs the server: verifies signed requests, logs them, executes them in memory, and answers.
///
/// A start executes the log again to restore the store. Ctrl-C stops the server. After a crash, start it again: it finds the
/// end of its log.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Starts with a log that is damaged from this byte on, as the error message says, and moves the rest to another file.
    #[arg(long, value_name = "OFFSET")]
    put_aside: Option<u64>,
    /// Pins the server to a core.
    #[arg(long, value_name = "NUMBER")]
    core: Option<usize>,
    /// Executes requests without signatures and without a log, which must be empty. For measurements only.
    #[arg(long)]
    plain: bool,
    /// Library that verifies EdDSA: dalek, or sodium for measurements.
    #[arg(long, value_name = "LIBRARY", default_value_t)]
    eddsa: EddsaLibrary,
    /// Prints JSON when it is ready.
    #[arg(long)]
    json: bool,
}

/// Returns the text that the help of the command ends with: an example of a configuration.
pub fn serve_help(example: &str) -> String {
    format!("The configuration file, in TOML; paths are relative to its folder:\n\n{example}")
}

impl ServeArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run<E: Engine>(&self) -> Outcome {
        let (put_aside, plain, library) = (self.put_aside, self.plain, self.eddsa);
        let config = Config { put_aside, plain, library, ..Config::load(&self.config)? };
        // The threads that are started later inherit the core.
        if let Some(core) = self.core {
            quorate_support::pinning::pin(core)
                .or_fail(Exit::Input, format_args!("pinning to core {core}"))?;
        }
        let server = Server::<E>::start(&config)?;
        let recovered = server.recovered();
        if let Some((offset, bytes, aside)) = &recovered.torn {
            errln!(
                "{}: {} of {bytes} bytes from byte {offset} on was moved to {}",
                config.log.display(),
                match self.put_aside {
                    None => "a torn tail, of requests that were never executed,",
                    Some(_) => "the part to put aside,",
                },
                aside.display()
            );
        }
        // Installed before readiness is reported: the parent may stop the server immediately.
        let stop = interrupted()?;
        let endpoints: Vec<_> = server.endpoints()?.iter().map(ToString::to_string).collect();
        let store = hex::encode(server.store());
        if self.json {
            let torn = recovered.torn.as_ref().map(|(offset, bytes, aside)| {
                serde_json::json!({ "offset": offset, "bytes": bytes, "file": aside })
            });
            outln!(
                "{}",
                serde_json::json!({
                    "listen": endpoints, "store": store, "entries": recovered.entries, "torn": torn,
                    E::ITEMS: server.items(), "core": self.core,
                })
            );
        } else {
            outln!("listening on {}", endpoints.join(" and "));
            outln!(
                "store {store}, {} entries in {}, {} {}",
                recovered.entries,
                config.log.display(),
                server.items(),
                E::ITEMS
            );
        }
        server.run(&stop)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns a flag that SIGINT (Ctrl-C) and SIGTERM set.
fn interrupted() -> Result<Arc<AtomicBool>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let runtime = runtime.or_fail(Exit::Failed, "waiting for signals")?;
    let signals = {
        let _context = runtime.enter();
        let failed = "waiting for signals";
        (
            signal(SignalKind::interrupt()).or_fail(Exit::Failed, failed)?,
            signal(SignalKind::terminate()).or_fail(Exit::Failed, failed)?,
        )
    };
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    let wait = move || {
        let (mut interrupt, mut terminate) = signals;
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        });
        set.store(true, Ordering::Relaxed);
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(wait)
        .or_fail(Exit::Failed, "starting a thread")?;
    Ok(stop)
}
