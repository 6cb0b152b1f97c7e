//! Line charts as SVG: two logarithmic axes, a few series, nothing else.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Distinguishable in print and for most colour-blind readers.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A line with its name; the points ascend in x, and all coordinates are positive.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The chart as an SVG document; `None` without points.
pub(crate) fn svg(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> Option<String> {
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    let x = Axis::around(points().map(|(x, _)| x), LEFT, WIDTH - RIGHT)?;
    let y = Axis::around(points().map(|(_, y)| y), HEIGHT - BOTTOM, TOP)?;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    text(&mut svg, WIDTH / 2.0, 22.0, "middle", title);
    text(&mut svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", x_label);
    let middle = HEIGHT / 2.0;
    // Writing into a String cannot fail, here and below.
    let _ = writeln!(
        svg,
        "<text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
        escaped(y_label)
    );
    grid(&mut svg, &x, &y);
    for (number, (series, colour)) in series.iter().zip(COLOURS).enumerate() {
        let at = |(px, py): &(f64, f64)| format!("{:.1},{:.1}", x.place(*px), y.place(*py));
        let line: Vec<String> = series.points.iter().map(at).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (px, py) in &series.points {
            let (cx, cy) = (x.place(*px), y.place(*py));
            let _ = writeln!(svg, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let legend = TOP + 16.0 + 18.0 * number as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"3\" fill=\"{colour}\"/>",
            LEFT + 12.0,
            legend - 5.0
        );
        text(&mut svg, LEFT + 30.0, legend, "start", &series.name);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// A logarithmic axis from `low` to `high`, drawn from `from` to `to`.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        // A little room, so that no point lies on the frame.
        (high > 0.0).then(|| Self { low: low / 1.3, high: high * 1.3, from, to })
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }

    /// 1, 2 and 5 times the powers of ten on this axis.
    fn ticks(&self) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let all: Vec<f64> = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(d))).collect();
        let inside = |tick: &f64| *tick >= self.low && *tick <= self.high;
        let ticks: Vec<f64> = all.iter().copied().filter(inside).collect();
        if ticks.len() <= 9 {
            return ticks;
        }
        ticks.into_iter().filter(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9).collect()
    }
}

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    for tick in x.ticks() {
        let at = x.place(tick);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            y.from, y.to
        );
        text(svg, at, y.from + 16.0, "middle", &label(tick));
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>",
            x.from, x.to
        );
        text(svg, x.from - 6.0, at + 4.0, "end", &label(tick));
    }
}

fn label(tick: f64) -> String {
    if tick >= 1.0 { format!("{tick:.0}") } else { format!("{tick}") }
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(content));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_inside_the_frame() {
        let x = Axis::around([4.0, 1000.0].into_iter(), LEFT, WIDTH - RIGHT).unwrap();
        for value in [4.0, 40.0, 1000.0] {
            assert!(x.place(value) > LEFT && x.place(value) < WIDTH - RIGHT);
        }
        assert!(x.place(4.0) < x.place(40.0));
    }

    #[test]
    fn a_chart_draws_its_series_and_escapes_its_text() {
        let series = [Series { name: "a < b".into(), points: vec![(1.0, 2.0), (10.0, 20.0)] }];
        let drawn = svg("t & t", "x", "y", &series).unwrap();
        assert!(drawn.contains("<polyline") && drawn.contains("a &lt; b") && drawn.contains("t &amp; t"));
        assert_eq!(svg("empty", "x", "y", &[]), None);
    }
}
