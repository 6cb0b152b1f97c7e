//! The bindings, compared with Rust and with other libraries of their languages.
//!
//! Each contender is a process that has its keys ready; this process requests operations from them alternately, and each
//! measures itself. `cargo xtask bench bindings` builds all contenders and describes them in a file.

mod contender;
mod load;
mod native;
mod rounds;
mod rows;
mod world;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::contender::Contender;
use self::rounds::SamplePlan;
use self::world::World;
use crate::row::Row;

/// Measures all contenders of the description.
pub(crate) fn measure(description: Option<&Path>, quick: bool) -> Result<Vec<Row>, String> {
    let file =
        description.ok_or("no description of the contenders was given; run `cargo xtask bench bindings`")?;
    let failed = |file: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let described: Value = serde_json::from_slice(&fs::read(file).map_err(|e| failed(file, &e))?)
        .map_err(|e| failed(file, &e))?;
    let world = World::new().map_err(|e| e.to_string())?;
    let world_file: PathBuf = file.with_file_name("world.json");
    let text = world.to_json().map_err(|e| e.to_string())?.to_string();
    fs::write(&world_file, text).map_err(|e| failed(&world_file, &e))?;

    let mut contenders = vec![native::contender(&world)];
    for one in described.get("contenders").and_then(Value::as_array).into_iter().flatten() {
        contenders.push(Contender::start(one, &world_file)?);
    }
    let care = SamplePlan::new(quick);
    let mut rows = rows::certificates(&mut contenders, care)?;
    rows.extend(rows::sync(&mut contenders, care)?);
    rows.extend(rows::dsig(&mut contenders, care)?);
    drop(contenders);
    if let Some(page) = described.get("load") {
        rows.extend(load::measure(page, &world_file, quick)?);
    }
    Ok(rows)
}
