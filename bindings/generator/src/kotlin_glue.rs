//! Rust that uniffi exports to Kotlin: functions on records and encodings, which need no closing, and on objects.

mod arguments;
mod forms;
mod structures;
mod types;

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{free_function, import};
use arguments::{argument, declared, prepared};
use types::{converted, crossing, is_taken, verdict, verdict_home};

pub(crate) use forms::{crosses, has_suite, is_completed, is_encoded_object, is_field, is_lent, properties};
pub(crate) use types::{is_object, verdict as native_verdict};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let code = verdicts(block) + &code;
    let glue = ["Failure", "Result", "Uint128", "non_zero", "owned"];
    let imports = [
        import("std::sync", &["Arc"], &code),
        import("std::time", &["Duration"], &code),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        format!("use quorate_interface::{} as interface;\n\n", block.path),
        import("crate::attestations", &["Attestations"], &code),
        import("crate::glue", &glue, &code),
        import("crate::secret", &["Owned", "Secret"], &code),
    ];
    imports.concat() + &code
}

/// An enumeration for each type of verdict that the functions return. That of another block's class is in that block.
fn verdicts(block: &Block) -> String {
    let results = block.functions().filter_map(|(_, function)| function.result.as_ref());
    let mut values: Vec<&Type> = Vec::new();
    for result in results {
        if let Type::Verdict(value) = result.innermost()
            && !values.contains(&&**value)
            && verdict_home(block, value).is_none()
        {
            values.push(value);
        }
    }
    let one = |value: &&Type| {
        format!(
            "\n#[derive(uniffi::Enum)]\npub(crate) enum {} {{\n    Valid {{ value: {} }},\n    Invalid {{ error: Failure }},\n}}\n",
            verdict(block, value),
            crossing(block, value)
        )
    };
    values.iter().map(one).collect()
}

fn class(block: &Block, class: &Class) -> String {
    let own = match class.kind {
        Kind::Value => structures::value(block, class),
        Kind::Encoded => structures::encoded(block, class),
        Kind::Record => structures::record(block, class),
        Kind::Object => structures::object(block, class),
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
    let parameters = all.iter().flat_map(|one| {
        let lent = || vec![format!("{}: &[u8]", one.name)];
        if is_lent(class, function, one) { lent() } else { declared(block, one) }
    });
    let parameters: Vec<String> = parameters.collect();
    let prepared: String = all.iter().map(|one| prepared(block, one)).collect();
    let target = match (&receiver, class.kind) {
        (None, _) => class.scope(),
        (Some(_), Kind::Object) if !class.taken => "receiver.0.".to_owned(),
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
    // A function without a result is a statement.
    let body = match function.result {
        None if !function.fallible => format!("{value};\n    Ok(())"),
        _ => format!("Ok({value})"),
    };
    let borrowed = all.iter().filter(|one| !one.owned && is_taken(block, &one.kind)).map(|one| &one.name);
    let body = borrowed.fold(body, |body, one| format!("{one}.0.with(|{one}| {{ {body} }})"));
    format!(
        "\n#[uniffi::export]\nfn {name}({parameters}) -> Result<{result}> {{\n{prepared}    {body}\n}}\n",
        name = free_function(&class.native, &function.name),
        parameters = parameters.join(", "),
    )
}
