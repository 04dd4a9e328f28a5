//! A small writer of SVG figures: curves and bars. Colours come from the page's style sheet, so that they follow the
//! reader's light or dark scheme.

mod axis;
mod bars;
mod chart;

pub(crate) use bars::Bars;
pub(crate) use chart::{Chart, Curve, Level, shortened};

use std::fmt::Write;

/// The text of a figure, element by element.
struct Canvas {
    text: String,
}

impl Canvas {
    /// An empty figure of this size, with a title that screen readers speak.
    fn new(width: f64, height: f64, title: &str) -> Self {
        let text = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\" xmlns=\"http://www.w3.org/2000/svg\">",
            escape(title)
        );
        Self { text }
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.write(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    fn label(&mut self, class: &str, at: (f64, f64), text: &str) {
        let ((x, y), text) = (at, escape(text));
        self.write(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        ));
    }

    fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut data = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(data, "{command}{x:.1} {y:.1}");
        }
        self.write(format_args!("<path class=\"{class}\" d=\"{data}\"/>"));
    }

    /// A dot that shows its text when the pointer rests on it.
    fn dot(&mut self, class: &str, at: (f64, f64), hint: &str) {
        let ((x, y), hint) = (at, escape(hint));
        self.write(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{hint}</title></circle>"
        ));
    }

    /// A filled box that shows its text when the pointer rests on it.
    fn bar(&mut self, at: (f64, f64), size: (f64, f64), hint: &str) {
        let ((x, y), (width, height), hint) = (at, size, escape(hint));
        self.write(format_args!(
            "<rect class=\"bar\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"><title>{hint}</title></rect>"
        ));
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = self.text.write_fmt(element);
    }

    fn finish(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }
}

/// Text with the signs replaced that mean something in SVG.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out_of_its_element() {
        let mut canvas = Canvas::new(10.0, 10.0, "a\"b");
        canvas.label("tick", (1.0, 2.0), "<script>&");
        let svg = canvas.finish();
        assert!(svg.contains("aria-label=\"a&quot;b\""));
        assert!(svg.contains(">&lt;script&gt;&amp;</text>"));
    }
}
