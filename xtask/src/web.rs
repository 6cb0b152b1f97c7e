//! Builds the page of `examples/browser` into `dist/web`, and serves that folder on the loopback address.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use clap::Args;

use crate::process::Outcome;
use crate::steps::{Log, Once, Steps};
use crate::wasm::{self, Pack};
use crate::{environment, workspace};

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
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .map_err(|e| format!("port {}: {e}; choose another with --port", args.port))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    println!("http://{address}/  (Ctrl-C ends)");
    serve(&listener, &folder);
    Ok(())
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
        thread::spawn(move || serve(&listener, &folder));
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

/// Timeout for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of the request line and headers, in bytes.
const MAX_REQUEST: u64 = 16 * 1024;

/// Answers each request on its own thread: the only client is a browser on this machine.
fn serve(listener: &TcpListener, folder: &Path) {
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            // An error means that the client closed the connection.
            scope.spawn(move || drop(answer(stream, folder)));
        }
    });
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    let mut reader = BufReader::new((&stream).take(MAX_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let found = if ["GET", "HEAD"].contains(&method) { find(folder, target) } else { None };
    let (status, kind, body) = match found.and_then(|path| Some((kind(&path), fs::read(&path).ok()?))) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "GET" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file of a request's target; `None` for a target outside the folder.
fn find(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    inside.then(|| folder.join(path))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_found() {
        let folder = Path::new("/srv");
        assert_eq!(find(folder, "/"), Some("/srv/index.html".into()));
        assert_eq!(find(folder, "/js/a.js?x=/.."), Some("/srv/js/a.js".into()));
        for target in ["/../secret", "/a/../../b", "//etc/passwd", "a", "", "/./../x"] {
            assert_eq!(find(folder, target), None, "{target}");
        }
        assert_eq!(kind(Path::new("engine/engine_bg.wasm")), "application/wasm");
    }
}
