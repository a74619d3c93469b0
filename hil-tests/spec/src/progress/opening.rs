//! The opening that people ask for (NZ 5): who asked, and what people have done in it so far.

use crate::observation::Key;
use crate::scene::Scene;
use serde_json::Value;

/// The keys of the terminal, all pressed.
const ALL_KEYS: u8 = 0x7F;
/// The table may ask its units for the first time this long after its start.
const UNITS_NS: u64 = 1_400_000_000;

/// An opening that was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Opening {
    asks: u32,
    /// It was asked for by a supervisor, in good time after a turn of the key, at a table that may be opened.
    lawful: bool,
    /// Bit `code - 1` of each key of the terminal that was pressed.
    keys: u8,
    witnessed: Vec<String>,
}

impl Opening {
    /// Somebody asks for an opening. `undisturbed`: the table was sound for long enough.
    pub(super) fn requested(with: &Value, undisturbed: bool, key_min_ns: u64, scene: &Scene) -> Self {
        let limits = &scene.config.given.limits;
        let since_key = scene.key_ns.map(|edge| scene.now_ns.saturating_sub(edge));
        let in_time = since_key.is_some_and(|ns| ns > key_min_ns && ns < limits.key_privilege_ns / 30 * 29);
        let closed = scene.open == Some(false) && scene.latched.is_empty() && !scene.maintenance;
        let lawful = in_time
            && closed
            && scene.round.is_none()
            && with.get("supervisor") == Some(&Value::Bool(true))
            && scene.now_ns.saturating_sub(scene.started_ns) > UNITS_NS
            && undisturbed;
        Self { lawful, ..Self::default() }
    }

    /// It is asked for, perhaps once more.
    pub(super) fn count(&mut self) {
        self.asks += 1;
    }

    /// Whether it may be opened and was asked for only once: a table that is being opened refuses a second request.
    pub(super) const fn is_first_and_lawful(&self) -> bool {
        self.lawful && self.asks == 1
    }

    pub(super) const fn is_lawful(&self) -> bool {
        self.lawful
    }

    pub(super) fn key(&mut self, key: Key) {
        self.keys |= match key {
            Key::Digit(digit) => 1_u8.checked_shl(u32::from(digit.wrapping_sub(1))).unwrap_or(0),
            Key::Entry => 0x40,
        };
    }

    pub(super) fn witness(&mut self, with: &Value) {
        self.witnessed.push(with.get("item").and_then(Value::as_str).unwrap_or_default().to_owned());
    }

    /// Whether people have done everything that an opening asks of them.
    pub(super) fn is_complete(&self, scene: &Scene) -> bool {
        let all = scene.witnessed().all(|item| self.witnessed.iter().any(|witnessed| witnessed == item));
        self.lawful && self.keys == ALL_KEYS && all
    }
}
