// Routes decrypt, verify, encrypt and sign: the recipe of docs/pgp.md between two SFTP servers, and what is refused.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { openGnuPg } from '../helpers/gnupg.ts';
import { CSV, namesIn, openPartners, openRouteParts, textOf, WHOSE, writeOld } from '../helpers/route-parts.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const test = testNeeding('GnuPG (gnupg)');
const page = readFileSync(new URL('../../docs/pgp.md', import.meta.url), 'utf8');

/** Makes the own key, and partners `visa` and `bank` with GnuPG, who know each other's public keys. */
async function exchangeKeys(
	t: ExecutionContext<unknown>,
	run: Awaited<ReturnType<typeof openRouteParts>>['run'],
	folder: string,
) {
	const gpg = openGnuPg(t);
	const created = await run('pgp-key', 'create', ...WHOSE, '--name', 'own');
	t.is(created.code, 0, created.stderr);
	gpg(['--import'], (await run('pgp-key', 'export', ...WHOSE, '--name', 'own')).json.publicKey);
	for (const name of ['visa', 'bank', 'thief']) {
		gpg.makeKey(name);
		if (name === 'thief') continue;
		const file = join(folder, `${name}.asc`);
		writeFileSync(file, gpg.exported(name));
		const imported = await run('pgp-key', 'import', ...WHOSE, '--name', name, '--file', file);
		t.is(imported.code, 0, imported.stderr);
	}
	const us: string = created.json.fingerprint;
	return { gpg, us, by: (user: string) => gpg.encrypt(CSV, [us], ['--sign', '--local-user', user]) };
}

testNeeding('GnuPG (gnupg)', 'sshd (openssh-server)')(
	'the recipe: a nightly feed is decrypted, verified, tokenized, encrypted for the bank and signed',
	async (t) => {
		const parts = await openPartners(t);
		const { run, runNow, put, out, into } = parts;
		const { gpg, by } = await exchangeKeys(t, run, parts.folder);
		const [, recipe] = /^```yaml\n(.*?)^```$/ms.exec(page)!;
		const { from, do: work, to, when, expect } = parse(recipe);
		writeOld(out, 'may.csv.pgp', by('visa'));
		writeOld(out, 'june.csv.pgp', by('thief'));
		await put({ ...from, path: 'out' }, work, to, { when, expect });
		const done = await runNow();
		t.is(done.state, 'partly');
		const [june, may] = done.files;
		t.like(may, { path: 'may.csv.pgp', state: 'delivered', cards: 1, deliveredAs: 'in/may.csv.pgp' });
		t.like(june, { path: 'june.csv.pgp', state: 'dead', cards: 0 });
		t.regex(june.reason, /not signed by visa, but by somebody else/);
		t.deepEqual(namesIn(into), ['may.csv.pgp', 'may.csv.pgp.done']);
		t.deepEqual(namesIn(out), ['june.csv.pgp'], 'a source is cleared up only after its delivery');
		const delivered = readFileSync(join(into, 'may.csv.pgp'));
		t.regex(gpg.decrypt(delivered).toString(), /^CardNumber,.*\n[0-9a-f]{32},12,2029,Visa\n$/);
		// The partner has a new key, and the file is taken again from what was collected.
		writeFileSync(join(parts.folder, 'new.asc'), gpg.exported('thief'));
		await run('pgp-key', 'revoke', ...WHOSE, '--name', 'visa');
		await run('pgp-key', 'import', ...WHOSE, '--name', 'visa', '--file', join(parts.folder, 'new.asc'));
		t.is((await parts.route('retry', '--name', 'r', '--file', 'june.csv.pgp')).code, 0);
		t.like(await runNow(), { state: 'done' });
		t.is((await run('audit', 'verify')).code, 0);
	},
);

test('a file with which nothing is done is decrypted for a folder, and encrypted anew for another', async (t) => {
	const parts = await openRouteParts(t);
	const { folder, put, runNow, run, route } = parts;
	const { gpg, by } = await exchangeKeys(t, run, folder);
	const work = { operation: 'none', decrypt: { with: 'own', verifiedBy: ['visa'], unsigned: 'accept' } };
	writeOld(folder, 'may.csv.gpg', by('visa'));
	writeOld(folder, 'plain.csv');
	// It is a message by its first bytes.
	writeOld(folder, 'june.txt', by('visa'));
	const from = { folder, files: ['may.csv.gpg', 'plain.csv', 'june.txt'] };
	await put(from, work, { folder, name: 'out-{name}' });
	t.like(await runNow(), { state: 'done' });
	for (const name of ['may.csv', 'plain.csv', 'june.txt']) t.is(textOf(folder, `out-${name}`), CSV, name);

	const encrypt = { for: ['bank', 'own'], armor: true, signWith: 'own' };
	await put(from, { ...work, encrypt }, { folder, name: 'bank-{stem}.{ext}.asc' });
	for (const file of ['may.csv.gpg', 'plain.csv']) await route('forget', '--name', 'r', '--file', file);
	t.like(await runNow(), { state: 'done' });
	t.true(textOf(folder, 'bank-plain.csv.asc').startsWith('-----BEGIN PGP MESSAGE'));
	t.is(gpg.decrypt(readFileSync(join(folder, 'bank-may.csv.asc'))).toString(), CSV);
});

test('signatures that are demanded cannot be passed by with a file in clear', async (t) => {
	const { folder, put, runNow, run } = await openRouteParts(t);
	const { gpg, us } = await exchangeKeys(t, run, folder);
	writeOld(folder, 'clear.csv');
	writeOld(folder, 'unsigned.csv.pgp', gpg.encrypt(CSV, [us]));
	writeOld(folder, 'none.csv.pgp', CSV);
	const work = { operation: 'none', decrypt: { with: 'own', verifiedBy: ['visa'] } };
	await put({ folder, files: ['*.csv', '*.pgp'] }, work, { folder, name: 'out-{name}' });
	const { state, files } = await runNow();
	t.is(state, 'failed');
	const reasons = Object.fromEntries(files.map(({ path, reason }: Record<string, string>) => [path, reason]));
	t.regex(reasons['clear.csv'], /is not signed/);
	t.regex(reasons['unsigned.csv.pgp'], /is not signed/);
	t.regex(reasons['none.csv.pgp'], /not an encrypted OpenPGP message/);
	t.true(namesIn(folder).every((name) => !name.startsWith('out-')));
});

test('a message that is damaged shows, resolves and counts nothing, for routes with jobs and without', async (t) => {
	const { folder, put, runNow, run } = await openRouteParts(t);
	const { by } = await exchangeKeys(t, run, folder);
	const message = by('visa');
	for (const [name, part] of Object.entries({ early: 0.01, late: 0.6, last: 1 })) {
		const at = Math.min(Math.floor(message.length * part), message.length - 1);
		const flipped = Buffer.from(message);
		flipped[at] ^= 1;
		writeOld(folder, `${name}-flipped.csv.pgp`, flipped);
		writeOld(folder, `${name}-cut.csv.pgp`, message.subarray(0, Math.max(at, 20)));
	}
	const decrypt = { with: 'own', verifiedBy: ['visa'] };
	for (const operation of ['tokenize', 'none']) {
		const work = { operation, decrypt, ...(operation === 'tokenize' && { filter: 'SIMPLECSV' }) };
		await run('route', 'remove', ...WHOSE, '--name', 'r');
		await put({ folder, files: ['*.pgp'] }, work, { folder, name: 'out-{name}' });
		const { state, files } = await runNow();
		t.is(state, 'failed');
		t.is(files.length, 6);
		for (const file of files) {
			t.is(file.state, 'dead', file.path);
			t.regex(file.reason, /OpenPGP message/, file.path);
		}
	}
	t.true(namesIn(folder).every((name) => !name.startsWith('out-')));
	const jobs = (await run('job', 'list')).json;
	t.is(jobs.length, 6);
	t.true(jobs.every(({ state, cards }: { state: string; cards: number }) => state === 'failed' && cards === 0));
	const { accounts } = (await run('today')).json;
	t.is(accounts[0].sent[0].cards, 0);
});

test('keys are kept under their names, and neither they nor a passphrase are in any output', async (t) => {
	const { folder, run } = await openRouteParts(t);
	const { gpg, us } = await exchangeKeys(t, run, folder);
	gpg(['--passphrase', 'xyzzy-open', '--quick-gen-key', 'closed', 'default', 'default', 'never']);
	writeFileSync(
		join(folder, 'closed.asc'),
		gpg(['--passphrase', 'xyzzy-open', '--armor', '--export-secret-keys', 'closed']),
	);
	writeFileSync(join(folder, 'passphrase'), 'xyzzy-open\n');
	const key = (verb: string, ...more: string[]) => run('pgp-key', verb, ...WHOSE, ...more);
	const file = ['--file', join(folder, 'closed.asc')];
	const outcomes = [
		await key('import', '--name', 'closed', ...file),
		await key('import', '--name', 'closed', ...file, '--passphrase-file', join(folder, 'passphrase')),
		await key('import', '--name', 'own', ...file, '--passphrase-file', join(folder, 'passphrase')),
		await key('list'),
		await key('export', '--name', 'closed'),
	];
	t.deepEqual(
		outcomes.map(({ code }) => code === 0),
		[false, true, false, true, true],
	);
	t.regex(outcomes[2].stderr, /another key has the name own/);
	for (const { stdout, stderr } of outcomes) t.notRegex(stdout + stderr, /xyzzy|PRIVATE KEY/);
	t.deepEqual(
		outcomes[3].json.map(({ name, kind }: Record<string, string>) => [name, kind]),
		[
			['bank', 'partner'],
			['closed', 'own'],
			['own', 'own'],
			['visa', 'partner'],
		],
	);

	const revoked = await key('revoke', '--name', 'own');
	t.like(revoked.json, { name: 'own', fingerprint: us });
	t.truthy(revoked.json.revokedAt);
	gpg(['--import'], (await key('export', '--name', 'own')).json.publicKey);
	t.regex(gpg(['--list-keys', '--with-colons', us]).toString(), /^pub:r:/m, 'GnuPG knows that it is revoked');
	t.is((await key('create', '--name', 'own', '--expires-in-days', '30')).code, 0, 'its name is free again');
	const trail = await run('audit', 'verify');
	t.is(trail.code, 0, trail.stderr);
});
