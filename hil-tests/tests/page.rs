//! The tables of docs/scenarios.md are those of the program that reads scenarios. `TUMBLERD_REWRITE=1` writes them again.

use tumbler_hil::scenario::forms::{self, Form};
use tumbler_hil::scenario::step::Stage;
use tumbler_hil::scenario::words;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenarios.md");

/// The page with this text between `<!-- NAME -->` and `<!-- end -->`.
fn section(page: &str, name: &str, text: &str) -> String {
    let open = format!("<!-- {name} -->\n");
    let begin = page.find(&open).unwrap_or_else(|| panic!("scenarios.md has no section {name}")) + open.len();
    let end = begin + page[begin..].find("<!-- end -->").unwrap();
    format!("{}{text}{}", &page[..begin], &page[end..])
}

#[test]
fn the_page_has_every_step_check_command_and_stage() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let stages: String = Stage::ALL.iter().map(|(name, stage)| format!("| `{name}` | {} |\n", stage.about())).collect();
    let mut written = section(&page, "stages", &format!("| stage | what has been done |\n| --- | --- |\n{stages}"));
    let tables: [(&str, &str, &[Form]); 5] = [
        ("people", "step", forms::PEOPLE),
        ("breaks", "step", forms::BREAKS),
        ("looks", "step", forms::LOOKS),
        ("commands", "command", forms::COMMANDS),
        ("checks", "check", forms::CHECKS),
    ];
    for (name, head, forms) in tables {
        written = section(&written, name, &words::table(head, forms));
    }
    if std::env::var_os("TUMBLERD_REWRITE").is_some() {
        std::fs::write(PAGE, &written).unwrap();
        return;
    }
    let differs = page.lines().zip(written.lines()).find(|(said, is)| said != is);
    assert!(page == written, "scenarios.md differs from the code, first at {differs:?}; TUMBLERD_REWRITE=1 writes it");
}
