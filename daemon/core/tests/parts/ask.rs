//! What is asked of a table's console, and what it answers, as JSON.

use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Ask, Query, Reply, Request, Said};
use tumbler_core::wire::console::{Answer, Command};

fn read(line: &str) -> Result<Request, String> {
    serde_json::from_str(line).map_err(|e| e.to_string())
}

#[test]
fn a_query_may_be_a_bare_name() {
    assert_eq!(read(r#"{"id":1,"ask":"status"}"#), Ok(Request { id: 1, ask: Ask::Query(Query::Status) }));
}

#[test]
fn queries_and_commands_have_their_arguments_under_with() {
    let line = r#"{"id":2,"ask":{"query":"events","with":{"after":7,"limit":10}}}"#;
    let request = Request { id: 2, ask: Ask::Query(Query::Events { after: Seq(7), limit: 10 }) };
    assert_eq!(read(line).as_ref(), Ok(&request));
    assert_eq!(serde_json::to_string(&request).unwrap(), line);

    let line = r#"{"id":3,"ask":{"command":"close","with":{"name":"Mei"}}}"#;
    let request = Request { id: 3, ask: Ask::Command(Command::Close { name: "Mei".into() }) };
    assert_eq!(read(line).as_ref(), Ok(&request));
    assert_eq!(serde_json::to_string(&request).unwrap(), line);
    assert_eq!(
        read(r#"{"id":4,"ask":{"command":"record"}}"#),
        Ok(Request { id: 4, ask: Ask::Command(Command::Record) })
    );
}

#[test]
fn what_cannot_be_read_says_what_is_allowed() {
    let unknown = read(r#"{"id":1,"ask":"weather"}"#).unwrap_err();
    assert!(unknown.contains("weather") && unknown.contains("`status`"), "{unknown}");
    let neither = read(r#"{"id":1,"ask":5}"#).unwrap_err();
    assert!(neither.contains("`query` or `command`"), "{neither}");
    assert!(read(r#"{"id":1,"ask":"status","more":1}"#).unwrap_err().contains("more"));
    // A misspelt field would make another command of it.
    let void = r#"{"id":1,"ask":{"command":"void","with":{"reason":"chipped","damaged-dice":true,"name":"Mei"}}}"#;
    let misspelt = read(void).unwrap_err();
    assert!(misspelt.contains("`damaged-dice`") && misspelt.contains("`damaged_dice`"), "{misspelt}");
    let few = r#"{"id":1,"ask":{"query":"rounds","with":{"last":3,"newest":true}}}"#;
    assert!(read(few).unwrap_err().contains("`newest`"));
}

/// RFC 8259, 4: readers differ in which of two they take.
#[test]
fn a_key_that_is_there_twice_is_no_request() {
    for (line, key) in [
        (r#"{"id":1,"id":2,"ask":"status"}"#, "id"),
        (r#"{"id":1,"ask":"status","ask":"faults"}"#, "ask"),
        (r#"{"id":1,"ask":{"query":"rounds","query":"status","with":{"last":1}}}"#, "query"),
        (r#"{"id":1,"ask":{"command":"close","with":{"name":"Mei","name":"Bo"}}}"#, "name"),
        (r#"{"id":1,"ask":{"command":"close","with":{"name":"Mei","n\u0061me":"Bo"}}}"#, "name"),
        (r#"{"id":1,"ask":{"command":"close","with":[{"a":{"b":1,"b":2}}]}}"#, "b"),
    ] {
        let said = read(line).unwrap_err();
        assert!(said.contains(key) && (said.contains("is there twice") || said.contains("duplicate")), "{said}");
    }
}

#[test]
fn replies_carry_an_answer_or_an_error() {
    let reply = Reply { id: Some(1), said: Said::Answer(Answer::Done("closed".into()).into()) };
    assert_eq!(serde_json::to_string(&reply).unwrap(), r#"{"id":1,"answer":{"done":"closed"}}"#);
    let reply = Reply { id: None, said: Said::Error("no JSON".into()) };
    assert_eq!(serde_json::to_string(&reply).unwrap(), r#"{"id":null,"error":"no JSON"}"#);
    assert_eq!(serde_json::from_str::<Reply>(r#"{"id":null,"error":"no JSON"}"#).unwrap(), reply);
}
