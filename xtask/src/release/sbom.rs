//! The bill of materials in the format CycloneDX 1.6, as JSON: all crates in the release with versions, hashes and licences,
//! Rust's standard library, and the packages that Maven installs with the jar.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::dependencies::{Crate, Id};
use crate::bindings::python::virtual_environment;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// A validator with the schema of the format.
const VALIDATOR: &[&str] = &["cyclonedx-python-lib[json-validation]==11.12.0"];
const VALIDATE: &str = "\
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding='utf-8').read())
sys.exit(str(error) if error else 0)
";

/// The document for a version of ours, compiled with a version of Rust.
pub(super) fn document(version: &str, rust: &str, crates: &BTreeMap<Id, Crate>) -> Outcome<Value> {
    let pom = workspace::root().join("bindings/kotlin/pom.xml");
    let pom = fs::read_to_string(&pom).map_err(|e| format!("{}: {e}", pom.display()))?;
    let of_maven = maven_components(&pom)?;
    let components =
        crates.iter().map(|(id, found)| component(id, found)).chain(of_maven).chain([standard_library(rust)]);
    let components: Vec<Value> = components.collect();
    let dependencies: Vec<Value> = crates
        .iter()
        .map(|(id, found)| json!({ "ref": url(id), "dependsOn": found.uses.iter().map(url).collect::<Vec<_>>() }))
        .collect();
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "quorate-release",
                "name": "quorate",
                "version": version,
                "licenses": [{ "expression": "Apache-2.0 OR MIT" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// Checks a document against the schema of its format.
pub(super) fn validate(log: &Log, file: &Path) -> Outcome {
    let python = virtual_environment(log, "cyclonedx", VALIDATOR)?;
    log.run(Command::new(python).args(["-c", VALIDATE]).arg(file)).map(drop)
}

fn url((name, version): &Id) -> String {
    format!("pkg:cargo/{name}@{version}")
}

fn component(id: &Id, found: &Crate) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": url(id),
        "name": id.0,
        "version": id.1,
        "purl": url(id),
        "licenses": [{ "expression": found.licence }],
    });
    let fields = component.as_object_mut();
    let hashes = found.checksum.as_ref().map(|hash| json!([{ "alg": "SHA-256", "content": hash }]));
    let references = found.repository.as_ref().map(|url| json!([{ "type": "vcs", "url": url }]));
    if let Some(fields) = fields {
        fields.extend(hashes.map(|hashes| ("hashes".to_owned(), hashes)));
        fields.extend(references.map(|references| ("externalReferences".to_owned(), references)));
    }
    component
}

fn standard_library(rust: &str) -> Value {
    json!({
        "type": "library",
        "bom-ref": "rust-std",
        "name": "std",
        "version": rust,
        "description": "Rust's standard library",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        "externalReferences": [{ "type": "vcs", "url": "https://github.com/rust-lang/rust" }],
    })
}

/// The dependencies of the pom that users get, with their versions.
fn maven_components(pom: &str) -> Outcome<Vec<Value>> {
    let between = |text: &str, tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(found, _)| found.to_owned())
    };
    let dependencies = pom.split("<dependency>").skip(1).filter_map(|rest| rest.split_once("</dependency>"));
    let mut components = Vec::new();
    for (dependency, _) in dependencies.filter(|(dependency, _)| !dependency.contains("<scope>test</scope>"))
    {
        let [group, name, version] = ["groupId", "artifactId", "version"].map(|tag| between(dependency, tag));
        let (Some(group), Some(name), Some(version)) = (group, name, version) else {
            return Err(format!("a dependency of the pom has no version: {}", dependency.trim()));
        };
        let property = version.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let version = property.map_or(Some(version.clone()), |name| between(pom, name));
        let version = version.ok_or_else(|| format!("the pom does not define the version of {name}"))?;
        let purl = format!("pkg:maven/{group}/{name}@{version}");
        components.push(json!({
            "type": "library", "bom-ref": purl, "group": group, "name": name, "version": version, "purl": purl,
        }));
    }
    Ok(components)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_has_all_that_identifies_it() {
        let id = |name: &str| (name.to_owned(), "1.2.3".to_owned());
        let found = Crate {
            licence: "MIT OR Apache-2.0".to_owned(),
            checksum: Some("ab".repeat(32)),
            uses: [id("two")].into(),
            ..Crate::default()
        };
        let crates = BTreeMap::from([(id("one"), found), (id("two"), Crate::default())]);
        let document = document("0.0.0", "1.0.0", &crates).unwrap();
        let one = document.pointer("/components/0").unwrap();
        assert_eq!(one["purl"], "pkg:cargo/one@1.2.3");
        assert_eq!(one["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(one["hashes"][0]["content"], "ab".repeat(32));
        assert_eq!(document["dependencies"][0]["dependsOn"][0], "pkg:cargo/two@1.2.3");
        let all = document["components"].as_array().unwrap();
        assert_eq!(
            all.last().map(|last| (&last["name"], &last["version"])),
            Some((&"std".into(), &"1.0.0".into()))
        );
        for field in ["bomFormat", "specVersion", "version"] {
            assert!(!document[field].is_null(), "{field}");
        }
    }

    #[test]
    fn packages_of_maven_have_versions_and_no_test_is_among_them() {
        let pom = "<k.version>2.4</k.version>\
            <dependency><groupId>g</groupId><artifactId>k</artifactId><version>${k.version}</version></dependency>\
            <dependency><groupId>g</groupId><artifactId>t</artifactId><version>1</version><scope>test</scope></dependency>";
        let found = maven_components(pom).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["purl"], "pkg:maven/g/k@2.4");
        maven_components("<dependency><groupId>g</groupId><artifactId>k</artifactId></dependency>")
            .unwrap_err();
    }
}
