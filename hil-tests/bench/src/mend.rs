//! Reads on behind what is wrong in a file: an unknown key is left out, and a value of another kind, or one that is missing, is replaced
//! by one that fits. So whatever else is wrong is found as well.

use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeInteger, DeTable, DeValue};

/// What serde says of unknown names, with the names that are known.
pub(super) fn unknown<'s>(said: &'s str, what: &str) -> Option<(&'s str, Vec<&'s str>)> {
    let mut names = said.strip_prefix(what)?.split('`').skip(1).step_by(2);
    Some((names.next()?, names.collect()))
}

/// A file's tree without what was wrong in it so far.
pub(super) struct Mended<'t> {
    pub tree: Spanned<DeTable<'t>>,
    text: &'t str,
    /// For each value that was put in, which one it is.
    put_in: Vec<usize>,
}

impl<'t> Mended<'t> {
    pub(super) fn of(tree: Spanned<DeTable<'t>>, text: &'t str) -> Self {
        Self { tree, text, put_in: Vec::new() }
    }

    /// Whether this is the place of a value that the file does not have.
    pub(super) fn is_put_in(span: &Range<usize>) -> bool {
        span.start == span.end && span.start > usize::MAX / 2
    }

    /// Mends what serde says of this place; `near` is the name that may have been meant. False where it cannot be mended.
    pub(super) fn mend(&mut self, span: &Range<usize>, said: &str, near: Option<&str>) -> bool {
        if said.starts_with("unknown field ") {
            return remove(self.tree.get_mut(), span);
        }
        if let Some((field, _)) = unknown(said, "missing field") {
            let (key, value) = (field.to_owned(), self.next(None));
            let root = self.tree.span();
            let table = match table_at(self.tree.get_mut(), span) {
                Some(table) => table,
                None if *span == root || span.is_empty() => self.tree.get_mut(),
                None => return false,
            };
            let Some(value) = value else { return false };
            return table.insert(Spanned::new(0..0, Cow::Owned(key)), value).is_none();
        }
        let meant = near.map(str::to_owned).or_else(|| Some(unknown(said, "unknown variant")?.1.first()?.to_string()));
        let again = Self::is_put_in(span).then(|| usize::MAX - span.start);
        let next = match meant {
            Some(meant) => Some(Spanned::new(self.place(again), DeValue::String(Cow::Owned(meant)))),
            None => self.next(again),
        };
        let Some(next) = next else { return false };
        let text = self.text;
        let Some(value) = value_at(self.tree.get_mut(), span) else { return false };
        let as_text =
            again.is_none() && !matches!(value.get_ref(), DeValue::String(_) | DeValue::Array(_) | DeValue::Table(_));
        let written = text.get(span.clone()).filter(|_| as_text && next.get_ref().is_str());
        let own = written.map(|own| Spanned::new(next.span(), DeValue::String(Cow::Borrowed(own))));
        *value = own.unwrap_or(next);
        true
    }

    /// The place of a value that is put in: of this one, or of a new one.
    fn place(&mut self, again: Option<usize>) -> Range<usize> {
        let number = again.unwrap_or_else(|| {
            self.put_in.push(0);
            self.put_in.len() - 1
        });
        usize::MAX - number..usize::MAX - number
    }

    /// The next value to be tried there.
    fn next(&mut self, again: Option<usize>) -> Option<Spanned<DeValue<'t>>> {
        let place = self.place(again);
        let tried = self.put_in.get_mut(usize::MAX - place.start)?;
        let value = match *tried {
            0 => DeValue::String(Cow::Borrowed("")),
            1 => DeValue::Array(DeArray::new()),
            2 => DeValue::Table(DeTable::new()),
            3 => DeValue::Integer(DeInteger::default()),
            4 => DeValue::Boolean(false),
            _ => return None,
        };
        *tried += 1;
        Some(Spanned::new(place, value))
    }
}

fn remove(table: &mut DeTable<'_>, span: &Range<usize>) -> bool {
    let key = table.iter().map(|(key, _)| key).find(|key| key.span() == *span).map(|key| key.get_ref().to_string());
    if let Some(key) = key {
        return table.remove(key.as_str()).is_some();
    }
    table.iter_mut().any(|(_, value)| remove_below(value, span))
}

fn remove_below(value: &mut Spanned<DeValue<'_>>, span: &Range<usize>) -> bool {
    match value.get_mut() {
        DeValue::Table(table) => remove(table, span),
        DeValue::Array(all) => all.iter_mut().any(|each| remove_below(each, span)),
        _ => false,
    }
}

fn table_at<'v, 't>(table: &'v mut DeTable<'t>, span: &Range<usize>) -> Option<&'v mut DeTable<'t>> {
    match value_at(table, span)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn value_at<'v, 't>(table: &'v mut DeTable<'t>, span: &Range<usize>) -> Option<&'v mut Spanned<DeValue<'t>>> {
    table.iter_mut().find_map(|(_, value)| at(value, span))
}

fn at<'v, 't>(value: &'v mut Spanned<DeValue<'t>>, span: &Range<usize>) -> Option<&'v mut Spanned<DeValue<'t>>> {
    if value.span() == *span {
        return Some(value);
    }
    match value.get_mut() {
        DeValue::Table(table) => value_at(table, span),
        DeValue::Array(all) => all.iter_mut().find_map(|each| at(each, span)),
        _ => None,
    }
}
