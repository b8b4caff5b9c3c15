import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

test('a master key that was split comes back of enough shares, and opens the installation', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const split = await run('key', 'split', '--needed', '2', '--count', '3');
	t.is(split.code, 0, split.stderr);
	t.like(split.json, { needed: 2, count: 3 });
	const { shares } = split.json as { shares: string[] };
	const key = join(run.dataDir, 'master.key');
	const [first, others, back] = ['first.txt', 'others.txt', 'back.key'].map((name) => join(run.dataDir, name));
	writeFileSync(first, shares[2]);
	writeFileSync(others, `${shares[0]}\n\n${shares[2]}`);
	const few = await run('key', 'combine', '--share', first, '--to', back);
	t.is(few.code, 1);
	t.regex(few.stderr, /1 different shares were given, and 2 are needed/);
	t.false(existsSync(back));
	t.is((await run('key', 'combine', '--share', first, others, '--to', back)).code, 0);
	t.is(readFileSync(back, 'utf8').trim(), readFileSync(key, 'utf8').trim());
	t.is(statSync(back).mode & 0o777, 0o600);
	t.regex(
		(await run('key', 'combine', '--share', first, others, '--to', back)).stderr,
		/it exists, and no key is overwritten/,
	);
	const listed = await run('audit', 'list', '--kind', 'key.split');
	t.regex(listed.stdout, /key\.split/);
	t.false(listed.stdout.includes(shares[0].split('\n')[2]));
});

test('a plan that makes no sense is a wrong use', async (t) => {
	const run = openCommandRunner(t);
	for (const [needed, count] of [
		['1', '3'],
		['4', '3'],
		['2', '300'],
		['two', '3'],
	])
		t.is((await run('key', 'split', '--needed', needed, '--count', count)).code, 64);
});
