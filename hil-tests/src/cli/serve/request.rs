//! What is asked for.

use serde::Deserialize;
use std::io::{BufRead, ErrorKind, Read};
use std::path::PathBuf;

/// A request has at most so many bytes. What is longer is left out, up to its end of line.
const LONGEST: u64 = 64 << 10;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// Tell the cells.
    List,
    /// Play one.
    Play,
}

/// A request.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Each event that it leads to has this number.
    pub(super) id: u64,
    /// What is to be done.
    #[serde(rename = "do")]
    pub(super) action: Action,
    /// The scenario file whose cells are meant; the matrix without it.
    #[serde(default)]
    pub(super) file: Option<PathBuf>,
    /// The cell.
    #[serde(default)]
    pub(super) cell: Option<String>,
    /// The seed that it is played with, instead of its own.
    #[serde(default)]
    pub(super) seed: Option<u64>,
}

/// A line that is no request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadRequest {
    /// Its number, where it has one.
    pub(super) id: Option<u64>,
    /// What is wrong, and what is allowed.
    pub(super) problem: String,
}

/// The next request; `None` at the end of the input.
pub(super) fn next(input: &mut impl BufRead) -> Option<Result<Request, BadRequest>> {
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.take(LONGEST + 1).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) if line.len() as u64 > LONGEST => {
                // What is longer by its end of line alone has been read whole.
                let whole = line.ends_with(b"\n");
                return (whole || skip_line(input)).then(|| {
                    Err(BadRequest {
                        id: None,
                        problem: format!("a request has at most {LONGEST} bytes, and this has more"),
                    })
                });
            }
            Ok(_) if line.trim_ascii().is_empty() => {}
            Ok(_) => return Some(parse(&line)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Leaves out the rest of a line. `false`: the input cannot be read.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let (used, over) = match input.fill_buf() {
            Ok([]) => return true,
            Ok(bytes) => bytes.iter().position(|byte| *byte == b'\n').map_or((bytes.len(), false), |at| (at + 1, true)),
            Err(error) if error.kind() == ErrorKind::Interrupted => (0, false),
            Err(_) => return false,
        };
        input.consume(used);
        if over {
            return true;
        }
    }
}

fn parse(line: &[u8]) -> Result<Request, BadRequest> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(line)).map_err(|wrong| {
        let value: Option<serde_json::Value> = serde_json::from_slice(line).ok();
        let id = value.and_then(|value| value.get("id")?.as_u64());
        BadRequest { id, problem: format!("no request: {}", wrong.into_inner()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<Result<Request, BadRequest>> {
        let mut input = std::io::BufReader::with_capacity(512, input);
        std::iter::from_fn(|| next(&mut input)).collect()
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_one_is_not() {
        let good = br#"{"id":7,"do":"list"}"#;
        let list = Request { id: 7, action: Action::List, file: None, cell: None, seed: None };
        for spaces in [LONGEST as usize - good.len() - 1, LONGEST as usize - good.len(), 3 * LONGEST as usize] {
            let long = [good.as_slice(), &vec![b' '; spaces], b"\n", good].concat();
            let read = all(&long);
            assert_eq!(read.len(), 2, "{spaces}");
            assert_eq!(read[0].is_ok(), spaces + good.len() < LONGEST as usize, "{spaces}");
            assert_eq!(read[1].as_ref().unwrap(), &list);
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_number() {
        let told = |line: &str| all(line.as_bytes()).pop().unwrap().unwrap_err();
        let says = |line: &str, id: Option<u64>, words: &str| {
            let told = told(line);
            assert!(told.id == id && told.problem.starts_with(words), "{told:?}");
        };
        says(r#"{"id":3,"do":"paly"}"#, Some(3), "no request: unknown variant `paly`, expected `list` or `play`");
        says(r#"{"id":3,"do":"play","cel":"a"}"#, Some(3), "no request: unknown field `cel`, expected one of");
        says("nonsense", None, "no request: expected ident at line 1");
        says(r#"{"do":"list"}"#, None, "no request: missing field `id`");
        assert_eq!(all(b"\n  \n\r\n"), []);
    }
}
