//! `-k EXPRESSION`: which cells, by parts of their names, as pytest has it.

use std::str::FromStr;

/// An expression without parentheses: `stall and not sg-v6 or healthy`. `not` binds closest, then `and`, then `or`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<Vec<(bool, String)>>);

impl Words {
    /// Whether it is true of this name; as in pytest, whatever the case of its letters.
    pub(super) fn mean(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.0.iter().any(|all| all.iter().all(|(wanted, part)| name.contains(part.as_str()) == *wanted))
    }
}

impl FromStr for Words {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            |what: &str| format!("{what}; write parts of names with `and`, `or` and `not`: \"stall and not sg-v6\"");
        let (mut any, mut all, mut wanted, mut complete) = (Vec::new(), Vec::new(), true, false);
        for word in text.split_whitespace() {
            match word {
                "not" if !complete => wanted = !wanted,
                "and" | "or" if complete => {
                    if word == "or" {
                        any.push(std::mem::take(&mut all));
                    }
                    complete = false;
                }
                "not" | "and" | "or" => return Err(wrong(&format!("`{word}` stands where none may"))),
                _ if complete => return Err(wrong(&format!("nothing joins `{word}` to what is before it"))),
                _ if word.contains(['(', ')']) => return Err(wrong("there are no parentheses here")),
                part => {
                    all.push((wanted, part.to_lowercase()));
                    (wanted, complete) = (true, true);
                }
            }
        }
        if !complete {
            return Err(wrong("the expression does not end"));
        }
        any.push(all);
        Ok(Self(any))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn an_expression_means_cells_as_in_pytest() {
        let names = ["motor.stall@betting::nz-1998", "motor.stall@betting::sg-v6-1", "healthy::sg-v6-1"];
        for (text, meant) in [
            ("stall", vec![0, 1]),
            ("Stall and not sg-v6", vec![0]),
            ("not stall", vec![2]),
            ("not not stall and nz or healthy", vec![0, 2]),
            ("dome", vec![]),
        ] {
            let words: Words = text.parse().unwrap();
            let found: Vec<usize> = (0..names.len()).filter(|n| words.mean(names[*n])).collect();
            assert_eq!(found, meant, "{text}");
        }
        for text in ["", "and", "stall or", "stall not nz", "stall nz", "(stall)"] {
            assert!(text.parse::<Words>().unwrap_err().contains("stall and not sg-v6"), "{text}");
        }
    }
}
