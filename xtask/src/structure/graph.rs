//! Directed graphs of files or crates, and their circles.

use std::collections::{BTreeMap, BTreeSet};

/// Uses between nodes, with the names that are used.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

/// Nodes that reach each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Circle {
    /// The nodes, in alphabetical order.
    pub(crate) nodes: Vec<String>,
    /// The uses between them: user, used, names.
    pub(crate) uses: Vec<(String, String, Vec<String>)>,
}

impl Graph {
    /// Records that `from` uses `name` of `to`. A use within one node is no edge.
    pub(crate) fn add(&mut self, from: &str, to: &str, name: &str) {
        self.edges.entry(to.to_owned()).or_default();
        let uses = self.edges.entry(from.to_owned()).or_default();
        if from != to {
            uses.entry(to.to_owned()).or_default().insert(name.to_owned());
        }
    }

    /// All nodes, in alphabetical order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &str> {
        self.edges.keys().map(String::as_str)
    }

    /// The nodes that `from` uses directly.
    fn used_by(&self, from: &str) -> impl Iterator<Item = &str> {
        self.edges.get(from).into_iter().flatten().map(|(to, _)| to.as_str())
    }

    /// All nodes that `from` reaches by one edge or more.
    fn reached_from<'a>(&'a self, from: &str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&str> = self.used_by(from).collect();
        while let Some(node) = waiting.pop() {
            if reached.insert(node) {
                waiting.extend(self.used_by(node));
            }
        }
        reached
    }

    /// The strongly connected components with two nodes or more.
    pub(crate) fn circles(&self) -> Vec<Circle> {
        let reached: BTreeMap<&str, _> =
            self.edges.keys().map(|node| (node.as_str(), self.reached_from(node))).collect();
        let mutual = |a: &str, b: &str| {
            let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|nodes| nodes.contains(to));
            reaches(a, b) && reaches(b, a)
        };
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for node in self.edges.keys() {
            if seen.contains(node.as_str()) || !mutual(node, node) {
                continue;
            }
            let nodes: Vec<String> = self.edges.keys().filter(|other| mutual(node, other)).cloned().collect();
            seen.extend(self.edges.keys().map(String::as_str).filter(|other| mutual(node, other)));
            circles.push(Circle { uses: self.uses_between(&nodes), nodes });
        }
        circles
    }

    fn uses_between(&self, nodes: &[String]) -> Vec<(String, String, Vec<String>)> {
        let uses =
            self.edges.iter().flat_map(|(from, uses)| uses.iter().map(move |(to, names)| (from, to, names)));
        uses.filter(|(from, to, _)| nodes.contains(from) && nodes.contains(to))
            .map(|(from, to, names)| (from.clone(), to.clone(), names.iter().cloned().collect()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.add(from, to, "x");
        }
        graph
    }

    #[test]
    fn a_graph_without_circles_has_none() {
        assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c"), ("c", "c")]).circles(), []);
    }

    #[test]
    fn each_circle_is_found_once_with_its_edges() {
        let circles =
            graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "e"), ("e", "f"), ("f", "d")]).circles();
        let nodes: Vec<_> = circles.iter().map(|circle| circle.nodes.join(" ")).collect();
        assert_eq!(nodes, ["b c", "d e f"]);
        assert_eq!(circles.first().map(|circle| circle.uses.len()), Some(2));
    }
}
