//! Plain data and names: objects of classes that the module of the block defines in Python.

use super::copying::one;
use super::naming::{dotted, name_property};
use super::types::Types;
use crate::model::{Block, Class, Field, Function, Kind, Variant};

/// A structure of public fields or one of several forms, in results: an object of the class of its name.
pub(super) fn data(block: &Block, class: &Class) -> String {
    let name = &class.name;
    let types = Types(block);
    let parts = |variant: &Variant| {
        let value = |field: &Field| types.converted(Some(&field.kind), &field.name) + ", ";
        let values: String = variant.fields.iter().map(value).collect();
        (variant.pattern(), made(block, &variant.name, values.trim_end()))
    };
    let body: String = match class.variants.as_slice() {
        [one] if class.kind == Kind::Data => {
            let (names, made) = parts(one);
            format!("let interface::{name}{names} = self.0;\n        {made}")
        }
        several => {
            let arm = |variant: &Variant| {
                let (names, made) = parts(variant);
                format!("            interface::{name}::{}{names} => {made},\n", variant.name)
            };
            let arms: String = several.iter().map(arm).collect();
            format!("match self.0 {{\n{arms}        }}")
        }
    };
    object(block, class, &body)
}

/// One of several names: a member of an enumeration of texts.
pub(super) fn names(block: &Block, class: &Class) -> String {
    let name = &class.name;
    let parsed = format!(
        "\nimpl pyo3::FromPyObject<'_, '_> for {name} {{\n    type Error = PyErr;\n\n    \
         fn extract(object: pyo3::Borrowed<'_, '_, PyAny>) -> PyResult<Self> {{\n        \
         // The members of the enumeration are texts.\n        \
         let wrong = |_: PyErr| crate::convert::expected(\"{} or its name\", &object);\n        \
         let name: &str = object.extract().map_err(wrong)?;\n        \
         let found = interface::{name}::from_name(name).map_err(crate::failure::Failure::from)?;\n        \
         Ok(Self(found))\n    }}\n}}\n",
        one(class),
    );
    let properties: String = class.getters().map(|getter| property(block, class, getter)).collect();
    object(block, class, &made(block, name, "self.0.to_string(),")) + &parsed + &properties
}

/// A function that returns the property of a name.
fn property(block: &Block, class: &Class, getter: &Function) -> String {
    let types = Types(block);
    let result = getter.result.as_ref();
    format!(
        "\n#[pyfunction]\nfn {}(name: {}) -> {} {{\n    {}\n}}\n",
        name_property(class, &getter.name),
        class.name,
        types.result(result),
        types.converted(result, &format!("name.0.{}()", getter.name)),
    )
}

/// An object of the Python class with this name.
fn made(block: &Block, name: &str, values: &str) -> String {
    format!("crate::layer::made!(py, \"{}\", \"{name}\", ({values}))", dotted(block))
}

/// A value that becomes an object of a Python class.
fn object(block: &Block, class: &Class, made: &str) -> String {
    let name = &class.name;
    format!(
        "\n/// `{module}.{name}`.\npub(crate) struct {name}(pub(crate) interface::{name});\n\n\
         impl<'py> IntoPyObject<'py> for {name} {{\n    type Target = PyAny;\n    type Output = Bound<'py, PyAny>;\n    \
         type Error = PyErr;\n\n    \
         fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {{\n        {made}\n    }}\n}}\n",
        module = dotted(block),
    )
}
