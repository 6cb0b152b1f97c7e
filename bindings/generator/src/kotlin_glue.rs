//! Rust that uniffi exports to Kotlin: functions on records and encodings, which need no closing, and on objects.

mod arguments;
mod forms;
mod structures;
mod types;

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{free_function, import};
use arguments::{argument, prepared};
use types::{converted, crossing};

pub(crate) use forms::{crosses, is_completed, is_encoded_object, is_field, is_lent, properties};
pub(crate) use types::{is_object, is_secret_key};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let glue = ["Failure", "Result", "Uint128", "chain_id", "committee_id", "lock", "non_zero", "owned"];
    let imports = [
        import("std::sync", &["Arc"], &code),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        format!("use quorate_interface::{} as interface;\n\n", block.path),
        import("crate::attestations", &["Attestations"], &code),
        import("crate::glue", &glue, &code),
        import("crate::secret", &["Secret"], &code),
    ];
    imports.concat() + &code
}

fn class(block: &Block, class: &Class) -> String {
    let own = match class.kind {
        Kind::Value => structures::value(block, class),
        Kind::Encoded => structures::encoded(block, class),
        Kind::Record => structures::record(block, class),
        Kind::Object => structures::object(class),
        Kind::Data => structures::data(block, class),
        Kind::Union => structures::union(block, class),
        Kind::Names => structures::names(block, class),
        Kind::Module => String::new(),
    };
    let crossing = class.functions.iter().filter(|function| crosses(class, function));
    crossing.fold(own, |all, one| all + &function(block, class, one))
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let kind = Type::Class(class.name.clone());
    let receiver = function.has_receiver().then(|| Parameter::new("receiver", kind));
    let all: Vec<&Parameter> = receiver.iter().chain(&function.parameters).collect();
    let parameters = all.iter().map(|one| {
        let lent = is_lent(class, function, one);
        let kind = if lent { "&[u8]".to_owned() } else { crossing(block, &one.kind) };
        format!("{}: {kind}", one.name)
    });
    let parameters: Vec<String> = parameters.collect();
    let prepared: String = all.iter().map(|one| prepared(block, one)).collect();
    let target = match (&receiver, class.kind) {
        (None, _) => class.scope(),
        (Some(_), Kind::Object) => "receiver.0.".to_owned(),
        (Some(_), _) => "receiver.".to_owned(),
    };
    let arguments = function
        .parameters
        .iter()
        .map(|one| if is_lent(class, function, one) { one.name.clone() } else { argument(block, one) });
    let call = format!("{target}{}({})", function.name, arguments.collect::<Vec<_>>().join(", "));
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = function.result.as_ref().map_or(call.clone(), |result| converted(block, result, &call));
    let result = function.result.as_ref().map_or("()".to_owned(), |result| crossing(block, result));
    let key = function.parameters.iter().find(|one| is_secret_key(&one.kind)).map(|one| &one.name);
    let body = match key {
        None => format!("{prepared}    Ok({value})\n"),
        Some(key) => format!("{prepared}    {key}.with(|{key}| Ok({value}))?\n"),
    };
    format!(
        "\n#[uniffi::export]\nfn {name}({parameters}) -> Result<{result}> {{\n{body}}}\n",
        name = free_function(&class.native, &function.name),
        parameters = parameters.join(", "),
    )
}
