import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';
import { CVV, fileIn, NUMBER, openAgency, PROFILE } from './profile.setup.ts';

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
