//! Does a table begin with column names, and its lines with row names?
//!
//! The options decide; without them the first two lines do, if they leave no doubt. A cell is a name if it is neither a
//! number nor a mark of a missing value. Names that look like numbers (years, wavelengths) cannot be told from data, so
//! that such tables are refused with the option that decides.

use super::style::{Kind, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The first line has the column names.
    pub(super) header: bool,
    /// The first cell of each line is the row's name.
    pub(super) labelled: bool,
    /// Only the look of the first row's first cell says so.
    pub(super) labels_guessed: bool,
}

const HEADER: &str = "use --header yes or --header no";

impl Layout {
    /// From the cells of the first two lines.
    pub(super) fn detect(
        first: &[String],
        second: Option<&[String]>,
        style: &Style,
    ) -> Result<Self, String> {
        let mut cells = first.iter().chain(second.unwrap_or_default());
        if let Some(cell) = cells.find(|cell| style.kind(cell) == Kind::Foreign) {
            return Err(format!(
                "'{cell}' looks like a number with a decimal comma; use --decimal , to read it as one, or --decimal . to read it as text"
            ));
        }
        let header = match style.options.header {
            Some(header) => header,
            None => header(first, second, style)?,
        };
        let body = if header { second } else { Some(first) };
        let (labelled, labels_guessed) = match (style.options.labels, body) {
            (Some(labels), _) => (labels, false),
            (None, None) => (false, false),
            (None, Some(body)) => labels(header.then_some(first), body, style)?,
        };
        Ok(Self {
            header,
            labelled,
            labels_guessed,
        })
    }
}

/// Whether the first line has the column names.
fn header(first: &[String], second: Option<&[String]>, style: &Style) -> Result<bool, String> {
    let Some(second) = second else {
        // Names alone would be no table; a line of them is refused with that message.
        return Ok(first.iter().all(|cell| style.kind(cell) == Kind::Name));
    };
    let is_name = |cell: &String| style.kind(cell) == Kind::Name;
    let named = first.iter().all(is_name) || is_name(&second[0]);
    if style.options.labels != Some(false) && first.len() + 1 == second.len() && named {
        // Without a cell above the row names: R's write.table.
        return Ok(true);
    }
    let (lead, others) = match first {
        [lead, others @ ..] if !others.is_empty() && style.options.labels != Some(false) => {
            (Some(lead.as_str()), others)
        }
        _ => (None, first),
    };
    let of = |kind| others.iter().find(|cell| style.kind(cell) == kind);
    match (of(Kind::Name), of(Kind::Number)) {
        (Some(_), None) => Ok(true),
        (Some(name), Some(number)) => Err(format!(
            "the first line has both a name ('{name}') and a number ('{number}'); {HEADER}, or correct the cell"
        )),
        (None, _) => match lead.map(|lead| (lead, style.kind(lead))) {
            Some((lead, Kind::Name)) if can_be_names(others) => Err(format!(
                "the first line ('{lead}', then {} and so on) may be column names that are numbers, or a row named '{lead}'; {HEADER}",
                others[0]
            )),
            Some((_, Kind::Name)) => Ok(false),
            Some(("", _)) => corner(others, second, style),
            _ if is_grid(first, style) && !is_grid(second, style) => Err(format!(
                "the first line counts in even steps ({}, {}, {} …) and the second does not: the first may be column names or data; {HEADER}",
                first[0], first[1], first[2]
            )),
            _ => Ok(false),
        },
    }
}

/// Whether an empty first cell, before cells that are no names, stands above row names.
fn corner(others: &[String], second: &[String], style: &Style) -> Result<bool, String> {
    let counts = |cells: &[String]| match cells {
        [one, two] => step(one, two, style) == Some(1.0),
        more => is_grid(more, style),
    };
    if counts(others) || style.kind(&second[0]) == Kind::Name {
        return Ok(true);
    }
    let whole = |cell: &String| cell.bytes().all(|byte| byte.is_ascii_digit());
    if !(can_be_names(others) && others.iter().all(whole)) {
        return Ok(false);
    }
    Err(format!(
        "the empty first cell may be the heading of the row names, or a missing number; {HEADER}, or fill it{}",
        style.nan.or(f64::NAN)
    ))
}

/// Whether the first cell of each line is its name, and whether only its look says so.
fn labels(
    header: Option<&[String]>,
    body: &[String],
    style: &Style,
) -> Result<(bool, bool), String> {
    if body.len() < 2 {
        return Ok((false, false));
    }
    if header.is_some_and(|names| names.len() + 1 == body.len() || names[0].is_empty()) {
        return Ok((true, false));
    }
    match (style.kind(&body[0]), header) {
        (Kind::Name, _) => Ok((true, true)),
        (Kind::Number, Some(names)) if is_identifier(&names[0]) => Err(format!(
            "the first column ('{}') may be row names or data; use --labels yes or --labels no",
            names[0]
        )),
        _ => Ok((false, false)),
    }
}

/// Column names do not repeat.
fn can_be_names(cells: &[String]) -> bool {
    let mut sorted: Vec<&String> = cells.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1]) && sorted.iter().all(|cell| !cell.is_empty())
}

/// Whether three or more cells are numbers that go up by the same step: a count, years, wavelengths.
fn is_grid(cells: &[String], style: &Style) -> bool {
    let mut steps = cells.windows(2).map(|pair| step(&pair[0], &pair[1], style));
    let Some(Some(first)) = steps.next() else {
        return false;
    };
    // Steps such as 0.1 are only nearly even.
    let even = |step: Option<f64>| step.is_some_and(|step| (step - first).abs() <= 1e-6 * first);
    cells.len() > 2 && first > 0.0 && steps.all(even)
}

/// From one cell to the next, if both are numbers.
fn step(from: &str, to: &str, style: &Style) -> Option<f64> {
    Some(style.number(to.as_bytes())? - style.number(from.as_bytes())?)
}

/// Whether a column of this name is likely to hold names, also if they are numbers.
fn is_identifier(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = ["_id", " id", ".id", "-id"];
    matches!(name.as_str(), "id" | "index" | "#") || ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nan::Nan;
    use crate::reading::CsvOptions;

    /// Whether there are column names and row names, or the option that decides.
    fn detect_with(
        first: &str,
        second: &str,
        nan: Nan,
        options: CsvOptions,
    ) -> Result<(bool, bool), String> {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let style = Style { options, nan };
        let layout = Layout::detect(&cells(first), Some(&cells(second)), &style)?;
        Ok((layout.header, layout.labelled))
    }

    fn detect(first: &str, second: &str) -> Result<(bool, bool), String> {
        detect_with(first, second, Nan::REFUSED, CsvOptions::default())
    }

    #[test]
    fn names_are_told_from_numbers() {
        assert_eq!(detect("1,2", "3,4"), Ok((false, false)));
        assert_eq!(detect("a,b", "3,4"), Ok((true, false)));
        assert_eq!(detect("key,b", "x,4"), Ok((true, true)));
        assert_eq!(detect("x,1,1", "y,4,2"), Ok((false, true)));
        assert_eq!(detect(",0,1", "0,3,4"), Ok((true, true)));
        assert_eq!(detect("a,b", "x,3,4"), Ok((true, true)));
        assert_eq!(detect("2001,2002", "x,3,4"), Ok((true, true)));
        assert_eq!(detect("value", "3"), Ok((true, false)));
        assert_eq!(detect("1,NA", "3,4"), Ok((false, false)));
        assert_eq!(detect("1,2,3", "4,5,6"), Ok((false, false)));
    }

    #[test]
    fn doubt_is_refused_with_the_option_that_decides() {
        for (first, second, option) in [
            ("gene,2001,2002", "TP53,3,4", "--header"),
            ("gene,2001,2002", "5,3,4", "--header"),
            ("1,2,x3", "4,5,6", "--header"),
            ("0,1,2", "0.5,0.1,0.7", "--header"),
            ("400,400.5,401", "3,1,1", "--header"),
            (",7,3", "1,2,3", "--header"),
            ("user_id,a", "17,3", "--labels"),
        ] {
            let refused = detect(first, second).unwrap_err();
            assert!(refused.contains(option), "{refused}");
        }
    }

    #[test]
    fn options_end_the_doubt() {
        let with = |header, labels| CsvOptions {
            header,
            labels,
            ..CsvOptions::default()
        };
        let detect =
            |first, second, options| detect_with(first, second, Nan::REFUSED, options).unwrap();
        let years = ("gene,2001,2002", "TP53,3,4");
        assert_eq!(
            detect(years.0, years.1, with(Some(true), None)),
            (true, true)
        );
        assert_eq!(
            detect(years.0, years.1, with(Some(false), None)),
            (false, true)
        );
        assert_eq!(detect("id,a", "1,2", with(None, Some(true))), (true, true));
        assert_eq!(
            detect("1,2,x3", "4,5,6", with(Some(true), Some(false))),
            (true, false)
        );
    }

    #[test]
    fn a_corner_is_told_from_a_missing_number() {
        let detect =
            |first, second| detect_with(first, second, Nan::Missing, CsvOptions::default());
        assert_eq!(detect(",0.5,1", "2,,4"), Ok((false, false)));
        assert_eq!(detect(",0,1", "0,3,4"), Ok((true, true)));
        assert_eq!(detect(",a,b", "x,,4"), Ok((true, true)));
        assert_eq!(detect(",7,3", "x,,4"), Ok((true, true)));
        assert!(detect(",7,3", "1,,4").unwrap_err().contains("--header"));
    }

    #[test]
    fn decimal_commas_are_not_taken_for_names() {
        let cells = ["1,5", "2,25"].map(str::to_owned);
        let detect = |decimal| {
            let options = CsvOptions {
                decimal,
                ..CsvOptions::default()
            };
            let style = Style {
                options,
                nan: Nan::REFUSED,
            };
            Layout::detect(&cells, Some(&cells), &style)
        };
        assert!(detect(None).unwrap_err().contains("--decimal ,"));
        let numbers = detect(Some(b',')).unwrap();
        assert_eq!((numbers.header, numbers.labelled), (false, false));
        let names = detect(Some(b'.')).unwrap();
        assert_eq!((names.header, names.labelled), (true, true));
    }
}
