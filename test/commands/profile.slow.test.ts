// Those tests of profile.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { entriesOf } from '../helpers/trail-export.ts';
import { BODY, CVV, fileIn, NUMBER, openAgency, PROFILE } from './profile.setup.ts';

test('a profile is put, listed, shown with stars, and removed; the trail says so', async (t) => {
	const { run, file } = await openAgency(t);
	const scope = ['--user-id', 'agency'];
	t.like(await run('profile', 'put', ...scope, '--file', file), {
		code: 0,
		json: { userId: 'agency', name: 'Partner', version: 1 },
	});
	t.is((await run('profile', 'put', ...scope, '--file', file)).json.version, 2);
	const [listed] = (await run('profile', 'list', ...scope)).json;
	t.like(listed, {
		name: 'Partner',
		direction: 'tokenize',
		body: 'xml',
		target: 'https://api.example.com/pull',
		version: 2,
	});
	t.regex(
		(await run.text('profile', 'list', ...scope)).stdout,
		/^Partner +tokenize +xml +https:\/\/api\.example\.com\/pull +2 /m,
	);
	const named = [...scope, '--name', 'Partner'];
	const shown = await run('profile', 'show', ...named);
	t.like(shown.json, { userId: 'agency', version: 2, profile: { name: 'Partner', authorization: '********' } });
	const text = (await run.text('profile', 'show', ...named)).stdout;
	t.regex(text, /^authorization: "?\*{8}"?$/m);
	t.false((shown.stdout + text).includes('c2VjcmV0'));
	t.like((await run('profile', 'remove', ...named)).json, { userId: 'agency', name: 'Partner', removed: true });
	t.like(await run('profile', 'remove', ...named), { code: 1, json: { removed: false } });
	t.deepEqual((await run('profile', 'list', ...scope)).json, []);
	t.like(await run('profile', 'show', ...named), { code: 1, json: { error: { reason: 'failed' } } });
	const trail = fileIn(run, 'x', '') && join(run.dataDir, 'trail.ndjson');
	await run('audit', 'export', trail);
	const lines = entriesOf(readFileSync(trail, 'utf8'));
	const entries = lines.filter(({ action }) => action.startsWith('profile.'));
	t.deepEqual(
		entries.map(({ action, subject, details }) => [action, subject, details]),
		[
			['profile.put', 'account agency', { name: 'Partner', version: 1 }],
			['profile.put', 'account agency', { name: 'Partner', version: 2 }],
			['profile.remove', 'account agency', { name: 'Partner' }],
		],
	);
});

test("a sub-user's profiles are those of its parent", async (t) => {
	const { run, file } = await openAgency(t);
	await run('account', 'create', '--user-id', 'clerk', '--kind', 'sub-user', '--parent', 'agency');
	await run('profile', 'put', '--user-id', 'clerk', '--file', file);
	t.is((await run('profile', 'list', '--user-id', 'agency')).json.length, 1);
});

test('a profile that is wrong is refused with its places, and nothing is saved', async (t) => {
	const { run } = await openAgency(t);
	const file = fileIn(run, 'bad.yaml', PROFILE.replace('substring: [0, 2]', 'format: YY').replace('name:', 'nam:'));
	const refused = await run.text('profile', 'put', '--user-id', 'agency', '--file', file);
	t.is(refused.code, 1);
	t.is(
		refused.stderr,
		[
			'Bad input data: the profile is not usable:',
			'  line 2, column 1, /name: expected 1 to 64 letters and digits',
			'  line 2, column 1, /nam: no such key; perhaps name',
			'  line 10, column 42, /cards/0/expiryMonth/format: expected M or MM',
			'',
		].join('\n'),
	);
	t.deepEqual((await run('profile', 'list', '--user-id', 'agency')).json, []);
});

test('the cards that a saved profile finds are shown masked, with line and verdict', async (t) => {
	const { run, file, body } = await openAgency(t);
	await run('profile', 'put', '--user-id', 'agency', '--file', file);
	const saved = ['--user-id', 'agency', '--name', 'Partner', '--body', body];
	const tried = await run('profile', 'test', ...saved);
	t.is(tried.code, 0, tried.stderr);
	t.deepEqual(tried.json.cards, [
		{
			...{ line: 2, offset: BODY.indexOf('4111 '), content: 'number', number: '411111******1111', brand: 'Visa' },
			...{ passesLuhn: true, expiry: '2039-04', parts: ['number', 'expiryMonth', 'expiryYear', 'securityCode'] },
			...{ refusal: null, warnings: ['The Card type is missing'] },
		},
		{
			...{ line: 3, offset: BODY.indexOf('4111111111111112'), content: 'number', number: '411111******1112' },
			...{ brand: 'Visa', passesLuhn: false, expiry: '2039-04' },
			...{ parts: ['number', 'expiryMonth', 'expiryYear', 'nameOnCard'], refusal: 'Luhn (Mod10) error', warnings: [] },
		},
		{
			...{ line: 4, offset: BODY.indexOf('0f0e'), content: 'token', number: null, brand: null, passesLuhn: null },
			...{ expiry: null, parts: ['number'], refusal: null, warnings: [] },
		},
	]);
	const text = await run.text('profile', 'test', ...saved);
	t.is(
		text.stdout,
		[
			'line  offset  number            brand  Luhn  expiry   name  CVV  type  verdict',
			'2     26      411111******1111  Visa   yes   2039-04  no    yes  no    tokenized; The Card type is missing',
			'3     114     411111******1112  Visa   no    2039-04  yes   no   no    Luhn (Mod10) error',
			'4     210     (token)           -      -     -        no    no   no    left as it is',
			'',
		].join('\n'),
	);
	for (const secret of [NUMBER, '4111 1111', '4111111111111112', CVV]) {
		t.false((tried.stdout + text.stdout + text.stderr).includes(secret), secret);
	}
});

test('a profile is read from standard input', async (t) => {
	const run = openCommandRunner(t);
	const body = fileIn(run, 'b.xml', BODY);
	const words = ['src/main.ts', 'profile', 'test', '--json', '--file', '-', '--body', body];
	const env = { ...process.env, TOKENDROP_DATA_DIR: run.dataDir };
	const { status, stdout, stderr } = spawnSync(process.execPath, words, { input: PROFILE, encoding: 'utf8', env });
	t.is(status, 0, stderr);
	t.is(JSON.parse(stdout).cards.length, 3);
});

for (const dialect of databases) {
	test(`${dialect}: a profile changes together with its entry in the audit trail, or not at all`, async (t) => {
		const { url, knex } = await openTestDatabase(t, dialect);
		const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url });
		await run('account', 'create', '--user-id', 'agency');
		const file = fileIn(run, 'partner.yaml', PROFILE);
		const put = ['profile', 'put', '--user-id', 'agency', '--file', file];
		const remove = ['profile', 'remove', '--user-id', 'agency', '--name', 'Partner'];
		const failing = async (argv: string[]) => {
			await knex.raw('alter table audit rename to audit_away');
			t.is((await run(...argv)).code, 1);
			await knex.raw('alter table audit_away rename to audit');
		};
		const versions = async () => (await knex('relay_profiles')).map(({ version }) => version);
		await failing(put);
		t.deepEqual(await versions(), []);
		t.is((await run(...put)).code, 0);
		await failing(put);
		await failing(remove);
		t.deepEqual(await versions(), [1]);
		t.is((await run(...remove)).code, 0);
		t.deepEqual(await versions(), []);
		const entries = await knex('audit').where('action', 'like', 'profile.%').orderBy('seq');
		t.deepEqual(
			entries.map(({ action, details }) => [action, details]),
			[
				['profile.put', '{"name":"Partner","version":1}'],
				['profile.remove', '{"name":"Partner"}'],
			],
		);
	});
}
