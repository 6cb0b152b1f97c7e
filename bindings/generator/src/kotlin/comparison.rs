//! The members that compare and describe objects.

use crate::docs::Style;
use crate::kotlin_glue::{is_completed, is_encoded_object, is_field};
use crate::model::{Class, Field, Kind, Role, Type};
use crate::names::{camel, commas, free_function, joined};

/// The members of a class that is not plain data.
pub(super) fn of(class: &Class) -> Vec<String> {
    let name = &class.name;
    match class.kind {
        Kind::Encoded => vec![
            encoding(class),
            format!(
                "override fun equals(other: Any?): Boolean = other is {name} && raw.contentEquals(other.raw)\n"
            ),
            "override fun hashCode(): Int = raw.contentHashCode()\n".to_owned(),
            "override fun toString(): String = fields.text\n".to_owned(),
        ],
        Kind::Record if class.function("encode").is_some() => vec![
            format!(
                "override fun equals(other: Any?): Boolean = other is {name} && native.encode.contentEquals(other.native.encode)\n"
            ),
            "override fun hashCode(): Int = native.encode.contentHashCode()\n".to_owned(),
            "override fun toString(): String = native.text\n".to_owned(),
        ],
        Kind::Value if !is_completed(class) => Vec::new(),
        Kind::Value | Kind::Record => by_properties(class),
        Kind::Object => of_object(class),
        Kind::Names => vec!["override fun toString(): String = native\n".to_owned()],
        Kind::Data | Kind::Union | Kind::Module => Vec::new(),
    }
}

/// The function or property that returns the encoding.
fn encoding(class: &Class) -> String {
    let Some((_, encode)) = class.plain_encoding() else { return String::new() };
    let (docs, name) = (Style::Kotlin.function(encode, 0), camel(&encode.name));
    if encode.role == Role::Getter {
        format!("{docs}public val {name}: ByteArray get() = raw.clone()\n")
    } else {
        format!("{docs}public fun {name}(): ByteArray = raw.clone()\n")
    }
}

fn by_properties(class: &Class) -> Vec<String> {
    let equal = compared(class).map(|(name, kind)| match kind {
        Type::Bytes => format!("{name}.contentEquals(other.{name})"),
        _ => format!("{name} == other.{name}"),
    });
    let hashes = compared(class).map(|(name, kind)| match kind {
        Type::Bytes => format!("{name}.contentHashCode()"),
        _ => name,
    });
    vec![
        format!(
            "override fun equals(other: Any?): Boolean =\n    other is {} && {}\n",
            class.name,
            joined(equal, " && ")
        ),
        format!("override fun hashCode(): Int = java.util.Objects.hash({})\n", commas(hashes)),
        "override fun toString(): String = native.text\n".to_owned(),
    ]
}

/// The members of a native object, which may be closed. Equal objects have equal texts.
fn of_object(class: &Class) -> Vec<String> {
    let text = camel(&free_function(&class.native, "text"));
    let mut members = Vec::new();
    if class.traits.equality && !is_encoded_object(class) {
        let equal = camel(&free_function(&class.native, "equal"));
        members.push(format!(
            "override fun equals(other: Any?): Boolean =\n    this === other || other is {} && \
             compared {{ cell.call {{ own -> other.cell.call {{ {equal}(own, it) }} }} }}\n",
            class.name
        ));
        members.push(format!(
            "override fun hashCode(): Int = hashed {{ cell.call {{ {text}(it) }}.hashCode() }}\n"
        ));
    }
    members.push(format!("override fun toString(): String = shown {{ cell.call {{ {text}(it) }} }}\n"));
    members
}

/// The members of plain data.
pub(super) fn of_fields(name: &str, fields: &[Field]) -> Vec<String> {
    let compared = fields.iter().map(|one| match &one.kind {
        Type::List(item) if **item == Type::Bytes => format!("{}.toTypedArray()", camel(&one.name)),
        _ => camel(&one.name),
    });
    let shown = fields.iter().map(|one| {
        let name = camel(&one.name);
        match &one.kind {
            Type::Bytes => format!("{name}=${{{name}.size}} bytes"),
            Type::Optional(inner) if **inner == Type::Bytes => format!("{name}=${{{name}?.size}} bytes"),
            Type::List(item) if **item == Type::Bytes => format!("{name}=${{{name}.size}} byte strings"),
            _ => format!("{name}=${name}"),
        }
    });
    vec![
        format!("private fun fields(): Array<Any?> = arrayOf({})\n", commas(compared)),
        format!(
            "override fun equals(other: Any?): Boolean = other is {name} && fields().contentDeepEquals(other.fields())\n"
        ),
        "override fun hashCode(): Int = fields().contentDeepHashCode()\n".to_owned(),
        format!("override fun toString(): String = \"{name}({})\"\n", commas(shown)),
    ]
}

/// The fields of a class that its arguments or properties determine.
pub(super) fn compared(class: &Class) -> impl Iterator<Item = (String, &Type)> {
    let getters = class.getters().filter(|one| class.kind == Kind::Record || is_field(class, one));
    getters.filter_map(|one| Some((camel(&one.name), one.result.as_ref()?)))
}
