//! Expressions in the code of a language.

use syn::{BinOp, Expr, ExprClosure, ExprIf, Lit, Member, Pat, Stmt, UnOp};

use super::builtin;
use super::json::{self, Fields};
use super::language::{Language, Outcome};
use super::types::{Code, Ty, World, integer};
use crate::kotlin::package;
use crate::model::{Class, Kind};
use crate::names::{camel, javascript, snake};

/// Writes the expressions of one function.
pub(super) struct Writer<'w, 'a> {
    pub(super) world: &'w World<'a>,
    /// The module of the function.
    pub(super) module: &'w str,
    /// The values with names.
    pub(super) scope: Vec<(String, Ty<'a>)>,
}

impl<'a> Writer<'_, 'a> {
    pub(super) fn language(&self) -> Language {
        self.world.language
    }

    /// The text of the language: see [`Language::form`].
    pub(super) fn form(&self, texts: [&str; 3], values: &[&str]) -> String {
        self.language().form(texts, values)
    }

    /// A name in the case of the language.
    pub(super) fn name(&self, name: &str) -> String {
        if self.language() == Language::Python { name.to_owned() } else { camel(name) }
    }

    pub(super) fn text(&mut self, expression: &Expr) -> Outcome<String> {
        Ok(self.expression(expression)?.0)
    }

    pub(super) fn expression(&mut self, expression: &Expr) -> Outcome<Code<'a>> {
        match expression {
            Expr::Lit(one) => self.literal(&one.lit),
            Expr::Path(one) => self.path(&segments(&one.path)),
            Expr::Paren(one) => self.expression(&one.expr),
            Expr::Reference(one) => self.expression(&one.expr),
            Expr::Call(one) => self.call(one),
            Expr::MethodCall(one) => self.method(one),
            Expr::Field(one) => {
                let (value, kind) = self.expression(&one.base)?;
                match (&one.member, kind) {
                    (Member::Named(name), Ty::Class(class)) => self.field(&value, class, &name.to_string()),
                    (_, kind) => Err(format!("{value} of the type {kind:?} has no fields")),
                }
            }
            Expr::Index(one) => {
                let ((value, kind), index) = (self.expression(&one.expr)?, self.text(&one.index)?);
                if kind == Ty::Bytes {
                    let texts = ["{0}[{1}]", "{0}[{1}]", "({0}[{1}].toInt() and 0xff)"];
                    return Ok((self.form(texts, &[&value, &index]), Ty::Int("usize")));
                }
                Ok((format!("{value}[{index}]"), kind.inner()))
            }
            Expr::Binary(one) => self.binary(&one.left, &one.op, &one.right),
            Expr::Unary(one) => {
                let (value, kind) = self.expression(&one.expr)?;
                match one.op {
                    UnOp::Not(_) => Ok((self.form(["(not {0})", "!{0}", "!{0}"], &[&value]), Ty::Bool)),
                    UnOp::Neg(_) => Ok((format!("(-{value})"), kind)),
                    _ => Err("an unknown operator".to_owned()),
                }
            }
            Expr::Cast(one) => {
                let (value, _) = self.expression(&one.expr)?;
                let syn::Type::Path(path) = &*one.ty else { return Err("a cast to no integer".to_owned()) };
                let kind = segments(&path.path).pop().and_then(|name| integer(&name)).unwrap_or("u64");
                let texts = match kind {
                    "u64" => ["{0}", "BigInt({0})", "{0}.toULong()"],
                    "u128" => ["{0}", "BigInt({0})", "{0}.toBigInteger()"],
                    "u32" => ["{0}", "{0}", "{0}.toLong()"],
                    _ => ["{0}", "{0}", "{0}.toInt()"],
                };
                Ok((self.form(texts, &[&value]), Ty::Int(kind)))
            }
            Expr::If(one) => self.choice(one),
            Expr::Tuple(one) => {
                let parts =
                    one.elems.iter().map(|part| self.text(part)).collect::<Outcome<Vec<_>>>()?.join(", ");
                let kotlin = if one.elems.len() == 2 { "Pair({0})" } else { "Triple({0})" };
                Ok((self.form(["({0})", "[{0}]", kotlin], &[&parts]), Ty::Other))
            }
            Expr::Array(one) => {
                let parts =
                    one.elems.iter().map(|part| self.expression(part)).collect::<Outcome<Vec<_>>>()?;
                let item = parts.first().map_or(Ty::Other, |(_, kind)| kind.clone());
                let texts = parts.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(", ");
                let kotlin = if texts.is_empty() { "emptyList<Any>()" } else { "listOf({0})" };
                Ok((self.form(["[{0}]", "[{0}]", kotlin], &[&texts]), Ty::list(item)))
            }
            Expr::Macro(one) if one.mac.path.is_ident("json") => {
                self.object(one.mac.parse_body().map_err(|error| error.to_string())?)
            }
            Expr::Closure(one) => self.closure(one, &[]),
            _ => Err("an expression of an unknown form".to_owned()),
        }
    }

    fn literal(&self, literal: &Lit) -> Outcome<Code<'a>> {
        match literal {
            Lit::Str(text) => Ok((format!("{:?}", text.value()), Ty::Text)),
            Lit::ByteStr(bytes) => {
                let text = String::from_utf8(bytes.value()).map_err(|error| error.to_string())?;
                let texts = ["b{0}", "utf8({0})", "{0}.toByteArray()"];
                Ok((self.form(texts, &[&format!("{text:?}")]), Ty::Bytes))
            }
            Lit::Bool(one) => {
                let texts = if one.value { ["True", "true", "true"] } else { ["False", "false", "false"] };
                Ok((self.form(texts, &[]), Ty::Bool))
            }
            Lit::Int(number) => {
                let (digits, kind) = (number.base10_digits(), integer(number.suffix()).unwrap_or("usize"));
                let texts = match kind {
                    "u64" => ["{0}", "{0}n", "{0}uL"],
                    "u128" => ["{0}", "{0}n", "{0}.toBigInteger()"],
                    "u32" => ["{0}", "{0}", "{0}L"],
                    _ => ["{0}"; 3],
                };
                Ok((self.form(texts, &[digits]), Ty::Int(kind)))
            }
            _ => Err("a literal of an unknown form".to_owned()),
        }
    }

    /// A value with a name, nothing, a constant, or one of several names of the interface.
    fn path(&self, path: &[String]) -> Outcome<Code<'a>> {
        if let Some((constant, value)) = self.constant(path) {
            let kind = if u64::try_from(value).is_ok() { "usize" } else { "u128" };
            return Ok((constant, Ty::Int(kind)));
        }
        match path {
            [class, variant] if class == "Suite" => {
                let values = [variant.as_str(), &snake(variant).to_uppercase()];
                Ok((self.form(["quorate.Suite.{1}", "q.Suite.{0}", "Suite.{1}"], &values), Ty::Suite))
            }
            [name] if name == "None" => Ok((self.form(["None", "null", "null"], &[]), Ty::Other)),
            [name] => {
                let found = self.scope.iter().rev().find(|(known, _)| known == name);
                let (_, kind) = found.ok_or_else(|| format!("no value {name}"))?;
                Ok((self.name(name), kind.clone()))
            }
            [path @ .., class, variant] => {
                let class = self.world.class(path, class)?;
                let known = class.variants.iter().find(|one| one.name == *variant);
                let known = known.filter(|_| class.kind == Kind::Names);
                let text = known.ok_or_else(|| format!("no name {}::{variant}", class.name))?.text.clone();
                let values = [text.as_str(), &self.world.class_name(class), &snake(variant).to_uppercase()];
                Ok((self.form(["\"{0}\"", "\"{0}\"", "{1}.{2}"], &values), Ty::Class(class)))
            }
            [] => Err("a path without names".to_owned()),
        }
    }

    /// A constant of a class or of a block, and its value.
    fn constant(&self, path: &[String]) -> Option<(String, u128)> {
        let (name, outer) = path.split_last()?;
        let (last, before) = outer.split_last()?;
        if name.chars().any(char::is_lowercase) {
            return None;
        }
        if let Ok(class) = self.world.class(before, last)
            && let Some(constant) = class.constants.iter().find(|one| one.name == *name)
        {
            return Some((format!("{}.{name}", self.world.class_name(class)), constant.value));
        }
        let (block, constant) = self.world.constant(outer, name)?;
        let module = block.module.as_deref().map(|module| module.replace('/', ".") + ".").unwrap_or_default();
        let within = constant.within.as_ref().map(|class| format!("{}.{class}.", package(block)));
        let within = within.unwrap_or_else(|| format!("{}.", package(block)));
        let text = self.form(["quorate.{0}{2}", "q.{0}{2}", "{1}{2}"], &[&module, &within, name]);
        Some((text, constant.value))
    }

    /// A field of plain data. One that only some forms have is optional.
    fn field(&self, value: &str, class: &'a Class, name: &str) -> Outcome<Code<'a>> {
        let with = |one: &&crate::model::Variant| one.fields.iter().any(|field| field.name == name);
        let having: Vec<_> = class.variants.iter().filter(with).collect();
        let variant = *having.first().ok_or_else(|| format!("no field {}.{name}", class.name))?;
        let field = variant.fields.iter().find(|field| field.name == name);
        let kind =
            field.map(|field| self.world.declared(class, &field.kind)).transpose()?.unwrap_or(Ty::Other);
        let name = self.form([name, &javascript(name), &camel(name)], &[]);
        if having.len() == class.variants.len() {
            return Ok((format!("{value}.{name}"), kind));
        }
        let texts = ["getattr({0}, \"{1}\", None)", "{0}.{1}", "({0} as? {2}.{3})?.{1}"];
        let values = [value, &name, &self.world.class_name(class), &variant.name];
        Ok((self.form(texts, &values), Ty::Optional(Box::new(kind))))
    }

    fn binary(&mut self, left: &Expr, operator: &BinOp, right: &Expr) -> Outcome<Code<'a>> {
        let ((left, kind), (right, other)) = (self.expression(left)?, self.expression(right)?);
        let is_number = |kind: &Ty<'_>| matches!(kind, Ty::Int(_)) && !kind.is_wide();
        let is_plain = |kind: &Ty<'_>| is_number(kind) || matches!(kind, Ty::Bool | Ty::Text);
        let equality = |not: bool| {
            let sign = if not { "!=" } else { "==" };
            let kotlin = if is_number(&kind) { "({0}.toLong() {2} {1}.toLong())" } else { "({0} {2} {1})" };
            let texts = match (is_plain(&kind) && is_plain(&other), not) {
                (true, _) => ["({0} {2} {1})", "({0} {2}= {1})", kotlin],
                (false, false) => ["equal({0}, {1})"; 3],
                (false, true) => ["(not equal({0}, {1}))", "!equal({0}, {1})", "!equal({0}, {1})"],
            };
            self.form(texts, &[&left, &right, sign])
        };
        let infix = |sign: &str| format!("({left} {sign} {right})");
        let wider = if kind == Ty::Int("usize") { other.clone() } else { kind.clone() };
        Ok(match operator {
            BinOp::Eq(_) => (equality(false), Ty::Bool),
            BinOp::Ne(_) => (equality(true), Ty::Bool),
            BinOp::Lt(_) if self.language() == Language::JavaScript && matches!(kind, Ty::Class(_)) => {
                (format!("({left}.compare({right}) < 0)"), Ty::Bool)
            }
            BinOp::Lt(_) => (infix("<"), Ty::Bool),
            BinOp::Le(_) => (infix("<="), Ty::Bool),
            BinOp::Gt(_) => (infix(">"), Ty::Bool),
            BinOp::Ge(_) => (infix(">="), Ty::Bool),
            BinOp::And(_) => (infix(&self.form(["and", "&&", "&&"], &[])), Ty::Bool),
            BinOp::Or(_) => (infix(&self.form(["or", "||", "||"], &[])), Ty::Bool),
            BinOp::Add(_) => (infix("+"), wider),
            BinOp::Sub(_) => (infix("-"), wider),
            BinOp::Mul(_) => (infix("*"), wider),
            BinOp::Rem(_) => (infix("%"), wider),
            BinOp::Div(_) => {
                (self.form(["({0} // {1})", "Math.floor({0} / {1})", "({0} / {1})"], &[&left, &right]), wider)
            }
            _ => return Err("an unknown operator".to_owned()),
        })
    }

    /// `if` with a value.
    fn choice(&mut self, one: &ExprIf) -> Outcome<Code<'a>> {
        let condition = self.text(&one.cond)?;
        let other = one.else_branch.as_ref().ok_or("a value needs `else`")?;
        let Expr::Block(other) = &*other.1 else { return Err("`else if` has no value".to_owned()) };
        let (then, kind) = self.expression(value(&one.then_branch.stmts)?)?;
        let other = self.text(value(&other.block.stmts)?)?;
        let texts = ["({1} if {0} else {2})", "({0} ? {1} : {2})", "(if ({0}) {1} else {2})"];
        Ok((self.form(texts, &[&condition, &then, &other]), kind))
    }

    pub(super) fn object(&mut self, Fields(fields): Fields) -> Outcome<Code<'a>> {
        let mut parts = Vec::new();
        for (name, field) in fields {
            let (value, kind) = self.expression(&field)?;
            let value = self.shown(value, &kind);
            parts.push(self.form(["\"{0}\": {1}", "\"{0}\": {1}", "\"{0}\" to {1}"], &[&name, &value]));
        }
        Ok((self.form(["{{0}}", "({ {0} })", "json({0})"], &[&parts.join(", ")]), Ty::Json))
    }

    /// A value as JSON within an object.
    fn shown(&self, value: String, kind: &Ty<'a>) -> String {
        match self.language() {
            Language::Kotlin => value,
            _ if *kind == Ty::Json => value,
            Language::Python if kind.is_wide() => format!("wide({value})"),
            Language::Python | Language::JavaScript => format!("shown({value})"),
        }
    }

    /// A function of parameters with these types: its result's type.
    pub(super) fn closure(&mut self, one: &ExprClosure, kinds: &[Ty<'a>]) -> Outcome<Code<'a>> {
        let (names, body, kind) = self.lambda(one, kinds)?;
        Ok((self.function(&names, &body), kind))
    }

    /// A function without a name.
    pub(super) fn function(&self, names: &[String], body: &str) -> String {
        let texts = match names {
            [] => ["lambda: {1}", "() => {1}", "{ {1} }"],
            _ => ["lambda {0}: {1}", "({0}) => {1}", "{ {0} -> {1} }"],
        };
        self.form(texts, &[&names.join(", "), body])
    }

    /// The names of a function's parameters, its body, and the type of its result.
    pub(super) fn lambda(
        &mut self,
        one: &ExprClosure,
        kinds: &[Ty<'a>],
    ) -> Outcome<(Vec<String>, String, Ty<'a>)> {
        let before = self.scope.len();
        let mut names = Vec::new();
        for (at, input) in one.inputs.iter().enumerate() {
            let name = match input {
                Pat::Ident(name) => name.ident.to_string(),
                // Only Kotlin has several parameters of this name.
                Pat::Wild(_) => self.form(["_{0}", "_{0}", "_"], &[&at.to_string()]),
                _ => return Err("a parameter without a name".to_owned()),
            };
            names.push(if name.starts_with('_') { name.clone() } else { self.name(&name) });
            self.scope.push((name, kinds.get(at).cloned().unwrap_or(Ty::Other)));
        }
        let (body, kind) = match &*one.body {
            Expr::Block(block) => self.expression(value(&block.block.stmts)?)?,
            body => self.expression(body)?,
        };
        self.scope.truncate(before);
        Ok((names, body, kind))
    }

    /// A function of lists, optional values and values without class.
    pub(super) fn common(&mut self, on: Code<'a>, name: &str, arguments: &[&Expr]) -> Outcome<Code<'a>> {
        let (value, kind) = on;
        if let ([], Some(found)) = (arguments, builtin::property(self.world, &kind, &value, name)) {
            return Ok(found);
        }
        let unknown = || format!("no function {name} of the type {kind:?}");
        match (&kind, name, arguments) {
            (Ty::Json, _, [Expr::Lit(key)]) => {
                let (key, _) = self.literal(&key.lit)?;
                json::read(self.language(), &value, name, &key).ok_or_else(unknown)
            }
            (Ty::List(_), "contains", [one]) => {
                let one = self.text(one)?;
                let texts = ["({1} in {0})", "{0}.some((it) => equal(it, {1}))", "{0}.contains({1})"];
                Ok((self.form(texts, &[&value, &one]), Ty::Bool))
            }
            (Ty::List(item), "any" | "all", [Expr::Closure(one)]) => {
                let (names, body, _) = self.lambda(one, &[(**item).clone()])?;
                let javascript = if name == "any" { "some" } else { "every" };
                let texts = ["{3}({2} for {1} in {0})", "{0}.{4}(({1}) => {2})", "{0}.{3} { {1} -> {2} }"];
                Ok((self.form(texts, &[&value, &names.join(", "), &body, name, javascript]), Ty::Bool))
            }
            (Ty::List(item), "map" | "filter", [Expr::Closure(one)]) => {
                let (names, body, made) = self.lambda(one, &[(**item).clone()])?;
                let each = names.join(", ");
                let (python, result) = match name {
                    "map" => ("[{2} for {1} in {0}]", Ty::list(made)),
                    _ => ("[{1} for {1} in {0} if {2}]", kind.clone()),
                };
                let texts = [python, "{0}.{3}(({1}) => {2})", "{0}.{3} { {1} -> {2} }"];
                Ok((self.form(texts, &[&value, &each, &body, name]), result))
            }
            (Ty::List(item), "reduce", [Expr::Closure(one)]) => {
                let item = (**item).clone();
                let (function, _) = self.closure(one, &[item.clone(), item.clone()])?;
                let texts = ["reduce({1}, {0})", "{0}.reduce({1})", "{0}.reduce {1}"];
                Ok((self.form(texts, &[&value, &function]), item))
            }
            (Ty::Optional(inner), "map", [Expr::Closure(one)]) => {
                let (function, made) = self.closure(one, &[(**inner).clone()])?;
                let texts = ["some({0}, {1})", "some({0}, {1})", "({0})?.let {1}"];
                Ok((self.form(texts, &[&value, &function]), Ty::Optional(Box::new(made))))
            }
            _ => Err(unknown()),
        }
    }
}

/// The only expression of a block.
fn value(statements: &[Stmt]) -> Outcome<&Expr> {
    match statements {
        [Stmt::Expr(value, None)] => Ok(value),
        _ => Err("a block with a value is one expression".to_owned()),
    }
}

pub(super) fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}
