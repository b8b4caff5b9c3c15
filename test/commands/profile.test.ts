import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';
import { entriesOf } from '../helpers/trail-export.ts';

const NUMBER = '4111111111111111';
const CVV = '306';
const PROFILE = `
name: Partner
direction: tokenize
body: xml
targetUri: https://api.example.com/pull
authorization: Basic c2VjcmV0LXNlY3JldA==
cards:
  - container: //Card
    number: Number
    expiryMonth: { path: Expiry, substring: [0, 2] }
    expiryYear: { path: Expiry, substring: [3, 2] }
    nameOnCard: Holder
    securityCode: Cvv
`;
const BODY = `<Booking>
  <Card><Number>4111 1111 1111 1111</Number><Expiry>04/39</Expiry><Cvv>${CVV}</Cvv></Card>
  <Card><Number>4111111111111112</Number><Expiry>04/39</Expiry><Holder>A HOLDER</Holder></Card>
  <Card><Number>0f0e0d0c0b0a09080706050403020100</Number></Card>
</Booking>
`;

function fileIn(run: CommandRunner, name: string, text: string): string {
	const path = join(run.dataDir, name);
	writeFileSync(path, text);
	return path;
}

async function openAgency(t: ExecutionContext) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	return { run, file: fileIn(run, 'partner.yaml', PROFILE), body: fileIn(run, 'body.xml', BODY) };
}

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

test('if nothing is found, the trial says how far each selector matches', async (t) => {
	const run = openCommandRunner(t);
	const file = fileIn(run, 'p.yaml', PROFILE.replace('//Card', '/Booking/Guest/Card'));
	const body = fileIn(run, 'b.xml', '<Booking xmlns="urn:b"><Guest><Pay/></Guest></Booking>');
	const tried = await run.text('profile', 'test', '--file', file, '--body', body);
	t.is(tried.code, 1);
	t.is(
		tried.stdout,
		[
			'No card is found.',
			'',
			'/cards/0/container: matches nothing: /Booking is not there; in another namespace there is 1',
			'',
		].join('\n'),
	);
	const spaced = fileIn(
		run,
		'q.yaml',
		readFileSync(file, 'utf8').replace('/Booking/Guest/Card', "//*[local-name()='Guest']/Card"),
	);
	t.deepEqual((await run('profile', 'test', '--file', spaced, '--body', body)).json.selectors, [
		{
			pointer: '/cards/0/container',
			matched: 0,
			remark: "matches nothing: //*[local-name()='Guest'] matches 1, /Card after it matches nothing",
		},
	]);
});

test('a profile file is tried without any account, a preset as one', async (t) => {
	const run = openCommandRunner(t, { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_BASE_URL: 'https://example.com' });
	const body = fileIn(run, 'b.txt', `cardNumber=${NUMBER}&cvv=${CVV}`);
	const file = 'config/presets/form-card.yaml';
	t.is((await run('profile', 'test', '--file', file, '--body', body)).json.error.reason, 'bad-input-data');
	const tried = await run('profile', 'test', '--preset', '--file', file, '--body', body);
	t.is(tried.code, 0, tried.stderr);
	t.like(tried.json, { profile: 'FormCard', cards: { 0: { line: 1, offset: 11, expiry: null } } });
	const text = (await run.text('profile', 'test', '--preset', '--file', file, '--body', body)).stdout;
	t.regex(text, /^\/cards\/0\/nameOnCard: matches nothing$/m);
});

test('the placeholders of a text are listed, and unknown ones refused', async (t) => {
	const run = openCommandRunner(t);
	const file = fileIn(run, 'p.yaml', 'name: Text\ndirection: replace\nbody: text\n');
	const body = fileIn(run, 'b.txt', 'pay\nwith {{cardNumber}} {{cvv}} or {{cardNumber:2}}\n');
	const tried = await run('profile', 'test', '--file', file, '--body', body);
	t.is(tried.code, 0, tried.stderr);
	t.deepEqual(tried.json.placeholders, [
		{ line: 2, offset: 9, placeholder: 'cardNumber', isRaw: false },
		{ line: 2, offset: 24, placeholder: 'cvv', isRaw: false },
		{ line: 2, offset: 35, placeholder: 'cardNumber:2', isRaw: false },
	]);
	t.is(
		(await run.text('profile', 'test', '--file', file, '--body', body)).stdout.split('\n')[3],
		'2     35      {{cardNumber:2}}',
	);
	const named = fileIn(run, 'named.txt', 'PAY {{cardNumber}} {{nameOnCard}}');
	const remark = /^The content type has no rule for names, so nameOnCard goes out as it is: offset 19$/m;
	const words = ['profile', 'test', '--file', file, '--body', named];
	t.regex((await run.text(...words, '--content-type', 'text/plain')).stdout, remark);
	t.notRegex((await run.text(...words, '--content-type', 'application/json')).stdout, remark);
	const wrong = fileIn(run, 'w.txt', '{{pan}}');
	t.regex((await run.text('profile', 'test', '--file', file, '--body', wrong)).stderr, /unknown placeholder/);
	const none = fileIn(run, 'n.txt', 'nothing');
	t.is((await run('profile', 'test', '--file', file, '--body', none)).code, 1);
});

test('a command line that contradicts itself is refused', async (t) => {
	const { run, file, body } = await openAgency(t);
	for (const words of [
		['--body', body],
		['--body', body, '--name', 'Partner', '--file', file],
		['--body', body, '--name', 'Partner'],
		['--body', join(run.dataDir, 'none'), '--file', file],
		['--body', body, '--file', join(run.dataDir, 'none')],
	]) {
		t.is((await run('profile', 'test', ...words)).code, 64, words.join(' '));
	}
	const absent = ['--body', body, '--name', 'Nobody', '--user-id', 'agency'];
	t.is((await run('profile', 'test', ...absent)).code, 1, 'there is none, as everywhere else');
});

test('a file that cannot be read is named with its option', async (t) => {
	const { run, file, body } = await openAgency(t);
	const none = join(run.dataDir, 'none');
	for (const [option, words] of Object.entries({
		'--file': ['put', '--user-id', 'agency', '--file', none],
		'--body': ['test', '--file', file, '--body', none],
	})) {
		t.is((await run.text('profile', ...words)).stderr, `${option} ${none}: ENOENT\n`);
	}
	t.is((await run.text('profile', 'test', '--file', none, '--body', body)).stderr, `--file ${none}: ENOENT\n`);
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
