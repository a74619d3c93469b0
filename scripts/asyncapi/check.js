// Reads an AsyncAPI document and its schemas with AsyncAPI's own parser. Anything that it finds, warnings too, is a failure.
// (It does not hold examples against schemas; the daemon's test `contract` does.) Usage: node check.js DOCUMENT
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Parser } from '@asyncapi/parser';

// 3.0.0 is what consumers' tools read.
const passedOver = new Set(['asyncapi-latest-version']);
const levels = ['error', 'warning', 'information', 'hint'];

const source = resolve(process.argv[2]);
const { document, diagnostics } = await new Parser().parse(readFileSync(source, 'utf8'), { source });
const found = diagnostics.filter((d) => !passedOver.has(d.code));
for (const d of found) {
    const line = d.range ? d.range.start.line + 1 : 0;
    console.error(`${d.source ?? source}:${line}: ${levels[d.severity]}: ${d.code}: ${d.message} (${d.path.join('.')})`);
}
if (found.length > 0 || !document) process.exit(1);

const messages = document.allMessages().all();
const examples = messages.flatMap((m) => m.examples().all());
console.log(`AsyncAPI ${document.version()}: ${document.allChannels().length} channels, ${messages.length} messages, ${examples.length} examples: valid`);
