import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';
import { folder, MIR, SAMPLES } from './format.setup.ts';

test('a plugin is allowed by its hash, listed, used by its filter, and removed, all of it in the trail', async (t) => {
	const run = openCommandRunner(t);
	t.is((await run('format', 'list')).json.length, 0);
	const refused = await run('format', 'allow', MIR, '--sha256', '0'.repeat(64));
	t.is(refused.code, 64);
	const { json: allowed } = await run('format', 'allow', MIR);
	t.like(allowed, { filter: 'GALILEOMIR', title: 'Galileo and Apollo MIR' });
	t.regex(allowed.sha256, /^[0-9a-f]{64}$/);
	t.is((await run('format', 'allow', MIR, '--sha256', allowed.sha256)).code, 0, 'the same once more');
	const { json: list } = await run('format', 'list');
	t.is(list.length, 1);
	t.like(list[0], { filter: 'GALILEOMIR', sha256: allowed.sha256, isIntact: true });

	await run('account', 'create', '--user-id', 'agency');
	const there = join(folder(t), 'there.mir');
	const back = join(folder(t), 'back.mir');
	const sample = join(SAMPLES, 'two-records.mir');
	const given = ['--user-id', 'agency', '--filter', 'GALILEOMIR'];
	const swapped = await run('file', 'tokenize', ...given, sample, there);
	t.is(swapped.code, 0, swapped.stderr);
	t.is(swapped.json.cards, 2);
	t.is((await run('file', 'detokenize', ...given, there, back)).code, 0);

	t.is((await run('format', 'remove', 'GALILEOMIR')).json.removed, true);
	t.is((await run('format', 'remove', 'GALILEOMIR')).code, 1);
	t.is((await run('file', 'tokenize', ...given, sample, join(folder(t), 'no'))).code, 1);
	const { json: trail } = await run('audit', 'list');
	const told = (trail.entries ?? trail).filter(({ action }: { action: string }) => action.startsWith('format.'));
	t.deepEqual(told.map(({ action }: { action: string }) => action).toSorted(), [
		'format.allow',
		'format.allow',
		'format.remove',
	]);
	for (const { subject, details } of told) {
		t.is(subject, 'format GALILEOMIR');
		t.deepEqual(details, { sha256: allowed.sha256 });
	}
});

test('a plugin that takes the name of a format of our own, or is none, is refused', async (t) => {
	const run = openCommandRunner(t);
	const file = join(folder(t), 'p.mjs');
	for (const [source, says] of [
		["export default { filter: 'GBT', title: 't', open() {} };", /GBT is a format of our own/],
		['export default 1;', /plugin/],
		['{', /SyntaxError/],
	] as const) {
		writeFileSync(file, source);
		const { code, json } = await run('format', 'allow', file);
		t.is(code, 64);
		t.regex(json.error.message, says);
	}
});
