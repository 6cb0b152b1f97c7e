//! Rust that napi-rs exports to Node: one function per method, on handles.

mod crossing;
mod data;
mod off_thread;

use crate::model::{Block, Class, Function, Kind, Type};
use crate::names::{commas, free_function, import, import_interface};
use crossing::{Place, accusing, argument, converted, declared, held, list, result_type, succeeding, target};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let glue = ["Accusation", "Bytes", "Flag", "Promised", "Result", "Throw", "Verdict"];
    let heads = [
        import("std::num", &["NonZeroU16"], &code),
        import("std::sync", &["Arc"], &code),
        import("std::time", &["Duration"], &code),
        import("napi", &["Env"], &code),
        import("napi::bindgen_prelude", &["BigInt", "Either", "Uint8Array"], &code),
        "use napi_derive::napi;\n".to_owned(),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        import_interface(&block.path, &code),
        import("zeroize", &["Zeroizing"], &code),
        "\n".to_owned(),
        import("crate", &["glue"], &code),
        import("crate::glue", &glue, &code),
        import("crate::handle", &["External", "Taken"], &code),
    ];
    heads.concat() + &code
}

fn class(block: &Block, class: &Class) -> String {
    match class.kind {
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => object(block, class),
        Kind::Data | Kind::Union => data::structure(block, class),
        Kind::Names => String::new(),
        Kind::Module => functions(block, class),
    }
}

fn functions(block: &Block, class: &Class) -> String {
    class.functions.iter().map(|one| function(block, class, one)).collect()
}

fn object(block: &Block, class: &Class) -> String {
    let held = held(block, &class.name);
    // Functions that users call only through others of the interface.
    let special = |name: &str, more: &str, result: &str, value: &str| {
        format!(
            "\n#[napi(catch_unwind)]\npub fn {}(receiver: &External<{held}>{more}) -> {result} {{\n    {value}\n}}\n",
            free_function(&class.native, name)
        )
    };
    let sized = class.size.is_some().then(|| made(block, class));
    // True once a secret is used up.
    let spent = class.spent.as_ref().map(|name| special(name, "", "bool", &format!("receiver.{name}()")));
    let text = || special("text", "", "String", "receiver.to_string()");
    let text = class.hex_source().is_none().then(text);
    let other = format!(", other: &External<{held}>");
    let equality = || special("equals", &other, "bool", "**receiver == **other");
    let equality = (class.traits.equality && class.equal_by().is_none()).then(equality);
    let functions = Some(functions(block, class));
    [sized, functions, spent, text, equality].into_iter().flatten().collect()
}

/// A function that makes handles of a class whose objects hold much memory, which V8 is told.
fn made(block: &Block, class: &Class) -> String {
    let (name, size) = (&class.name, class.size.as_deref().unwrap_or_default());
    let value = if class.kind == Kind::Object { "Arc::new(value)" } else { "value" };
    format!(
        "\npub(crate) fn {make}(value: interface::{name}) -> External<{}> {{\n    let size = value.{size}();\n    External::sized({value}, size)\n}}\n",
        held(block, name),
        make = free_function(&class.native, "handle"),
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let receiver =
        function.has_receiver().then(|| format!("receiver: &External<{}>", held(block, &class.name)));
    let makes_bytes = function.makes_bytes();
    let (lifetime, env) =
        if makes_bytes { ("<'env>", Some("env: &'env Env".to_owned())) } else { ("", None) };
    let parameters = function.crossing().flat_map(|one| declared(block, one));
    let parameters = commas(env.into_iter().chain(receiver).chain(parameters));
    let lists: String = function.parameters.iter().map(|one| list(block, one)).collect();
    let arguments = commas(function.parameters.iter().map(|one| argument(block, one)));
    let call = format!("{}{}({arguments})", target(class, function), function.name);
    let call = accusing(function, &call);
    let call = if function.fallible { format!("{call}.throw()?") } else { call };
    let (result, value) = match &function.result {
        None => ("()".to_owned(), format!("{call};\n    Ok(())")),
        Some(result) => {
            let value = converted(block, result, &call, Place::Call);
            // A conversion to bytes may fail, so it is a result already.
            let value = if makes_bytes { value } else { succeeding(&value, &call) };
            (result_type(block, function, Place::Call), value)
        }
    };
    let name = free_function(&class.native, &function.name);
    format!(
        "\n#[napi(catch_unwind)]\npub fn {name}{lifetime}({parameters}) -> Result<{result}> {{\n{lists}    {value}\n}}\n{slow}",
        slow = if function.is_slow() { off_thread::function(block, class, function) } else { String::new() },
    )
}
