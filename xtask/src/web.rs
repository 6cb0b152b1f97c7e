//! Builds the page of `examples/browser` into `dist/web`, and serves that folder on the loopback address.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use clap::Args;

use crate::process::Outcome;
use crate::steps::{Log, Once, Steps};
use crate::wasm::{self, Pack};
use crate::{environment, server, workspace};

/// Builds the page with the simulated validator network, and serves it on loopback until Ctrl-C.
///
/// The page is static: any web server can serve `dist/web`. It loads nothing from other sites.
#[derive(Debug, Args)]
pub(crate) struct WebArgs {
    /// Builds the page and exits.
    #[arg(long)]
    build: bool,
    /// Port of the server; 0 selects a free one.
    #[arg(long, default_value_t = 8090)]
    port: u16,
}

pub(crate) fn run(args: &WebArgs) -> Outcome {
    println!("building examples/browser for the web; the first build takes some minutes");
    let folder = build(&Log::new("web"))?;
    println!("built {}", folder.display());
    if args.build {
        return Ok(());
    }
    server::run(&folder, args.port)
}

/// Adds the step that tests the page in a browser.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("browser page", |log| {
        let chromium = environment::chromium(log)?;
        let folder = build(log)?;
        let tools = wasm::tools(log)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let module = folder.join("engine/engine_bg.wasm");
        let bytes = fs::metadata(&module).map_err(|e| format!("{}: {e}", module.display()))?.len();
        thread::spawn(move || server::serve(&listener, &folder));
        let mut node = Command::new("node");
        node.arg(workspace::root().join("examples/browser/tests/page.mjs"));
        node.env("CHROMIUM", chromium);
        node.env("PAGE", format!("http://{address}/"))
            .env("PLAYWRIGHT", tools.join("node_modules/playwright-core/index.mjs"))
            .env("SCREENSHOTS", workspace::target("browser"));
        let output = log.run(&mut node)?;
        Ok(format!("{}, engine {} kB", output.lines().last().unwrap_or_default(), bytes / 1000))
    });
}

/// Builds the page's module and returns its folder, which is permanent: the next build reuses the module if nothing
/// changed.
pub(crate) fn engine(log: &Log) -> Outcome<PathBuf> {
    static BUILT: Once = Once::new();
    let pack = Pack { name: "engine", ..Pack::new("quorate-browser") };
    let folder = workspace::target("xtask/engine");
    BUILT.run(|| wasm::build(log, &pack, &folder).map(drop))?;
    Ok(folder)
}

/// Builds the page into `dist/web` and returns that folder.
fn build(log: &Log) -> Outcome<PathBuf> {
    let out = workspace::root().join("dist/web");
    let engine = engine(log)?;
    // Removes files of an earlier build.
    let _ = fs::remove_dir_all(&out);
    workspace::copy(&workspace::root().join("examples/browser/web"), &out)?;
    // Types are for editors; the page needs none.
    for file in ["engine.js", "engine_bg.wasm"] {
        workspace::copy(&engine.join(file), &out.join("engine").join(file))?;
    }
    Ok(out)
}
