//! The beginning of each kind of class, with the members that are not calls of native functions.

use super::call::argument;
use super::comparison::{self, compared};
use super::functions::{constructor, java_getter, parameter, property};
use super::hooks;
use super::types::{lifted, type_name};
use crate::docs::Style;
use crate::kotlin_glue::{has_suite, is_encoded_object, is_field, properties};
use crate::model::{Block, Class, Field, Kind, Parameter, Role, Type, Variant};
use crate::names::{camel, commas, free_function, indented, snake};

/// What precedes the braces of a class, and the first members in them.
pub(super) type Parts = (String, Vec<String>);

/// The name of the class that uniffi generates.
fn native(class: &Class) -> String {
    format!("org.quorate.internal.{}", class.native)
}

/// A data class of the constructor's arguments.
pub(super) fn value(block: &Block, class: &Class) -> Parts {
    let Some(constructor) = class.constructor() else { return (String::new(), Vec::new()) };
    let own = constructor.parameters.iter();
    let properties = commas(own.clone().map(|one| format!("public val {}", parameter(block, one))));
    let has_default = constructor.parameters.iter().any(|one| one.default.is_some());
    let java = if has_default { " @JvmOverloads public constructor" } else { "" };
    let arguments = commas(own.map(|one| argument(block, class, constructor, one)));
    let native = native(class);
    let held = format!("@get:JvmSynthetic\ninternal val native: {native} =\n    {native}({arguments})\n");
    let mut members = vec![held];
    if constructor.fallible {
        let check = camel(&free_function(&class.native, "check"));
        members.push(format!("init {{\n    translated {{ {check}(native) }}\n}}\n"));
    }
    (format!("public data class {}{java}({properties})", class.name), members)
}

/// The data class of a native record.
pub(super) fn from_native(block: &Block, class: &Class) -> String {
    let argument = |one: &Parameter| {
        let kind = if one.default.is_some() { one.kind.innermost() } else { &one.kind };
        lifted(block, kind, &format!("native.{}", camel(&one.name)))
    };
    let (arguments, native, name) =
        (commas(class.made_of().iter().map(argument)), native(class), &class.name);
    format!("@JvmSynthetic\ninternal fun fromNative(native: {native}): {name} =\n    {name}({arguments})\n")
}

fn holding_record(class: &Class) -> String {
    format!(
        "public class {} internal constructor(@get:JvmSynthetic internal val native: {}, hidden: Hidden = Hidden())",
        class.name,
        native(class)
    )
}

/// A class of a native record, which only native code can make.
pub(super) fn completed(block: &Block, class: &Class) -> Parts {
    let mut members: Vec<String> =
        class.constructor().and_then(|one| constructor(block, class, one)).into_iter().collect();
    members
        .extend(class.getters().filter(|one| is_field(class, one)).map(|one| property(block, one, "native")));
    (holding_record(class), members)
}

/// A class of its properties.
pub(super) fn record(block: &Block, class: &Class) -> Parts {
    let members = properties(class).map(|(one, kind)| {
        if one.role == Role::Getter {
            return property(block, one, "native");
        }
        let docs = Style::Kotlin.function(one, 0);
        let value = super::types::copied(block, kind, &format!("native.{}", camel(&one.name)));
        format!("{docs}public fun {}(): {} = {value}\n", camel(&one.name), type_name(block, kind))
    });
    let (mut head, mut members) = (holding_record(class), members.collect::<Vec<_>>());
    if let ([(name, Type::Bytes)], true) =
        (compared(class).collect::<Vec<_>>().as_slice(), class.traits.order)
    {
        head += &format!(" : Comparable<{}>", class.name);
        members.push(format!(
            "override fun compareTo(other: {}): Int = java.util.Arrays.compareUnsigned(native.{name}, other.native.{name})\n",
            class.name
        ));
    }
    (head, members)
}

/// A class of its encoding, whose properties are read once.
pub(super) fn encoded(block: &Block, class: &Class) -> Parts {
    let head = format!(
        "public class {} private constructor(@get:JvmSynthetic internal val raw: ByteArray)",
        class.name
    );
    let fields = camel(&free_function(&class.native, "fields"));
    let mut members: Vec<String> =
        class.constructor().and_then(|one| constructor(block, class, one)).into_iter().collect();
    members.push(format!("private val fields = translated {{ {fields}(raw) }}\n"));
    let coding = class.plain_encoding().map(|(_, encode)| encode.name.as_str());
    let getters = class.getters().filter(|getter| Some(getter.name.as_str()) != coding);
    members.extend(getters.map(|getter| property(block, getter, "fields")));
    (head, members)
}

/// A native object.
pub(super) fn object(block: &Block, class: &Class) -> Parts {
    let (name, native) = (&class.name, native(class));
    let base = match (is_encoded_object(class), has_suite(class)) {
        (true, true) => "NativeValue",
        (true, false) => "EncodedObject",
        (false, _) => "NativeObject",
    };
    let set = if class.set { ", Iterable<Int>" } else { "" };
    let head = format!(
        "public class {name} private constructor(@get:JvmSynthetic internal val cell: Cell<{native}>) : {base}(cell){set}"
    );
    let mut members = vec![format!(
        "internal constructor(native: {native}, hidden: Hidden = Hidden()) : this(Cell(native, \"{name}\"))\n"
    )];
    members.extend(class.constructor().and_then(|one| constructor(block, class, one)));
    members.extend(hooks::property(block, class));
    (head, members)
}

/// Plain data: a class of its fields.
pub(super) fn data(block: &Block, class: &Class) -> Parts {
    let head = format!(
        "public class {} internal constructor(native: {}, hidden: Hidden = Hidden())",
        class.name,
        native(class)
    );
    let fields = class.fields();
    let mut members: Vec<String> = fields.iter().map(|one| field(block, one, "public")).collect();
    members.extend(components(block, fields));
    members.extend(comparison::of_fields(&class.name, fields));
    (head, members)
}

/// Plain data of several forms: a sealed class, with a class of each form in it.
pub(super) fn union(block: &Block, class: &Class) -> Parts {
    let common = common_fields(class);
    let mut members: Vec<String> = common
        .iter()
        .map(|one| {
            let docs = Style::Kotlin.comment(&one.docs, 0);
            let java = java_getter(&one.name, &one.kind);
            format!("{docs}{java}public abstract val {}: {}\n", camel(&one.name), type_name(block, &one.kind))
        })
        .collect();
    members.extend(class.variants.iter().map(|one| form(block, class, &common, one)));
    (format!("public sealed class {}", class.name), members)
}

/// The fields that all forms of plain data have.
fn common_fields(class: &Class) -> Vec<&Field> {
    let is_in = |variant: &Variant, one: &Field| {
        variant.fields.iter().any(|other| other.name == one.name && other.kind == one.kind)
    };
    let first = class.variants.first().map(|first| first.fields.as_slice()).unwrap_or_default();
    first.iter().filter(|one| class.variants.iter().all(|variant| is_in(variant, one))).collect()
}

fn form(block: &Block, class: &Class, common: &[&Field], variant: &Variant) -> String {
    let docs = Style::Kotlin.comment(&variant.docs, 0);
    let (name, outer, fields) = (&variant.name, &class.name, variant.fields.as_slice());
    if fields.is_empty() {
        return format!("{docs}public data object {name} : {outer}()\n");
    }
    let is_common = |one: &Field| common.iter().any(|other| other.name == one.name);
    let mut members: Vec<String> = fields
        .iter()
        .map(|one| field(block, one, if is_common(one) { "override" } else { "public" }))
        .collect();
    members.extend(comparison::of_fields(name, fields));
    format!(
        "{docs}public class {name} internal constructor(native: {}.{name}, hidden: Hidden = Hidden()) : {outer}() {{\n{}}}\n",
        native(class),
        indented(&members.join("\n"), 4)
    )
}

/// The object of a form.
pub(super) fn from_form(class: &Class) -> String {
    let native = native(class);
    let form = |one: &Variant| {
        let value = if one.fields.is_empty() { one.name.clone() } else { format!("{}(native)", one.name) };
        format!("        is {native}.{} -> {value}\n", one.name)
    };
    let forms: String = class.variants.iter().map(form).collect();
    format!(
        "@JvmSynthetic\ninternal fun fromNative(native: {native}): {} =\n    when (native) {{\n{forms}    }}\n",
        class.name
    )
}

fn field(block: &Block, field: &Field, modifier: &str) -> String {
    let name = camel(&field.name);
    let docs = Style::Kotlin.comment(&field.docs, 0);
    let java = java_getter(&field.name, &field.kind);
    let value = lifted(block, &field.kind, &format!("native.{name}"));
    format!("{docs}{java}{modifier} val {name}: {} = {value}\n", type_name(block, &field.kind))
}

/// Functions that Kotlin calls to take plain data apart: `val (one, two) = data`.
fn components(block: &Block, fields: &[Field]) -> Option<String> {
    let component = |(at, one): (usize, &Field)| {
        let (kind, name) = (type_name(block, &one.kind), camel(&one.name));
        let java = if super::types::is_unsigned(&one.kind) {
            format!("@JvmName(\"component{}\")\n", at + 1)
        } else {
            String::new()
        };
        format!("{java}public operator fun component{}(): {kind} = {name}\n", at + 1)
    };
    let all: Vec<String> = fields.iter().enumerate().map(component).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// Names, each with its text.
pub(super) fn names(class: &Class) -> Parts {
    let head = format!("public enum class {}(@get:JvmSynthetic internal val native: String)", class.name);
    let entry = |one: &Variant| {
        let docs = Style::Kotlin.comment(&one.docs, 0);
        format!("{docs}{}(\"{}\")", snake(&one.name).to_uppercase(), one.text)
    };
    let entries: Vec<String> = class.variants.iter().map(entry).collect();
    (head, vec![entries.join(",\n\n") + ";\n"])
}

/// The name with this text.
pub(super) fn from_text(class: &Class) -> String {
    format!(
        "@JvmSynthetic\ninternal fun fromNative(native: String): {} = entries.first {{ it.native == native }}\n",
        class.name
    )
}

/// An object with the functions of a module.
pub(super) fn module(class: &Class) -> Parts {
    (format!("public object {}", class.name), Vec::new())
}

/// True for classes whose native form only a function of the class converts.
pub(super) fn is_converted(block: &Block, class: &Class) -> bool {
    class.kind == Kind::Value && block.module.is_some() && !crate::kotlin_glue::is_completed(class)
}
