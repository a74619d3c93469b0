//! What the table tells the broker, as a contract: schemas and the page of examples are what the types give, and the
//! AsyncAPI document names every topic. `TUMBLERD_REWRITE=1` writes the files again instead of comparing them; AsyncAPI's
//! own parser reads the document in `scripts/test asyncapi`.

mod document;
mod examples;
mod schemas;

use std::path::PathBuf;

/// Where the documents are.
fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The file holds this text; or does from now on, where the contract is rewritten.
fn same_as_file(name: &str, text: &str) {
    let path = docs().join(name);
    if std::env::var_os("TUMBLERD_REWRITE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "daemon/docs/{name} is not what the types give. If the change of the contract is meant: \
         TUMBLERD_REWRITE=1 cargo test -p tumblerd --test programs contract_doc, and look at the difference"
    );
}
