//! JSON Schemas of the files that people write, for their editors: scenarios, the catalogue of faults, benches. The structure comes from
//! the types that read the files, and the names from what reads them.

use crate::fault::Catalogue;
use crate::scenario::file;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use tumbler_bench::file::BenchFile;

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Of {
    /// A scenario.
    Scenario,
    /// The catalogue of faults.
    Catalogue,
    /// A bench.
    Bench,
}

impl Of {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Scenario, Self::Catalogue, Self::Bench];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Catalogue => "catalogue",
            Self::Bench => "bench",
        }
    }

    /// Its schema, in draft 7, which Taplo reads.
    #[must_use]
    pub fn schema(self) -> Value {
        let mut schema = match self {
            Self::Scenario => of::<file::File>("A scenario of tumbler-hil"),
            Self::Catalogue => of::<Catalogue>("The catalogue of faults of tumbler-hil"),
            Self::Bench => of::<BenchFile>("A bench of tumbler-hil"),
        };
        one_line(&mut schema);
        schema
    }

    /// Its schema as it is written: in one line, as only programs read it.
    #[must_use]
    pub fn text(self) -> String {
        self.schema().to_string()
    }
}

fn of<T: JsonSchema>(title: &str) -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        // What editors write themselves, to find the schema.
        fields.insert("title".into(), json!(title));
    }
    schema
}

/// Descriptions come from the code's comments, with their line breaks.
fn one_line(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => *text = text.replace('\n', " "),
                    value => one_line(value),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(one_line),
        _ => {}
    }
}
