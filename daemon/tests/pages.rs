//! The pages for builders of benches and boards say what the code does.

use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::round::{Finding, SpinEnd};
use tumbler_core::wire::ask::Ask;
use tumbler_core::wire::lines::{FromBench, ToBench};
use tumbler_core::wire::registers::{Named, lamps, reader, terminal};

const REGISTERS: &str = include_str!("../docs/registers.md");
const WIRE: &str = include_str!("../docs/virtual-wire.md");
const CONSOLE: &str = include_str!("../docs/console.md");
const MQTT: &str = include_str!("../docs/mqtt.md");
const TABLE: &str = include_str!("../docs/table.md");
const TECHNICIAN: &str = include_str!("../docs/technician.md");

/// The first cells of the rows of a section's tables, without their heads.
fn rows(page: &str, section: &str) -> Vec<Vec<String>> {
    let text = page.split("\n## ").find(|part| part.starts_with(section)).unwrap_or_default();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &str| line.starts_with('|') && !line.starts_with("| ---");
    let after_head = lines.iter().zip(lines.iter().skip(1));
    let heads: Vec<&str> = after_head.filter(|(_, next)| next.starts_with("| ---")).map(|(head, _)| *head).collect();
    lines.iter().filter(|line| is_row(line) && !heads.contains(*line)).map(|line| cells(line)).collect()
}

/// Rows of a section that describe registers, as `(kind, address, count)`.
fn registers(section: &str) -> Vec<(String, u16, u16)> {
    let all = rows(REGISTERS, section);
    all.iter()
        .filter_map(|row| match row.as_slice() {
            [kind, address, count, _] => Some((kind.clone(), address.parse().ok()?, count.parse().ok()?)),
            _ => None,
        })
        .collect()
}

/// The addresses or values that a section's two-column tables list, ranges written out.
fn listed(section: &str) -> Vec<u16> {
    let mut found = Vec::new();
    for row in rows(REGISTERS, section).iter().filter(|row| row.len() == 2) {
        let mut ends = row.first().unwrap().split(" to ").filter_map(|end| end.parse::<u16>().ok());
        if let Some(first) = ends.next() {
            found.extend(first..=ends.next().unwrap_or(first));
        }
    }
    found
}

fn block(first: u16, count: u16) -> Vec<u16> {
    (first..first + count).collect()
}

#[test]
fn the_terminals_page_names_every_register_at_its_address() {
    let section = format!("Entry terminal: unit {}", terminal::UNIT);
    let (input, holding) = ("input register".to_owned(), "holding register".to_owned());
    assert_eq!(
        registers(&section),
        [
            (input.clone(), terminal::VERSION, 1),
            (input.clone(), terminal::FIRMWARE, 1),
            (input, terminal::POLL, terminal::POLL_COUNT),
            (holding.clone(), terminal::ACKNOWLEDGE, 1),
            (holding.clone(), terminal::DISPLAY, 1),
            (holding, terminal::LED, 1),
        ]
    );
    let mut expected = block(terminal::POLL, terminal::POLL_COUNT);
    // Then what a place of the display can show.
    expected.extend([1, 2, 3, 4, 5, 6, 13, 14, 15]);
    assert_eq!(listed(&section), expected);
    let window = u16::try_from(terminal::WINDOW).unwrap();
    for said in [
        format!("5 to {} | codes", 4 + window),
        format!("0 to {window} |"),
        format!("{} is entry", terminal::ENTRY),
        format!("up to {} events", terminal::QUEUE),
        format!("{} (0x{:04X}) is all blank", terminal::BLANK, terminal::BLANK),
        format!("{} (0x{:04X}) says \"error\"", terminal::ERROR, terminal::ERROR),
        format!("{} (0x{:04X}) says \"void\"", terminal::VOID, terminal::VOID),
    ] {
        assert!(REGISTERS.contains(&said), "the page does not say `{said}`");
    }
}

#[test]
fn the_lamp_boards_page_names_every_output() {
    let per_board = u16::try_from(lamps::PER_BOARD).unwrap();
    assert_eq!(
        registers(&format!("Lamp boards: units {}", lamps::FIRST_UNIT)),
        [("coil".to_owned(), 0, per_board), ("discrete input".to_owned(), 0, per_board)]
    );
    assert!(REGISTERS.contains(&format!("unit `{} + i / {per_board}`", lamps::FIRST_UNIT)));
}

#[test]
fn the_dice_readers_page_names_every_register_and_pose() {
    let section = format!("Dice reader: unit {}", reader::UNIT);
    let input = "input register".to_owned();
    assert_eq!(
        registers(&section),
        [(input.clone(), reader::POSE, reader::POSE_COUNT), (input, reader::FACES, reader::FACES_COUNT)]
    );
    let mut expected = block(reader::POSE, reader::POSE_COUNT);
    expected.extend([reader::UNKNOWN, reader::FLAT, reader::NOT_FLAT, reader::MOVING, reader::MISSING]);
    expected.extend(block(reader::FACES, reader::FACES_COUNT));
    assert_eq!(listed(&section), expected);
    let poses: Vec<String> = rows(REGISTERS, &section)
        .iter()
        .filter(|row| row.len() == 2 && row.first().unwrap().len() == 1)
        .map(|row| row.get(1).unwrap().split([':', ' ']).next().unwrap().to_owned())
        .collect();
    assert_eq!(poses, ["unknown", "flat", "at", "moving", "missing"]);
}

/// What a technician reads of a register is what the page calls it.
#[test]
fn every_register_is_called_as_on_its_page() {
    let sections = [
        (format!("Entry terminal: unit {}", terminal::UNIT), &terminal::MAP[..]),
        (format!("Lamp boards: units {}", lamps::FIRST_UNIT), &lamps::MAP[..]),
        (format!("Dice reader: unit {}", reader::UNIT), &reader::MAP[..]),
    ];
    for (section, map) in sections {
        let rows = rows(REGISTERS, &section);
        let told = |named: &Named| {
            let last = named.address + named.count - 1;
            let (one, many) = (named.address.to_string(), format!("{} to {last}", named.address));
            rows.iter().any(|row| match row.as_slice() {
                [kind, address, count, name] => {
                    (kind.as_str(), address, count) == (named.kind.name(), &one, &named.count.to_string())
                        && name.starts_with(named.name)
                }
                [address, name] => (address == &one || address == &many) && name.starts_with(named.name),
                _ => false,
            })
        };
        for named in map {
            assert!(told(named), "{section} does not call {} {} \"{}\"", named.kind.name(), named.address, named.name);
        }
        // Together they are every address of the page, each once.
        let mut mapped: Vec<_> =
            map.iter().flat_map(|n| (n.address..n.address + n.count).map(|address| (n.kind.name(), address))).collect();
        let all = registers(&section);
        let mut paged: Vec<_> = all.iter().flat_map(|(k, a, n)| (*a..a + n).map(|a| (k.as_str(), a))).collect();
        mapped.sort_unstable();
        paged.sort_unstable();
        assert_eq!(mapped, paged, "{section}");
    }
}

#[test]
fn the_virtual_wires_page_names_every_line_and_no_other() {
    let named: Vec<String> =
        rows(WIRE, "The lines").iter().map(|row| row.first().unwrap().trim_matches('`').to_owned()).collect();
    let lines = InLine::ALL.iter().map(|line| line.name()).chain(OutLine::ALL.iter().map(|line| line.name()));
    assert_eq!(named, lines.collect::<Vec<_>>());
}

#[test]
fn the_consoles_page_says_what_each_level_means() {
    let levels = rows(CONSOLE, "Wires and registers");
    let row = |name: &str| levels.iter().find(|row| row[0].split(", ").any(|of| of.trim_matches('`') == name));
    let said = |name: &str| row(name).map(|row| (row[1].clone(), row[2].clone()));
    for line in InLine::ALL {
        assert_eq!(said(line.name()), Some((line.means(true).into(), line.means(false).into())), "{}", line.name());
    }
    for line in OutLine::ALL {
        assert_eq!(said(line.name()), Some((line.means(true).into(), line.means(false).into())), "{}", line.name());
    }
}

#[test]
fn the_virtual_wires_messages_are_the_ones_that_are_understood() {
    let messages: Vec<&str> = WIRE.lines().filter(|line| line.starts_with("{\"")).collect();
    let understood = |message: &&&str| {
        serde_json::from_str::<FromBench>(message).is_ok() != serde_json::from_str::<ToBench>(message).is_ok()
    };
    assert_eq!(messages.iter().filter(understood).count(), 3, "{messages:?}");
}

#[test]
fn the_virtual_wires_limits_are_the_codes() {
    use tumblerd::hardware::virtual_wire::{FLOOD, LONGEST};
    for said in [format!("at most {LONGEST} bytes"), format!("more than {FLOOD} messages in a second")] {
        assert!(WIRE.contains(&said), "the page does not say `{said}`");
    }
}

/// The lists that programs go by are closed: the pages have them whole, in the code's order.
#[test]
fn the_pages_list_every_prompt_reason_and_end_of_a_spin() {
    let names = |page: &str, section: &str, kept: &dyn Fn(&str) -> bool| -> Vec<String> {
        let all = rows(page, section);
        let first = all.iter().filter_map(|row| row.first()).map(|cell| cell.trim_matches('`').to_owned());
        first.filter(|name| kept(name)).collect()
    };
    let prompts = names(CONSOLE, "What people are asked", &|_| true);
    assert_eq!(prompts, PromptId::ALL.map(PromptId::name));
    let known = |name: &str| VoidReason::ALL.iter().any(|reason| reason.name() == name);
    let reasons = names(TABLE, "Void reasons and their clauses", &known);
    assert_eq!(reasons, VoidReason::ALL.map(VoidReason::name));
    let ends = names(MQTT, "What ends a spin", &|_| true);
    assert_eq!(ends, SpinEnd::ALL.map(SpinEnd::name));
    for answer in Finding::ALL.map(Finding::name) {
        assert!(CONSOLE.contains(&format!("`{answer}`")), "{answer}");
    }
}

/// The page of the console has every command and every question by its name.
#[test]
fn the_consoles_page_names_every_command_and_question() {
    // What serde does not know it names with all that it does know.
    for (kind, unknown) in [("command", r#"{"command":"?"}"#), ("query", r#"{"query":"?"}"#)] {
        let told = serde_json::from_str::<Ask>(unknown).unwrap_err().to_string();
        let (_, known) = told.split_once("expected one of ").unwrap();
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        assert!(known.len() > 5, "{kind}: {told}");
        for name in known {
            assert!(CONSOLE.contains(&format!("\n| `{name}` | ")), "the page has no {kind} `{name}`");
        }
    }
}

/// Which lines guard the motor stands in a section of its own.
#[test]
fn the_virtual_wires_page_names_every_guard() {
    let said = rows(WIRE, "Motor guard").iter().map(|row| row.first().unwrap().clone()).collect::<String>();
    for line in [InLine::DomeClosed, InLine::DomeOpen, InLine::Seal, InLine::PowerGood, InLine::MotorFault] {
        assert!(said.contains(&format!("`{}`", line.name())), "{}", line.name());
    }
}

/// Nobody reads another remedy here than `tumblerctl faults` and the panel give.
#[test]
fn the_technicians_page_says_of_every_latch_what_the_table_says() {
    let (_, about_latches) = TECHNICIAN.split_once("A malfunction *latches*").unwrap();
    let row = |code: Code| {
        let start = format!("| `{code}` | ");
        let mut found = about_latches.lines().filter(|line| line.starts_with(&start) && line.matches('|').count() == 5);
        let row = found.next().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
        assert!(found.next().is_none(), "{code} has two rows");
        row.filter(|cells| cells.len() == 6)
    };
    for code in Code::ALL {
        let row = row(code);
        let test = code.hardware_test().map(|test| format!("`{test}`")).unwrap_or_default();
        let said = match row.as_deref() {
            Some([_, _, _, remedy, measured, _]) => Some((*remedy, *measured)),
            _ => None,
        };
        assert_eq!(said, Some((code.remedy(), test.as_str())), "{code}");
    }
}
