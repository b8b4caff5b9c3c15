import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import { openGnuPg } from '../helpers/gnupg.ts';
import { openInstallation } from '../helpers/operator-commands.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const VISA = '4111111111111111';
const TABLE = `Card Number,Expiry,Name on card,Card Reference\n${VISA},12/39,MARIE DUPONT,first\n5555555555554444,12/39,,second\n`;

type Run = ReturnType<typeof openCommandRunner>;

async function fill(run: Run): Promise<void> {
	await run('account', 'create', '--user-id', 'agency');
	writeFileSync(join(run.dataDir, 'cards.csv'), TABLE);
	await run('token', 'import', '--user-id', 'agency', join(run.dataDir, 'cards.csv'), join(run.dataDir, 'tokens.csv'));
}

/** Makes an account that gets exports, with its key; returns the file of the public one and its fingerprint. */
async function makeReceiver(run: Run, userId: string) {
	await run('account', 'create', '--user-id', userId);
	await run('pgp-key', 'create', '--user-id', userId, '--name', 'own');
	const { publicKey, fingerprint } = (await run('pgp-key', 'export', '--user-id', userId, '--name', 'own')).json;
	const file = join(run.dataDir, 'receiver.asc');
	writeFileSync(file, publicKey);
	return { file, fingerprint: fingerprint as string };
}

let lists = 0;

async function listed(run: Run): Promise<string> {
	const file = join(run.dataDir, `list-${++lists}.csv`);
	await run('token', 'export', '--user-id', 'agency', file);
	return readFileSync(file, 'utf8');
}

test('a vault goes from one installation to another by two commands', async (t) => {
	const [here, there] = [openCommandRunner(t), openCommandRunner(t)];
	await fill(here);
	const { file, fingerprint } = await makeReceiver(there, 'agency');
	const out = join(here.dataDir, 'vault.pgp');
	const asked = ['--key-file', file, '--fingerprint', fingerprint.toUpperCase().replaceAll(/(.{4})/g, '$1 ')];
	const exported = await here('vault', 'export', ...asked, out);
	t.is(exported.code, 0, exported.stderr);
	t.like(exported.json, { file: out, records: 2, fingerprint, leftOut: 0 });
	t.is(statSync(out).mode & 0o777, 0o600);
	t.regex((await here('vault', 'export', ...asked, out)).stderr, /the file exists already/);
	const key = ['--pgp-key', 'own', '--key-of', 'agency'];
	const judged = await there.text('vault', 'import', ...key, '--dry-run', out);
	t.regex(judged.stdout, /: 2 records\n0 are here already, 0 have problems\. Nothing was stored\./);
	t.notRegex(await listed(there), /411111/);
	const report = join(there.dataDir, 'problems.csv');
	const imported = await there('vault', 'import', ...key, '--report', report, out);
	t.like(imported.json, {
		export: exported.json.export,
		sha256: exported.json.sha256,
		stored: 2,
		present: 0,
		problems: 0,
	});
	t.is(readFileSync(report, 'utf8'), 'line,token,problem\r\n');
	t.is(await listed(there), await listed(here));
	for (const folder of [here.dataDir, there.dataDir]) {
		for (const name of readdirSync(folder).filter(
			(each) => each !== 'cards.csv' && statSync(join(folder, each)).isFile(),
		)) {
			t.false(readFileSync(join(folder, name)).includes(VISA), `${name} has no number`);
		}
	}
});

test('accounts have other names there, and problems make the command fail and stand in the report', async (t) => {
	const [here, there] = [openCommandRunner(t), openCommandRunner(t)];
	await fill(here);
	const { file, fingerprint } = await makeReceiver(there, 'travel');
	const out = join(here.dataDir, 'vault.pgp');
	await here('vault', 'export', '--key-file', file, '--fingerprint', fingerprint, '--armor', out);
	t.regex(readFileSync(out, 'latin1'), /^-----BEGIN PGP MESSAGE/);
	const importWith = (...words: string[]) =>
		there('vault', 'import', '--pgp-key', 'own', '--key-of', 'travel', ...words, out);
	const unknown = await importWith();
	t.is(unknown.code, 1);
	t.regex(unknown.stderr, /there is no primary account agency here: make it with account create, or say with --rename/);
	t.is((await importWith('--rename', 'agency')).code, 64);
	t.like((await importWith('--rename', 'agency=travel')).json, { stored: 2 });
	// The same tokens cannot belong to two accounts.
	await there('account', 'create', '--user-id', 'agency');
	const report = join(there.dataDir, 'problems.csv');
	const clash = await importWith('--report', report);
	t.is(clash.code, 1);
	t.like(clash.json, { stored: 0, problems: 2, isStored: false });
	t.is(clash.json.firstProblems[0], 'line 2: its token leads to something else here');
	const rows: Record<string, string>[] = parse(readFileSync(report), { columns: true });
	t.deepEqual(
		rows.map(({ line, problem }) => [line, problem]),
		['2', '3'].map((line) => [line, 'its token leads to something else here']),
	);
});

test('only the key that was agreed on reads an export, and only two people may have one', async (t) => {
	const { run, withApproval, addByToken, as, folder, entries } = await openInstallation(t);
	await run('account', 'create', '--user-id', 'agency');
	await addByToken('alice', 'keys');
	await addByToken('bob', 'keys', 'alice');
	const key = ['--pgp-key', 'own', '--key-of', 'agency'];
	await as('alice')('pgp-key', 'create', '--user-id', 'agency', '--name', 'own');
	const { fingerprint } = (await as('alice')('pgp-key', 'export', '--user-id', 'agency', '--name', 'own')).json;
	const out = join(folder, 'vault.pgp');
	const words = ['vault', 'export', ...key, '--fingerprint', fingerprint, out];
	const alone = await as('alice')(...words);
	t.is(alone.code, 77);
	t.regex(alone.stderr, /a second operator has to approve/);
	t.false(existsSync(out));
	const wrong = await withApproval('alice', 'bob', 'vault', 'export', ...key, '--fingerprint', 'ab'.repeat(20), out);
	t.regex(wrong.stderr, new RegExp(`the key has the fingerprint ${fingerprint}, not the one that was given`));
	t.false(existsSync(out));
	t.is((await withApproval('alice', 'bob', ...words)).code, 0);
	t.is((await as('alice')('vault', 'import', ...key, out)).code, 77);
	t.is((await withApproval('bob', 'alice', 'vault', 'import', ...key, out)).code, 0);
	t.is((await entries('vault.export'))[0].actor, 'operator alice');
	t.is((await entries('vault.import'))[0].actor, 'operator bob');
});

test('a wrong command line is told', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const out = join(run.dataDir, 'vault.pgp');
	for (const [words, message] of [
		[['export', '--fingerprint', 'ab', out], /name one key/],
		[['export', '--fingerprint', 'ab', '--pgp-key', 'own', out], /--pgp-key and --key-of belong together/],
		[['export', '--fingerprint', 'ab', '--key-file', 'k', '--format', 'xml', out], /--format must be json or csv/],
		[['import', '--key-file', 'k', '-'], /read twice/],
	] as const) {
		const { code, stderr } = await run('vault', ...words);
		t.is(code, 64, stderr);
		t.regex(stderr, message);
	}
});

testNeeding('GnuPG (gnupg)')('a table of cards that GnuPG decrypts is one that `token import` reads', async (t) => {
	const run = openCommandRunner(t);
	await fill(run);
	const gpg = openGnuPg(t);
	const fingerprint = gpg.makeKey('provider');
	const [key, secret] = [join(run.dataDir, 'provider.asc'), join(run.dataDir, 'secret.asc')];
	writeFileSync(key, gpg.exported('provider'));
	writeFileSync(secret, gpg(['--armor', '--export-secret-keys', 'provider']));
	const out = join(run.dataDir, 'cards.csv.pgp');
	const words = ['vault', 'export', '--fingerprint', fingerprint, '--format', 'csv'];
	t.regex((await run(...words, '--key-file', secret, out)).stderr, /the file has a secret key/);
	const exported = await run(...words, '--key-file', key, out);
	t.is(exported.code, 0, exported.stderr);
	const clear = gpg.decrypt(readFileSync(out)).toString();
	const rows: Record<string, string>[] = parse(clear, { columns: true });
	t.deepEqual(
		rows.map(({ card_number, card_holder_name, reference }) => [card_number, card_holder_name, reference]),
		[
			[VISA, 'MARIE DUPONT', 'first'],
			['5555555555554444', '', 'second'],
		],
	);
	writeFileSync(join(run.dataDir, 'back.csv'), clear);
	const tried = await run('token', 'import', '--dry-run', '--user-id', 'agency', join(run.dataDir, 'back.csv'));
	t.like(tried.json, { cards: 2, refused: 0 });
});
