//! The chart: a bar for each ratio, with marks for the floor and the target.

use crate::lines::Line;

const WIDTH: f64 = 1080.0;
/// Where the bars start and end.
const LEFT: f64 = 420.0;
const RIGHT: f64 = 1000.0;
const ROW: f64 = 26.0;
const TOP: f64 = 84.0;
/// The ratio at the right end.
const MAX: f64 = 1.2;

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1f2933}.title{font-size:17px;font-weight:600}\
.small{font-size:11px;fill:#616e7c}.axis{stroke:#e4e7eb}.met{fill:#2f9e6e}.between{fill:#e0a526}.below{fill:#d64545}\
.floor{stroke:#1f2933;stroke-width:2;stroke-dasharray:3 2}.target{stroke:#1f2933;stroke-width:2}.spread{stroke:#1f2933;opacity:.45}";

/// The chart of all lines with a goal and a ratio.
pub(crate) fn svg(lines: &[Line], about: &str) -> String {
    let shown: Vec<&Line> = lines.iter().filter(|line| line.goal.is_some() && line.ratio.is_some()).collect();
    let mut rows = String::new();
    let mut y = TOP;
    let mut engine = None;
    for line in shown {
        if engine != Some(line.engine) {
            engine = Some(line.engine);
            rows.push_str(&text(16.0, y + 16.0, "title", line.engine.title()));
            y += ROW + 4.0;
        }
        rows.push_str(&bar(line, y));
        y += ROW;
    }
    let height = y + 24.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\
         <style>{STYLE}</style><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    svg.push_str(&text(
        16.0,
        28.0,
        "title",
        "Fieldhouse: ratio to the limit, or to the same statements by hand",
    ));
    svg.push_str(&text(16.0, 48.0, "small", about));
    svg.push_str(&text(
        16.0,
        66.0,
        "small",
        "solid mark: target; dashed mark: floor; thin line: smallest and largest round",
    ));
    for tenth in (0..=12).step_by(2) {
        let x = place(f64::from(tenth) / 10.0);
        svg.push_str(&upright("axis", x, TOP - 8.0, height - 16.0));
        svg.push_str(&text(x - 8.0, height - 4.0, "small", &format!("{:.1}", f64::from(tenth) / 10.0)));
    }
    svg + &rows + "</svg>\n"
}

fn place(ratio: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * ratio.clamp(0.0, MAX) / MAX
}

fn bar(line: &Line, y: f64) -> String {
    let (Some(ratio), Some(goal)) = (line.ratio, line.goal) else { return String::new() };
    let class = match line.verdict() {
        "target met" => "met",
        "above floor" => "between",
        _ => "below",
    };
    let mark = |class: &str, at: f64| upright(class, place(at), y + 1.0, y + ROW - 5.0);
    let (top, width, height) = (y + 3.0, (place(ratio.median) - LEFT).max(1.0), ROW - 10.0);
    let (middle, from, to) = (y + (ROW - 4.0) / 2.0, place(ratio.min), place(ratio.max));
    [
        text(28.0, y + 16.0, "", &line.title),
        format!("<rect class=\"{class}\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\"/>"),
        format!("<line class=\"spread\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>"),
        mark("floor", goal.floor),
        mark("target", goal.target),
        text(RIGHT + 12.0, y + 16.0, "", &format!("{:.2}", ratio.median)),
        "\n".to_owned(),
    ]
    .concat()
}

/// A vertical line.
fn upright(class: &str, x: f64, top: f64, bottom: f64) -> String {
    format!("<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>")
}

fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{content}</text>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::tests::measured;
    use crate::figures::{FIELDHOUSE, LIMIT};
    use crate::lines;

    #[test]
    fn the_chart_is_well_formed_and_has_a_bar_for_each_goal() {
        let all = [
            measured("list", LIMIT, &[100.0, 90.0]),
            measured("list", FIELDHOUSE, &[30.0, 20.0]),
            measured("season", FIELDHOUSE, &[1.0]),
        ];
        let chart = svg(&lines::lines(&all), "a < b & c");
        assert_eq!(chart.matches("<rect class=").count(), 1, "one has a ratio");
        assert!(chart.contains("a &lt; b &amp; c"));
        let opened = ["<svg", "<style", "<text"].map(|tag| chart.matches(tag).count());
        let closed = ["</svg>", "</style>", "</text>"].map(|tag| chart.matches(tag).count());
        assert_eq!(opened, closed);
        assert_eq!(
            chart.matches("<line").count() + chart.matches("<rect").count(),
            chart.matches("/>").count()
        );
        assert_eq!(chart.matches('"').count() % 2, 0);
        assert!(!chart.contains("NaN"));
    }
}
