import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { parseManifest } from '../../formats/plugins/manifest.ts';
import { PATIENCE, PluginProcess } from '../../formats/plugins/process.ts';
import { hashOf, type PluginFormatOptions, pluginFormat, readPlugin } from '../../formats/plugins/scanner.ts';
import { FileError, Findings, type Format } from '../../src/engine/format.ts';
import { patient } from '../helpers/patience.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const NUMBER = '4111111111111111';
const FILE = Buffer.from(`ONE ${NUMBER} 1230\nTWO 5555555555554444 1131\n`);
const MIR = readFileSync(new URL('../../examples/formats/galileo-mir.mjs', import.meta.url), 'utf8');
const SAMPLES = new URL('../../examples/formats/samples/galileo-mir/', import.meta.url);

/** Returns the source of a plugin whose `scan` has this body. `bytes` and `isLast` are its arguments. */
function sourceOf(body: string, before = '') {
	return `${before}
export default {
	filter: 'PROBE', title: 'A probe', faults: ['not of this layout'],
	open(direction) { return { scan(bytes, isLast) { ${body} } }; },
};`;
}

/** Makes a format of a plugin as if it had been allowed, so that what it does beyond the contract is seen at work. */
function formatOf(source: string, options?: PluginFormatOptions): Format {
	const manifest = parseManifest(JSON.stringify({ filter: 'PROBE', title: 'A probe', faults: ['not of this layout'] }));
	return pluginFormat({ source, manifest, sha256: hashOf(source) }, options);
}

async function scan(format: Format, bytes = FILE): Promise<{ settled: number; found: Findings }> {
	const scanner = format.scanner({}, 'tokenize');
	const found = new Findings();
	try {
		await scanner.prepare!(bytes, 0, bytes.length, true);
		return { settled: scanner.scan(bytes, 0, bytes.length, true, found), found };
	} finally {
		scanner.close!();
	}
}

async function failureOf(t: ExecutionContext, body: string, options?: PluginFormatOptions): Promise<string> {
	const error = await t.throwsAsync(scan(formatOf(sourceOf(body), options)), { instanceOf: FileError }, body);
	t.is(error.told.code, 'plugin-failed', body);
	t.is(error.told.parameters?.plugin, 'PROBE');
	t.regex(error.message, /PROBE/);
	t.notRegex(error.message, /4111111111/);
	return String(error.told.parameters?.problem);
}

test('a plugin gets bytes and answers positions, and the engine swaps the cards there', async (t) => {
	const parts = await openVaultParts(t);
	const plugin = await readPlugin(MIR);
	const format = pluginFormat(plugin);
	const engine = parts.engine([format as never]);
	const bytes = readFileSync(new URL('two-records.mir', SAMPLES));
	const request = { filter: 'GALILEOMIR', options: {} };
	const there = await swap(parts, engine, { ...request, direction: 'tokenize', bytes });
	t.is(there.summary.cards, 2);
	t.is(there.summary.records, 1, 'both are in the first record');
	t.false(there.bytes.includes('5555555555554444'));
	t.regex(there.bytes.toString('latin1'), /A11CC[ .\d]{13}CAX{12}4444 {4}1139AP12345 {2}TKN-[0-9A-F]{32}\r/);
	const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
	t.deepEqual(back.bytes, bytes);
});

test('a number that the plugin does not name is found by the engine', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine([formatOf(sourceOf('return { settled: bytes.length, cards: [] };')) as never]);
	const there = await swap(parts, engine, { filter: 'PROBE', direction: 'tokenize', bytes: FILE });
	t.is(there.summary.cards, 0);
	t.is(there.summary.otherNumbers, 2);
	t.deepEqual(there.bytes, FILE);
});

test('a plugin says that a file is not of its layout by the words that it had before it saw the file', async (t) => {
	const format = formatOf(sourceOf('return { fault: 0, at: 4 };'));
	const error = await t.throwsAsync(scan(format), { instanceOf: FileError });
	t.is(error.message, 'not of this layout');
	t.deepEqual(error.at, { offset: 4, line: 1 });
	t.is(error.told.code, 'file-malformed');
});

test('positions that are none fail the job with the plugin and the position', async (t) => {
	const whole = 'settled: bytes.length';
	const none = 'its answer is no list of positions';
	const outside = (name: string) => `the ${name} of a card is not in the bytes that it settled`;
	const wrong: [body: string, problem: string, positions: string][] = [
		['return { settled: bytes.length + 1 };', 'it did not settle the end of the file', '53 of 52'],
		['return { settled: -1 };', 'it did not settle the end of the file', '-1 of 52'],
		['return { settled: 10 };', 'it did not settle the end of the file', '10 of 52'],
		['return { settled: 1.5 };', none, ''],
		['return null;', 'its program ended with an error', ''],
		['return { settled: "50" };', none, ''],
		['throw new Error(String.fromCharCode(...bytes));', 'its program ended with an error', ''],
		['return { fault: 7, at: 0 };', 'it refuses the file for a reason that it has not', '7'],
		['return { fault: 0, at: 53 };', 'it refuses the file at a place outside the window', '53'],
		[`return { ${whole}, cards: [{ number: [40, 56] }] };`, outside('number'), '40 to 56'],
		[`return { ${whole}, cards: [{ number: [-4, 12] }] };`, outside('number'), '-4 to 12'],
		[`return { ${whole}, cards: [{ number: [20, 4] }] };`, outside('number'), '20 to 4'],
		[`return { ${whole}, cards: [{ number: [411111111, 111111100] }] };`, outside('number'), '411111111 to 111111100'],
		[`return { ${whole}, cards: [{ number: [4, 4] }] };`, 'the number of a card is empty', '4 to 4'],
		[
			`return { ${whole}, cards: [{ number: [4, 20] }, { number: [10, 26] }] };`,
			...(['a card is not behind the one before', '10 to 26'] as const),
		],
		[
			`return { ${whole}, cards: [{ number: [30, 46] }, { number: [4, 20] }] };`,
			...(['a card is not behind the one before', '4 to 20'] as const),
		],
		[
			`return { ${whole}, cards: [{ number: [4, 20], cvv: [18, 21] }] };`,
			...(['two spans of a card overlap', '4 to 20, 18 to 21'] as const),
		],
		[`return { ${whole}, cards: [{ number: [4, 20], cvv: [20, 40] }] };`, 'the cvv of a card is too long', '20 to 40'],
		[`return { ${whole}, cards: [{ number: [4, 20], tail: 10 }] };`, 'the tail of a card is not behind it', '10 to 10'],
		[
			`return { ${whole}, cards: [{ number: [30, 46], mask: [4, 20] }] };`,
			...(['the mask of a card has no token of ours behind it', '4 to 20'] as const),
		],
		[`return { ${whole}, cards: [{ number: [NaN, 20] }] };`, none, ''],
	];
	for (const [body, problem, positions] of wrong) {
		t.is(await failureOf(t, body), problem, body);
		const shown = positions === '' ? problem : `${problem} (${positions})`;
		t.is(await failureOf(t, body, { tellsPositions: true }), shown, body);
	}
});

test('a plugin that is late, ends or takes all memory fails the job and leaves no process behind', async (t) => {
	t.regex(
		await failureOf(t, 'for (;;);', { patience: { startMs: patient(30_000), answerMs: 300 } }),
		/no answer within 0.3 s/,
	);
	t.regex(
		await failureOf(t, 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5));', {
			patience: { startMs: patient(30_000), answerMs: patient(60_000) },
		}),
		/its process ended/,
	);
});

test('a plugin has nothing but the language: no object of Node, no code out of texts, no import', async (t) => {
	const names = [
		'process',
		'require',
		'fetch',
		'setTimeout',
		'Buffer',
		'XMLHttpRequest',
		'performance',
		'queueMicrotask',
	];
	const body = `
		const seen = ${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined);
		for (const make of [() => Function('return 1'), () => eval('1'), () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))]) {
			try { make(); seen.push('made'); } catch {}
		}
		import('node:fs').then(() => { for (;;); }, () => { for (;;); });
		return seen.length === 0 ? { settled: bytes.length } : { fault: 0, at: seen.length };`;
	const { settled } = await scan(formatOf(sourceOf(body)));
	t.is(settled, FILE.length);
});

test('a program that holds the objects of Node has no file, no connection and no process in the place of a plugin', async (t) => {
	const server = createServer();
	let connections = 0;
	server.on('connection', () => connections++);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	const escaped = fileURLToPath(new URL('../helpers/escaped-plugin.mjs', import.meta.url));
	const process = new PluginProcess(PATIENCE, escaped);
	t.teardown(() => process.close());
	await process.begin(String(port), 'tokenize');
	const tried = JSON.parse((await process.ask(FILE, true)).toString());
	t.deepEqual(Object.keys(tried), ['connect', 'listen', 'datagram', 'read', 'write', 'spawn', 'thread', 'environment']);
	for (const [what, outcome] of Object.entries(tried))
		t.regex(String(outcome), /EMFILE|ERR_ACCESS_DENIED|^empty$/, what);
	t.is(connections, 0);
});

test('a plugin waits for a lane before its process begins, and gives it back once, also if it never began', async (t) => {
	let [taken, given] = [0, 0];
	const lane = Promise.withResolvers<void>();
	const takeLane = async () => {
		taken++;
		await lane.promise;
		return () => void given++;
	};
	const format = formatOf(sourceOf('return { settled: bytes.length };'), { takeLane });
	const early = format.scanner({}, 'tokenize');
	early.close!();
	const scanned = scan(format);
	t.deepEqual([taken, given], [2, 0]);
	lane.resolve();
	t.is((await scanned).settled, FILE.length);
	t.deepEqual([taken, given], [2, 2]);
});

test('the record of a card grows by no more than the lines since the card before', async (t) => {
	const cards = 'cards: [{ number: [4, 20], record: 411111111 }, { number: [30, 46], record: 5 }]';
	const { found } = await scan(formatOf(sourceOf(`return { settled: bytes.length, ${cards} };`)));
	t.deepEqual([found.items[0].record, found.items[1].record], [1, 3]);
});

test('what a plugin writes is dropped, and only that it did so is told', async (t) => {
	const { found } = await scan(formatOf(sourceOf('console.log(bytes); return { settled: bytes.length };')));
	t.deepEqual([...found.notices], ['The plugin PROBE wrote messages, which nobody has read']);
});

test('a plugin keeps nothing from one file to the next', async (t) => {
	const format = formatOf(sourceOf('return seen++ === 0 ? { settled: bytes.length } : null;', 'let seen = 0;'));
	t.is((await scan(format)).settled, FILE.length);
	t.is((await scan(format)).settled, FILE.length);
});

test('a file is a plugin only if it describes a format and imports nothing', async (t) => {
	const wrong: [source: string, says: RegExp][] = [
		['export default {', /cannot be loaded: SyntaxError/],
		['import "node:fs"; export default {};', /imports nothing/],
		['export const format = {};', /cannot be loaded/],
		[sourceOf('').replace("'PROBE'", "'../x'"), /filter: expected 3 to 16 capital letters/],
		[sourceOf('').replace("'A probe'", `'${NUMBER}'`), /title: expected no card number/],
		[sourceOf('').replace("'A probe'", "''"), /title/],
		[`${sourceOf('')}//${'x'.repeat(300_000)}`, /may have 262144 bytes/],
	];
	for (const [source, says] of wrong) await t.throwsAsync(readPlugin(source), { message: says });
});

test('a file in an encoding without readable digits is refused before a plugin is asked', async (t) => {
	const format = formatOf(sourceOf('return { settled: bytes.length };'));
	const error = await t.throwsAsync(scan(format, Buffer.from(`\ufeff${NUMBER}`, 'utf16le')), { instanceOf: FileError });
	t.is(error.told.code, 'file-not-text');
});
