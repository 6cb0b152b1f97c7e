//! Lines over a logarithmic axis.

use std::fmt::Write;

use serde_json::{Value, json};

use super::axis::{Axis, label};
use super::svg::{COLOURS, WIDTH, begin, line, listed, named, text, text_upwards};

const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Series and their axes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lines {
    /// Label of the horizontal axis, with the unit.
    pub(crate) x: String,
    pub(crate) y: String,
    /// Label of the vertical axis. The horizontal axis is logarithmic.
    pub(crate) scale: Scale,
    pub(crate) series: Vec<Series>,
}

/// Scale of the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Logarithmic,
    /// Linear, from 0.
    Linear,
}

/// A line with its name. A single point is a mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Both coordinates are positive where their axis is logarithmic.
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) dashed: bool,
    /// The series whose colour it has, if it has none of its own.
    pub(crate) like: Option<usize>,
}

impl Series {
    /// A continuous line.
    pub(crate) fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: false, like: None }
    }

    /// A broken line in the colour of another series: the same quantity from elsewhere, or under other conditions.
    pub(crate) fn dashed(name: impl Into<String>, like: usize, points: Vec<(f64, f64)>) -> Self {
        Self { dashed: true, like: Some(like), ..Self::new(name, points) }
    }
}

impl Series {
    fn colour(&self, number: usize) -> &'static str {
        COLOURS.get(self.like.unwrap_or(number) % COLOURS.len()).copied().unwrap_or_default()
    }
}

impl Lines {
    /// Over two logarithmic axes.
    pub(crate) fn new(x: impl Into<String>, y: impl Into<String>, series: Vec<Series>) -> Self {
        Self { x: x.into(), y: y.into(), scale: Scale::Logarithmic, series }
    }

    pub(crate) fn to_json(&self) -> Value {
        let series = |one: &Series| json!({ "name": one.name, "points": one.points, "dashed": one.dashed, "like": one.like });
        let all: Vec<_> = self.series.iter().map(series).collect();
        json!({ "x": self.x, "y": self.y, "linear": self.scale == Scale::Linear, "series": all })
    }

    pub(super) fn from_json(value: &Value) -> Self {
        let is = |value: &Value, field: &str| value.get(field).and_then(Value::as_bool) == Some(true);
        let series = |one: &Value| Series {
            name: named(one, "name"),
            points: one
                .get("points")
                .and_then(|all| serde_json::from_value(all.clone()).ok())
                .unwrap_or_default(),
            dashed: is(one, "dashed"),
            like: one.get("like").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok()),
        };
        Self {
            x: named(value, "x"),
            y: named(value, "y"),
            scale: if is(value, "linear") { Scale::Linear } else { Scale::Logarithmic },
            series: listed(value, "series").map(series).collect(),
        }
    }

    pub(super) fn svg(&self, title: &str) -> Option<String> {
        // Values that are not positive have no place on a logarithmic axis.
        let drawable =
            |(x, y): &(f64, f64)| *x > 0.0 && (*y > 0.0 || self.scale == Scale::Linear && *y >= 0.0);
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied()).filter(drawable);
        let x = Axis::logarithmic(points().map(|(x, _)| x), LEFT, WIDTH - RIGHT)?;
        let of_y = match self.scale {
            Scale::Logarithmic => Axis::logarithmic,
            Scale::Linear => Axis::linear,
        };
        let y = of_y(&mut points().map(|(_, y)| y), HEIGHT - BOTTOM, TOP)?;
        let mut svg = begin(HEIGHT, title);
        text(&mut svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", &self.x);
        text_upwards(&mut svg, HEIGHT / 2.0, &self.y);
        grid(&mut svg, &x, &y);
        let places: Vec<Vec<(f64, f64)>> = self
            .series
            .iter()
            .map(|series| series.points.iter().filter(|point| drawable(point)))
            .map(|points| points.map(|(px, py)| (x.place(*px), y.place(*py))).collect())
            .collect();
        for ((number, series), places) in (0..).zip(&self.series).zip(&places) {
            draw(&mut svg, series, places, series.colour(number));
        }
        self.legend(&mut svg, &places);
        svg.push_str("</svg>\n");
        Some(svg)
    }

    /// Draws the legend in the corner with the fewest points.
    fn legend(&self, svg: &mut String, places: &[Vec<(f64, f64)>]) {
        let longest = self.series.iter().map(|series| series.name.chars().count()).max().unwrap_or_default();
        let (width, height) = (longest as f64 * 6.6 + 44.0, self.series.len() as f64 * 18.0 + 10.0);
        let (left, right) = (LEFT + 6.0, WIDTH - RIGHT - 6.0 - width);
        let (top, bottom) = (TOP + 4.0, HEIGHT - BOTTOM - 4.0 - height);
        let hidden = |(x, y): &(f64, f64)| {
            let inside =
                |(px, py): &(f64, f64)| (*x..=x + width).contains(px) && (*y..=y + height).contains(py);
            places.iter().flat_map(|places| along(places)).filter(inside).count()
        };
        let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
        let (x, y) = corners.into_iter().min_by_key(hidden).unwrap_or((left, top));
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"white\" \
             fill-opacity=\"0.8\"/>"
        );
        for (number, series) in self.series.iter().enumerate() {
            let colour = series.colour(number);
            let at = y + 17.0 + 18.0 * number as f64;
            let _ = writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"3\"{}/>",
                x + 6.0,
                at - 4.0,
                x + 28.0,
                at - 4.0,
                dashes(series)
            );
            text(svg, x + 34.0, at, "start", &series.name);
        }
    }
}

fn draw(svg: &mut String, series: &Series, places: &[(f64, f64)], colour: &str) {
    let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{}/>",
        line.join(" "),
        dashes(series)
    );
    // Hollow where the line is broken.
    let fill = if series.dashed { "white" } else { colour };
    for (x, y) in places {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{fill}\" stroke=\"{colour}\"/>"
        );
    }
}

fn dashes(series: &Series) -> &'static str {
    if series.dashed { " stroke-dasharray=\"6 4\"" } else { "" }
}

/// Points along a line, closer than a legend is wide.
fn along(places: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let between = |pair: &[(f64, f64)]| match pair {
        [from, to] => (0..16u8)
            .map(|step| f64::from(step) / 16.0)
            .map(|part| (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)))
            .collect(),
        _ => vec![],
    };
    places.windows(2).flat_map(between).chain(places.last().copied())
}

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    for tick in x.ticks() {
        let at = x.place(tick);
        line(svg, (at, y.from), (at, y.to), "#ddd");
        text(svg, at, y.from + 16.0, "middle", &label(tick));
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        line(svg, (x.from, at), (x.to, at), "#ddd");
        text(svg, x.from - 6.0, at + 4.0, "end", &label(tick));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_draws_its_series_and_escapes_its_text() {
        let series = vec![
            Series::new("a < b", vec![(1.0, 2.0), (10.0, 20.0)]),
            Series::dashed("c", 0, vec![(1.0, 3.0), (-1.0, 7.0), (10.0, 30.0)]),
        ];
        let drawn = Lines::new("x", "y", series).svg("t & t").unwrap();
        assert_eq!(drawn.matches("<circle").count(), 4, "a series without positive values is not drawn");
        assert!(!drawn.contains("NaN") && !drawn.contains(COLOURS[1]));
        assert!(drawn.contains("<polyline") && drawn.contains("a &lt; b") && drawn.contains("t &amp; t"));
        assert!(drawn.contains("stroke-dasharray"));
        assert_eq!(Lines::new("x", "y", vec![]).svg("empty"), None);
    }

    #[test]
    fn the_legend_avoids_the_lines() {
        let legend = |points| {
            let drawn = Lines::new("x", "y", vec![Series::new("a", points)]).svg("t").unwrap();
            let rect = drawn.lines().find(|line| line.contains("fill-opacity")).unwrap().to_owned();
            let number = |field: &str| {
                let text = rect.split(&format!(" {field}=\"")).nth(1).unwrap().split('"').next().unwrap();
                text.parse::<f64>().unwrap()
            };
            (number("x") < WIDTH / 2.0, number("y") < HEIGHT / 2.0)
        };
        assert_eq!(legend(vec![(1.0, 1.0), (100.0, 100.0)]), (true, true));
        assert_eq!(legend(vec![(1.0, 100.0), (10.0, 100.0), (100.0, 1.0)]), (false, true));
    }
}
