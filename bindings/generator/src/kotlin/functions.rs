//! Functions, constructors and properties in Kotlin, in forms that Java can call.

use super::call::call;
use super::hooks;
use super::types::{class_name, copied, is_unsigned, type_name};
use crate::docs::Style;
use crate::kotlin_glue::{has_suite, is_encoded_object};
use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{camel, commas, free_function, pascal};

pub(super) fn function(block: &Block, class: &Class, function: &Function) -> String {
    if function.hook {
        return hooks::setter(block, class, function, &call(block, class, function, None));
    }
    let docs = Style::Kotlin.function(function, 0);
    let name = camel(function.overload.as_ref().unwrap_or(&function.name));
    let result = function.result.as_ref().map_or("Unit".to_owned(), |result| type_name(block, result));
    let value = call(block, class, function, function.result.as_ref());
    if function.role == Role::Getter {
        let java = function.result.as_ref().map(|result| java_getter(&function.name, result));
        let java = java.unwrap_or_default();
        let is_declared = has_suite(class) && function.result == Some(Type::Suite);
        let modifier = if is_declared { "override" } else { "public" };
        return format!("{docs}{java}{modifier} val {name}: {result} get() =\n    {value}\n");
    }
    if class.set && name == "members" {
        return format!("{docs}override fun iterator(): Iterator<Int> =\n    {value}.iterator()\n");
    }
    let is_static = if function.has_receiver() { "" } else { "@JvmStatic\n" };
    let modifier = match name.as_str() {
        "encode" if is_encoded_object(class) => "override",
        "contains" if class.set => "public operator",
        _ => "public",
    };
    let java =
        if function.types().any(is_unsigned) { format!("@JvmName(\"{name}\")\n") } else { String::new() };
    format!(
        "{docs}{is_static}{}{java}{modifier} fun {name}({}): {result} =\n    {value}\n",
        overloads(function),
        parameters(block, function),
    )
}

/// A constructor from the arguments that native code takes; for one that Java could not call, see [`named`].
pub(super) fn constructor(block: &Block, class: &Class, function: &Function) -> Option<String> {
    let docs = Style::Kotlin.function(function, 0);
    (!is_named(function)).then(|| {
        format!(
            "{docs}{}public constructor({}) : this({})\n",
            overloads(function),
            parameters(block, function),
            call(block, class, function, None),
        )
    })
}

/// A function of the class in place of a constructor that Java could not call: `Class(…)` in Kotlin, and `Class.of(…)` in
/// Java.
pub(super) fn named(block: &Block, class: &Class, function: &Function) -> Option<String> {
    let docs = Style::Kotlin.function(function, 0);
    is_named(function).then(|| {
        format!(
            "{docs}@JvmStatic\n{}@JvmName(\"of\")\npublic operator fun invoke({}): {name} =\n    {}\n",
            overloads(function),
            parameters(block, function),
            call(block, class, function, Some(&Type::Class(class.name.clone()))),
            name = class.name,
        )
    })
}

/// True for a constructor with an unsigned type, from which Kotlin makes one that Java cannot call.
pub(super) fn is_named(constructor: &Function) -> bool {
    constructor.types().any(is_unsigned)
}

/// The value of a function without parameters, as a constant.
pub(super) fn variant(block: &Block, class: &Class, function: &Function) -> String {
    let docs = Style::Kotlin.function(function, 0);
    let value = call(block, class, function, function.result.as_ref());
    let result = function.result.as_ref().map_or(String::new(), |result| type_name(block, result));
    format!("{docs}@JvmField\npublic val {}: {result} = {value}\n", function.name.to_uppercase())
}

/// A function that calls another one off the calling thread.
pub(super) fn awaiting(block: &Block, class: &Class, function: &Function) -> String {
    let owner = class_name(block, &class.name);
    let name = function.overload.as_ref().unwrap_or(&function.name);
    let is_on_class = !function.has_receiver() && class.kind != Kind::Module;
    let receiver = if is_on_class { format!("{owner}.Companion") } else { owner.clone() };
    let result = function.result.as_ref().map_or("Unit".to_owned(), |result| type_name(block, result));
    let arguments = commas(function.passed().map(|one| camel(&one.name)));
    format!(
        "\n/** [{owner}.{called}] off the calling thread. */\n\
         public suspend fun {receiver}.await{}({}): {result} =\n    offThread {{ {called}({arguments}) }}\n",
        pascal(name),
        parameters(block, function),
        called = camel(name),
    )
}

/// Returns the name with this text.
pub(super) fn from_name(class: &Class) -> String {
    let native = camel(&free_function(&class.native, "from_name"));
    format!(
        "/** Returns the one with this name; throws a [QuorateException] if there is none. */\n@JvmStatic\npublic fun fromName(name: String): {} =\n    \
         fromNative(translated {{ {native}(name.text(\"name\")) }})\n",
        class.name
    )
}

/// A property whose value is a field.
pub(super) fn property(block: &Block, getter: &Function, fields: &str) -> String {
    let Some(result) = &getter.result else { return String::new() };
    let name = camel(&getter.name);
    let value = copied(block, result, &format!("{fields}.{name}"));
    let docs = Style::Kotlin.function(getter, 0);
    let java = java_getter(&getter.name, result);
    format!("{docs}{java}public val {name}: {} get() = {value}\n", type_name(block, result))
}

/// The name of a property for Java, where Kotlin would give it another one.
pub(super) fn java_getter(name: &str, kind: &Type) -> String {
    if is_unsigned(kind) { format!("@get:JvmName(\"get{}\")\n", pascal(name)) } else { String::new() }
}

/// Kotlin's defaults as overloads for Java.
fn overloads(function: &Function) -> &'static str {
    if function.passed().any(Parameter::is_optional) { "@JvmOverloads\n" } else { "" }
}

pub(super) fn parameters(block: &Block, function: &Function) -> String {
    commas(function.passed().map(|one| parameter(block, one)))
}

/// A parameter with its type and its default.
pub(super) fn parameter(block: &Block, parameter: &Parameter) -> String {
    let (name, kind) = (camel(&parameter.name), type_name(block, &parameter.kind));
    // Of a list with a limit, and of the lists in it, only the first items are read.
    let kind = if parameter.limit.is_some() { kind.replace("List<", "Iterable<") } else { kind };
    match (&parameter.kind, &parameter.choice, parameter.default) {
        (Type::List(item), Some(choice), _) => {
            let (item, default) = (type_name(block, item), camel(&choice.default));
            format!("{name}: Predicate<{item}> = Predicate {{ it.{default} }}")
        }
        (Type::Optional(inner), _, Some(default)) => {
            let value = match **inner {
                Type::Duration => format!("Duration.ofNanos({}L)", default * 1000),
                Type::U64 => format!("{default}uL"),
                _ => default.to_string(),
            };
            format!("{name}: {} = {value}", type_name(block, inner))
        }
        (Type::Optional(inner), _, None) if parameter.now => {
            format!("{name}: {} = now()", type_name(block, inner))
        }
        (Type::Optional(_), _, None) => format!("{name}: {kind} = null"),
        _ => format!("{name}: {kind}"),
    }
}
