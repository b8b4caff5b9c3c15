import test from 'ava';
import { hashOf } from '../../formats/plugins/scanner.ts';
import { FileError, Findings, type Format } from '../../src/engine/format.ts';
import { allowPlugin, listPlugins, pluginFormats } from '../../src/work/plugins/plugins.ts';
import { databases } from '../helpers/database.ts';
import { openIdentityParts } from '../helpers/identity-parts.ts';

const BY = 'operator test';
const BYTES = Buffer.from('a line\n');

function pluginOf(word: string) {
	const source = `export default { filter: 'PROBE', title: '${word}', open() { return { scan: (bytes) => ({ settled: bytes.length }) }; } };`;
	const manifest = { filter: 'PROBE', title: word, tokenCase: 'lower' as const, faults: [] };
	return { source, manifest, sha256: hashOf(source) };
}

/** Scans a line with a format, and returns how much of it was settled. */
async function scan(format: Format): Promise<number> {
	const scanner = format.scanner({}, 'tokenize');
	try {
		await scanner.prepare!(BYTES, 0, BYTES.length, true);
		return scanner.scan(BYTES, 0, BYTES.length, true, new Findings());
	} finally {
		scanner.close!();
	}
}

for (const dialect of databases) {
	test(`${dialect}: a plugin of another version is read by whoever opens the formats again, and by nobody else`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await allowPlugin(parts, pluginOf('one'), BY);
		const [before] = await pluginFormats(parts);
		t.is(await scan(before), BYTES.length);
		await allowPlugin(parts, pluginOf('two'), BY);
		const error = await t.throwsAsync(scan(before), { instanceOf: FileError });
		t.like(error.told, { code: 'plugin-failed', parameters: { plugin: 'PROBE' } });
		t.regex(error.message, /another version was allowed/);
		const [after] = await pluginFormats(parts);
		t.is(await scan(after), BYTES.length);
	});

	test(`${dialect}: a program that somebody without keys puts into the database is not used`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await allowPlugin(parts, pluginOf('one'), BY);
		const { knex } = parts.database;
		const [good] = await knex('format_plugins');
		const { source, sha256 } = pluginOf('other');
		for (const change of [{ source }, { source, sha256 }, { manifest: '{}' }, { allowed_by: 'nobody' }]) {
			await knex('format_plugins').update({ ...good, ...change });
			t.deepEqual(await pluginFormats(parts), [], Object.keys(change).join());
			t.like(await listPlugins(parts), [{ filter: 'PROBE', isIntact: false }]);
		}
		await knex('format_plugins').update(good);
		t.is((await pluginFormats(parts)).length, 1);
	});
}
