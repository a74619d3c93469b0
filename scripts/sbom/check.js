// Holds a bill of materials against CycloneDX's own schema. Usage: node check.js BOM.cdx.json...
import { readFileSync } from 'node:fs';
import { Validation } from '@cyclonedx/cyclonedx-library';

for (const path of process.argv.slice(2)) {
    const text = readFileSync(path, 'utf8');
    const { specVersion, components } = JSON.parse(text);
    const validator = new Validation.JsonStrictValidator(specVersion);
    const wrong = await validator.validate(text);
    if (wrong !== null) {
        console.error(`${path}: not CycloneDX ${specVersion}: ${JSON.stringify(wrong, null, 1)}`);
        process.exit(1);
    }
    console.log(`${path}: ${components.length} components, valid by the schema of CycloneDX ${specVersion}`);
}
