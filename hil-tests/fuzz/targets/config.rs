//! Files that an operator writes: the configuration with a fragment, and the panel's accounts. A configuration that is taken is taken
//! once more as the daemon prints it, and is the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::sync::LazyLock;
use tempfile::TempDir;
use tumbler_fuzz::{scratch, write};
use tumblerd::config;
use tumblerd::panel::accounts::Accounts;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| {
    let made = scratch();
    fs::create_dir(made.path().join("tumblerd.toml.d")).expect("a directory can be made");
    made
});

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else { return };
    let (file, fragment) = (DIRECTORY.path().join("tumblerd.toml"), DIRECTORY.path().join("tumblerd.toml.d/10.toml"));
    if *kind == b'a' {
        write(&file, text);
        if let Ok(accounts) = Accounts::read(&file) {
            let _ = accounts.hash("ana");
        }
        return;
    }
    // A line of its own divides the file from its fragment.
    let at = text.windows(5).position(|window| window == b"\n---\n");
    let (first, second) = at.map_or((text, &[][..]), |at| (&text[..at + 1], &text[at + 5..]));
    write(&file, first);
    write(&fragment, second);
    match config::check(&file) {
        Err(errors) => assert!(!errors.to_string().is_empty()),
        Ok(config) => {
            let (told, hash) = (config.to_string(), config.hash());
            write(&fragment, b"");
            write(&file, told.as_bytes());
            match config::check(&file) {
                Ok(again) => assert_eq!((again.to_string(), again.hash()), (told, hash)),
                Err(errors) => panic!("what the daemon prints is refused: {errors}\n{told}"),
            }
        }
    }
});
