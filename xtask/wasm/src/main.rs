#![forbid(unsafe_code)]
//! Creates a JavaScript module from a library that cargo compiled for wasm32.
//!
//! wasm-bindgen's own program takes minutes to compile, and its version must equal that of the crate. This one is small,
//! and the workspace pins the version of both.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use wasm_bindgen_cli_support::Bindgen;

/// Writes NAME.js, NAME_bg.wasm and their types into a folder.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct PackArgs {
    /// The library: …/wasm32-unknown-unknown/PROFILE/LIBRARY.wasm
    input: PathBuf,
    /// Output directory, created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Environment that loads the module.
    #[arg(long, value_enum, default_value_t = Target::Web)]
    target: Target,
    /// NAME in the names of the files; the default is the library's name.
    #[arg(long)]
    name: Option<String>,
    /// Keeps the names of functions in the module, for profiles and stack traces.
    #[arg(long)]
    names: bool,
    /// Writes no types, for a library with types of its own.
    #[arg(long)]
    no_types: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// Bundlers that import .wasm like a module.
    Bundler,
    /// A module with a function that loads the .wasm; every browser, every bundler and Node can use it.
    Web,
    /// CommonJS that reads the .wasm from disk.
    Nodejs,
    /// A module for Node that reads the .wasm from disk.
    NodeModule,
    /// A script that defines a global, for workers without modules.
    NoModules,
}

fn main() -> ExitCode {
    match pack(&PackArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn pack(options: &PackArgs) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&options.input)
        .typescript(!options.no_types)
        .keep_debug(options.names)
        .remove_name_section(!options.names)
        .remove_producers_section(true)
        // Otherwise a page would have to pass the path of the .wasm to a module of the target `web`.
        .omit_default_module_path(false);
    if let Some(name) = &options.name {
        bindgen.out_name(name);
    }
    let chosen = match options.target {
        Target::Bundler => bindgen.bundler(true),
        Target::Web => bindgen.web(true),
        Target::Nodejs => bindgen.nodejs(true),
        Target::NodeModule => bindgen.nodejs_module(true),
        Target::NoModules => bindgen.no_modules(true),
    };
    chosen
        .map(drop)
        .and_then(|()| bindgen.generate(&options.out))
        .map_err(|e| format!("{}: {e:#}", options.input.display()))
}
