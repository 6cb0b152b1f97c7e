//! Calls of the interface, of helpers, and of the functions that the tests have.

use syn::{Expr, ExprCall, ExprMethodCall};

use super::builtin;
use super::expression::{Writer, segments};
use super::language::{Language, Outcome};
use super::types::{Code, Ty};
use crate::model::{Class, Cost, Function, Role, Type};
use crate::names::{camel, javascript, pascal};
use crate::python::python_name;
use crate::typescript::{function_name, is_property};

/// The functions that encode what another one decodes.
const INVERSES: [(&str, &str); 5] = [
    ("decode", "encode"),
    ("decode_link", "encode_link"),
    ("decode_detached", "encode_detached"),
    ("from_bytes", "to_bytes"),
    ("from_bytes", "bytes"),
];

impl<'a> Writer<'_, 'a> {
    /// A call of a function that has no receiver.
    pub(super) fn call(&mut self, one: &ExprCall) -> Outcome<Code<'a>> {
        let Expr::Path(path) = &*one.func else { return Err("a call of no name".to_owned()) };
        let (path, arguments) = (segments(&path.path), one.args.iter().collect::<Vec<_>>());
        let (name, outer) = path.split_last().ok_or("a call of no name")?;
        let [before @ .., class] = outer else { return self.free(name, &arguments) };
        if let Some((module, function)) = self.world.module(outer, name) {
            return self.of_module(module, function, &arguments);
        }
        let class = self.world.class(before, class)?;
        let function = class.function(name).ok_or_else(|| format!("no function {}::{name}", class.name))?;
        self.of_class(class, function, &arguments)
    }

    /// A call of a helper, or of a function that each language has.
    fn free(&mut self, name: &str, arguments: &[&Expr]) -> Outcome<Code<'a>> {
        if let ("outcome", [step]) = (name, arguments) {
            return Ok((format!("outcome({})", self.step(step)?), Ty::Json));
        }
        if self.scope.iter().any(|(known, _)| known == name) {
            return Err(format!("the value {name} hides the function of this name"));
        }
        let mut codes = arguments.iter().map(|one| self.expression(one)).collect::<Outcome<Vec<_>>>()?;
        // Kotlin infers the items of an empty list from the helper's parameter.
        for (code, argument) in codes.iter_mut().zip(arguments) {
            if matches!(argument, Expr::Array(one) if one.elems.is_empty()) {
                code.0 = code.0.replace("emptyList<Any>()", "emptyList()");
            }
        }
        let own = format!("{}_{name}", self.module);
        let known =
            [own.as_str(), name].into_iter().find_map(|name| self.world.functions.get_key_value(name));
        let (name, kind) = match known {
            Some((name, kind)) => (*name, kind.clone()),
            None => {
                let kinds: Vec<Ty<'a>> = codes.iter().map(|(_, kind)| kind.clone()).collect();
                let found = builtin::result(self.world, name, &kinds)?;
                let kind = found.ok_or_else(|| format!("no function {name}"))?;
                if let Some(texts) = builtin::inline(name, kinds.first().unwrap_or(&Ty::Other)) {
                    let values: Vec<&str> = codes.iter().map(|(text, _)| text.as_str()).collect();
                    return Ok((self.form(texts, &values), kind));
                }
                (name, kind)
            }
        };
        let is_python = self.language() == Language::Python;
        if let ("shown", [(value, kind)]) = (name, codes.as_mut_slice())
            && is_python
            && kind.is_wide()
        {
            *value = format!("wide({value})");
        }
        let texts = codes.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(", ");
        Ok((format!("{}({texts})", self.name(name)), kind))
    }

    /// A function without parameters, whose result is for JSON: a truth says yes or no.
    fn step(&mut self, argument: &Expr) -> Outcome<String> {
        let Expr::Closure(one) = argument else { return Err("a step is a function".to_owned()) };
        let (_, body, kind) = self.lambda(one, &[])?;
        let body = match kind {
            Ty::Bool => self.form(builtin::inline("yes", &kind).unwrap_or_default(), &[&body]),
            kind if kind.is_wide() && self.language() == Language::Python => format!("wide({body})"),
            _ => body,
        };
        Ok(self.form(["lambda: {0}", "() => {0}", "{ {0} }"], &[&body]))
    }

    /// A call on a value.
    pub(super) fn method(&mut self, one: &ExprMethodCall) -> Outcome<Code<'a>> {
        let (name, arguments) = (one.method.to_string(), one.args.iter().collect::<Vec<_>>());
        let on = self.expression(&one.receiver)?;
        let Ty::Class(class) = on.1 else { return self.common(on, &name, &arguments) };
        let value = on.0;
        let Some(function) = class.function(&name).filter(|one| one.has_receiver()) else {
            if let ([], Some(found)) = (&arguments[..], builtin::property(self.world, &on.1, &value, &name)) {
                return Ok(found);
            }
            return Err(format!("no function {}::{name}", class.name));
        };
        let kind = self.result(class, function)?;
        if function.hook {
            let hook = self.hook(class, function, &arguments)?;
            let name = self.form([&name, &function_name(class, function), &camel(&name)], &[]);
            return Ok((format!("{value}.{name}({hook})"), kind));
        }
        if function.name == "members" && class.set {
            return Ok((self.form(["list({0})", "[...{0}]", "{0}.toList()"], &[&value]), kind));
        }
        if arguments.is_empty() {
            return Ok((self.without_arguments(&value, class, function), kind));
        }
        if let ("__contains__", [one]) = (python_name(class, function), arguments.as_slice()) {
            let texts = ["({1} in {0})", "{0}.contains({1})", "{0}.contains({1})"];
            let one = self.text(one)?;
            return Ok((self.form(texts, &[&value, &one]), kind));
        }
        let arguments = self.arguments(class, function, &arguments)?;
        let javascript = match function.name.as_str() {
            "signer_set" => Some("{0}.signerSet({ indices: {1} })"),
            "signer_set_lsb_first" => Some("{0}.signerSet({ lsbFirst: {1} })"),
            "signer_set_msb_first" => Some("{0}.signerSet({ msbFirst: {1} })"),
            _ => None,
        };
        let own = function.overload.as_ref().unwrap_or(&function.name);
        let in_javascript = function.overload.as_ref().map(|name| camel(name));
        let in_javascript = in_javascript.unwrap_or_else(|| function_name(class, function));
        let name = self.form([own, &in_javascript, &camel(own)], &[]);
        if let Some(own) = javascript.filter(|_| self.language() == Language::JavaScript) {
            return Ok((self.form([own; 3], &[&value, &arguments]), kind));
        }
        Ok((self.called(class, function, (&value, &name, &arguments)), kind))
    }

    /// The function that a call sets as a hook.
    fn hook(&mut self, class: &Class, function: &Function, arguments: &[&Expr]) -> Outcome<String> {
        let ([Expr::Closure(hook)], Some((asked, _))) = (arguments, class.hook_type(&function.name)) else {
            return Err(format!("{}::{} needs a function", class.name, function.name));
        };
        let asked = asked.map(|one| self.world.declared(class, &one.kind)).transpose()?;
        let (names, body, kind) = self.lambda(hook, asked.as_slice())?;
        let is_long = self.language() == Language::Kotlin && kind.is_wide();
        let body = if is_long { format!("{body}.toLong()") } else { body };
        Ok(self.function(&names, &body))
    }

    /// A property, or a call without arguments.
    fn without_arguments(&self, value: &str, class: &Class, function: &Function) -> String {
        let is_getter = function.role == Role::Getter;
        let call = |name: &str, is_property: bool| {
            if is_property {
                format!("{value}.{name}")
            } else {
                self.called(class, function, (value, name, ""))
            }
        };
        let python = match python_name(class, function) {
            "__len__" => format!("len({value})"),
            "__bytes__" => format!("bytes({value})"),
            name => call(name, is_getter && !function.computed),
        };
        let in_javascript = call(&function_name(class, function), is_property(function));
        self.form(["{0}", "{1}", "{2}"], &[&python, &in_javascript, &call(&camel(&function.name), is_getter)])
    }

    fn result(&self, class: &Class, function: &Function) -> Outcome<Ty<'a>> {
        function.result.as_ref().map_or(Ok(Ty::Unit), |kind| self.world.declared(class, kind))
    }

    /// A call of a function outside classes.
    fn of_module(
        &mut self,
        class: &'a Class,
        function: &'a Function,
        arguments: &[&Expr],
    ) -> Outcome<Code<'a>> {
        let kind = self.result(class, function)?;
        let path = class.home.module.clone().unwrap_or_default().replace('/', ".");
        let place = match self.language() {
            Language::Python => format!("quorate.{path}"),
            Language::JavaScript => format!("q.{path}"),
            Language::Kotlin => self.world.class_name(class),
        };
        if function.is_constant() {
            return Ok((format!("{place}.{}", function.name.to_uppercase()), kind));
        }
        let arguments = self.arguments(class, function, arguments)?;
        let name = self.form([&function.name, &function_name(class, function), &camel(&function.name)], &[]);
        Ok((self.called(class, function, (&place, &name, &arguments)), kind))
    }

    /// A call of a function of a class; one that decodes is followed by a check.
    fn of_class(
        &mut self,
        class: &'a Class,
        function: &'a Function,
        arguments: &[&Expr],
    ) -> Outcome<Code<'a>> {
        let kind = match function.role {
            Role::Constructor => Ty::Class(class),
            _ => self.result(class, function)?,
        };
        let inverses = INVERSES.iter().filter(|(read, _)| *read == function.name);
        let inverse = inverses.filter_map(|(_, written)| class.function(written)).next();
        let at = function.parameters.iter().position(|one| one.kind == Type::Bytes && one.name == "bytes");
        let (Some(inverse), Some(at)) = (inverse, at) else {
            return Ok((self.creation(class, function, arguments, None)?, kind));
        };
        let bytes = arguments.get(at).ok_or_else(|| format!("{} needs bytes", function.name))?;
        let bytes = self.text(bytes)?;
        let call = self.creation(class, function, arguments, Some(at))?;
        let written = self.without_arguments("it", class, inverse);
        let texts = [
            "again({0}, lambda data: {1}, lambda it: {2})",
            "again({0}, (data) => {1}, (it) => {2})",
            "again({0}, { data -> {1} }, { {2} })",
        ];
        Ok((self.form(texts, &[&bytes, &call, &written]), kind))
    }

    /// A call on a class. The argument at `data` is the variable of this name.
    fn creation(
        &mut self,
        class: &Class,
        function: &Function,
        arguments: &[&Expr],
        data: Option<usize>,
    ) -> Outcome<String> {
        let replaced: Expr = syn::parse_str("data").map_err(|error| error.to_string())?;
        let mut arguments = arguments.to_vec();
        if let Some(place) = data.and_then(|at| arguments.get_mut(at)) {
            *place = &replaced;
        }
        self.scope.push(("data".to_owned(), Ty::Bytes));
        let given = self.arguments(class, function, &arguments);
        self.scope.pop();
        let (given, name) = (given?, self.world.class_name(class));
        if function.is_constant() {
            let constant = [&function.name.to_uppercase(), &function_name(class, function)];
            let texts = ["{0}.{1}", "{0}.{2}", "{0}.{1}"];
            return Ok(self.form(texts, &[&name, constant[0], constant[1]]));
        }
        let is_object = given.starts_with("{ ");
        Ok(match (function.role, self.language()) {
            (Role::Constructor, Language::JavaScript) if class.plain && is_object => format!("({given})"),
            (Role::Constructor, Language::JavaScript) => format!("new {name}({given})"),
            (Role::Constructor, _) => format!("{name}({given})"),
            (_, Language::JavaScript) => {
                format!("{name}.{}({given})", function_name(class, function))
            }
            _ => self.called(class, function, (&name, &self.name(&function.name), &given)),
        })
    }

    /// The arguments of a call. Options are passed by their names where a language has these; `None` is left out then.
    fn arguments(&mut self, class: &Class, function: &Function, arguments: &[&Expr]) -> Outcome<String> {
        if arguments.len() > function.parameters.len() {
            return Err(format!("too many arguments of {}::{}", class.name, function.name));
        }
        let (mut given, mut options) = (Vec::new(), Vec::new());
        let is_object = function.fields || (class.plain && function.role == Role::Constructor);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let text = match argument {
                Expr::Closure(one) => {
                    let item =
                        parameter.kind.inner().map(|item| self.world.declared(class, item)).transpose()?;
                    self.closure(one, &[item.unwrap_or(Ty::Other)])?.0
                }
                Expr::Array(one) if one.elems.is_empty() => self.form(["[]", "[]", "emptyList()"], &[]),
                other => {
                    let (text, given) = self.expression(other)?;
                    // Kotlin does not widen integers.
                    let is_long = matches!(parameter.kind, Type::U32 | Type::AnyLength);
                    let is_short = matches!(given, Ty::Int("u8" | "u16" | "usize"));
                    let is_widened = self.language() == Language::Kotlin && is_long && is_short;
                    if is_widened { format!("{text}.toLong()") } else { text }
                }
            };
            let is_none = matches!(argument, Expr::Path(path) if path.path.is_ident("None"));
            match self.language() {
                Language::Python if parameter.option => {
                    if !is_none {
                        given.push(format!("{}={text}", parameter.name));
                    }
                }
                Language::JavaScript if parameter.option || is_object => {
                    if !is_none {
                        options.push(format!("{}: {text}", javascript(&parameter.name)));
                    }
                }
                _ => given.push(text),
            }
        }
        if !options.is_empty() {
            given.push(format!("{{ {} }}", options.join(", ")));
        }
        Ok(given.join(", "))
    }

    /// A call of a function. In Kotlin, where nothing can intercept calls while tests run, `both` also calls the
    /// suspending variant of a slow one, which must have the same outcome; with a hook, two calls may differ.
    pub(super) fn called(
        &self,
        class: &Class,
        function: &Function,
        (owner, name, arguments): (&str, &str, &str),
    ) -> String {
        let call = format!("{owner}.{name}({arguments})");
        if self.language() != Language::Kotlin || function.cost != Cost::Slow || class.has_hook() {
            return call;
        }
        let variant = format!("await{}", pascal(function.overload.as_ref().unwrap_or(&function.name)));
        let label = format!("{}.{variant}", self.world.class_name(class));
        format!("both(\"{label}\", {{ {call} }}, {{ {owner}.{variant}({arguments}) }})")
    }
}
