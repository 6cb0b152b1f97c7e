#![forbid(unsafe_code)]
//! The benchmarks, compared with other libraries and with papers. `cargo xtask bench` builds the programs and runs this.
//!
//! All figures of one table come from one run on one machine. Compared code is measured in alternating samples, so that a
//! change of the machine's speed affects both sides.

mod abft;
mod bindings;
mod certificates;
mod chain;
mod chart;
mod children;
mod cities;
mod dsig;
mod gosig;
mod growth;
mod members;
mod network;
mod origin;
mod progress;
mod queue;
mod report;
mod row;
mod sampling;
mod summary;
mod table;
mod testnet;
mod threshold;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

use crate::row::Row;
use crate::table::Table;

/// Measures certificates, DSig, threshold blocks, ABFT, Gosig, networks and bindings, and prints each figure beside its target.
#[derive(Debug, Parser)]
struct BenchArgs {
    /// Groups to measure; all by default.
    groups: Vec<Group>,
    /// Takes fewer samples and runs shorter networks.
    #[arg(long)]
    quick: bool,
    /// Prints one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Writes the report and its plots to bench/report.
    #[arg(long)]
    write: bool,
    /// The file that describes the libraries for the group `bindings`.
    #[arg(long, value_name = "FILE")]
    contenders: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Votes and certificates, in this process.
    Certificates,
    /// One-time keys in front of Ed25519: in this process, and in programs that use them.
    Dsig,
    /// Threshold signatures and encryption, the coin, erasure coding: in this process.
    Threshold,
    /// Agreement without timeouts: in this process, simulated over the globe, and real `quorate testnet` processes.
    Abft,
    /// Gossip of aggregated signatures: thousands of nodes, simulated.
    Gosig,
    /// Real `quorate testnet` processes.
    Network,
    /// Other languages, each in its own processes.
    Bindings,
}

fn main() -> ExitCode {
    match run(&BenchArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &BenchArgs) -> Result<(), String> {
    let wanted = |group| args.groups.is_empty() || args.groups.contains(&group);
    let mut result = json!({ "origin": origin::describe(args.quick) });
    let mut all = Vec::new();
    if wanted(Group::Certificates) {
        let mut rows = certificates::measure(args.quick).map_err(|e| e.to_string())?;
        rows.extend(chain::measure(args.quick).map_err(|e| e.to_string())?);
        let growth = growth::measure(args.quick).map_err(|e| e.to_string())?;
        shown(args, "certificates", &rows);
        if !args.json {
            println!("{}", growth::table(&growth));
        }
        put(&mut result, "certificates", rows.iter().map(Row::to_json).collect());
        put(&mut result, "growth", growth.iter().map(growth::Point::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Dsig) {
        let (rows, tables) = dsig::measure(args.quick)?;
        shown(args, "dsig", &rows);
        if !args.json {
            tables.iter().for_each(|table| println!("{}", table.text()));
        }
        put(&mut result, "dsig", rows.iter().map(Row::to_json).collect());
        put(&mut result, "dsig_paper", tables.iter().map(Table::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Threshold) {
        let (rows, tables) = threshold::measure(args.quick)?;
        shown(args, "threshold", &rows);
        if !args.json {
            tables.iter().for_each(|table| println!("{}", table.text()));
        }
        put(&mut result, "threshold", rows.iter().map(Row::to_json).collect());
        put(&mut result, "threshold_paper", tables.iter().map(Table::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Abft) {
        let (rows, tables) = abft::measure(args.quick)?;
        shown(args, "abft", &rows);
        if !args.json {
            tables.iter().for_each(|table| println!("{}", table.text()));
        }
        put(&mut result, "abft", rows.iter().map(Row::to_json).collect());
        put(&mut result, "abft_paper", tables.iter().map(Table::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Gosig) {
        let (rows, tables) = gosig::measure(args.quick)?;
        shown(args, "gosig", &rows);
        if !args.json {
            tables.iter().for_each(|table| println!("{}", table.text()));
        }
        put(&mut result, "gosig", rows.iter().map(Row::to_json).collect());
        put(&mut result, "gosig_paper", tables.iter().map(Table::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Network) {
        let rows = network::measure(args.quick, !args.json)?;
        shown(args, "network", &rows);
        put(&mut result, "network", rows.iter().map(Row::to_json).collect());
        all.extend(rows);
    }
    if wanted(Group::Bindings) {
        let rows = bindings::measure(args.contenders.as_deref(), args.quick)?;
        shown(args, "bindings", &rows);
        put(&mut result, "bindings", rows.iter().map(Row::to_json).collect());
        all.extend(rows);
    }
    if args.json {
        println!("{result:#}");
    } else {
        println!("{}", row::summary(&all));
    }
    if args.write { report::write(&result) } else { Ok(()) }
}

fn shown(args: &BenchArgs, title: &str, rows: &[Row]) {
    if !args.json {
        println!("{}", row::table(title, rows));
    }
}

fn put(result: &mut Value, name: &str, values: Vec<Value>) {
    if let Some(object) = result.as_object_mut() {
        object.insert(name.to_owned(), Value::Array(values));
    }
}
