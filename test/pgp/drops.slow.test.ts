// Uploads that are OpenPGP messages, and outputs that are encrypted, over sFTP to a running daemon.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openInstallation } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { openGnuPg } from '../helpers/gnupg.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const test = testNeeding('GnuPG (gnupg)', 'OpenSSH (openssh-client)');
const WHOSE = ['--user-id', 'demo'];
const CSV = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n4111111111111111,12,2029,Visa\n';
const SWAPPED = /^CardNumber,.*\n[0-9a-f]{32},12,2029,Visa\n$/;

interface EndedJob {
	readonly id: string;
	readonly name: string;
	readonly state: string;
	readonly cards: number;
	readonly error: { readonly message: string } | null;
}

/** Starts a daemon whose account has an own key and that of a bank. */
async function openParts(t: ExecutionContext<unknown>) {
	const installation = await openInstallation(t);
	const daemon = await installation.start();
	const gpg = openGnuPg(t);
	const { folder } = installation;
	await installation.json('pgp-key', 'create', ...WHOSE, '--name', 'own');
	const { publicKey, fingerprint: us } = await installation.json('pgp-key', 'export', ...WHOSE, '--name', 'own');
	gpg(['--import'], publicKey);
	gpg.makeKey('bank');
	writeFileSync(join(folder, 'bank.asc'), gpg.exported('bank'));
	await installation.json('pgp-key', 'import', ...WHOSE, '--name', 'bank', '--file', join(folder, 'bank.asc'));
	const door = demoDoor(installation, daemon);
	const sftp = (...commands: string[]) => opensshSftp(door, commands);
	const setOptions = async (pgp: object) => {
		writeFileSync(join(folder, 'pgp.json'), JSON.stringify({ pgp }));
		const put = ['--filter', 'SIMPLECSV', '--file', join(folder, 'pgp.json')];
		await installation.json('format-options', 'put', ...WHOSE, ...put);
	};
	return {
		...{ installation, daemon, gpg, us: us as string, setOptions, sftp },
		/** Uploads a file, waits until its job has ended, and returns the job. */
		async process(name: string, content: Uint8Array | string, area = 'tokenize') {
			writeFileSync(join(folder, 'upload'), content);
			const before: { id: string }[] = await installation.json('job', 'list');
			const sent = await sftp(`put upload /${area}/SIMPLECSV/${name}`);
			t.is(sent.code, 0, sent.stderr);
			const known = new Set(before.map(({ id }) => id));
			return until('the end of the job', async () => {
				const jobs: EndedJob[] = await installation.json('job', 'list');
				return jobs.find(({ id, state }) => !known.has(id) && (state === 'done' || state === 'failed'));
			});
		},
		async fetch(path: string): Promise<Buffer | undefined> {
			const fetched = await sftp(`get ${path} fetched`);
			return fetched.code === 0 ? readFileSync(join(folder, 'fetched')) : undefined;
		},
	};
}

test('an upload is decrypted if the account accepts that, and its output is encrypted for whom the options name', async (t) => {
	const { installation, gpg, us, process, fetch, setOptions, sftp, daemon } = await openParts(t);
	const message = gpg.encrypt(CSV, [us]);
	t.is((await process('early.csv.pgp', message)).state, 'failed', 'it is not accepted unless the options say so');

	await setOptions({ accept: true });
	t.like(await process('may.csv.pgp', message), { state: 'done', name: 'may.csv.pgp', cards: 1 });
	const tokens = (await fetch('/tokenized/SIMPLECSV/may.csv'))!;
	t.regex(tokens.toString(), SWAPPED);
	t.is(await fetch('/tokenized/SIMPLECSV/may.csv.pgp'), undefined);
	t.like(await process('clear.csv', CSV), { state: 'done', cards: 1 }, 'files in clear come as before');

	await setOptions({ accept: true, outputFor: ['bank', 'own'], armor: true, signWith: 'own' });
	t.like(await process('may.csv.pgp', message), { state: 'done', cards: 1 });
	const output = (await fetch('/tokenized/SIMPLECSV/may.csv.pgp'))!;
	t.true(output.toString().startsWith('-----BEGIN PGP MESSAGE'));
	t.regex(gpg.decrypt(output).toString(), SWAPPED);
	t.is(await fetch('/tokenized/SIMPLECSV/may.csv'), undefined, 'the output before has given its name up');
	const names = (await sftp('ls -1 /tokenized/SIMPLECSV')).stdout;
	t.regex(names, /may\.[0-9a-z]{26}\.csv/, 'and is still there');

	// What goes out in clear otherwise is encrypted too, and no clear file is beside it.
	t.like(await process('back.csv', tokens, 'detokenize'), { state: 'done', cards: 1 });
	t.is(gpg.decrypt((await fetch('/detokenized/SIMPLECSV/back.csv.pgp'))!).toString(), CSV);
	t.is(await fetch('/detokenized/SIMPLECSV/back.csv'), undefined);
	t.notRegex(daemon.log(), /PRIVATE KEY|4111111111111111/);
	const { dataDir } = installation;
	for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
		const path = join(dataDir, name);
		if (statSync(path).isDirectory()) continue;
		t.notRegex(readFileSync(path, 'latin1'), /BEGIN PGP PRIVATE KEY|4111111111111111/, name);
	}
});

test('a damaged upload, or one for a key that has ended, fails with what to do and shows nothing', async (t) => {
	const { installation, gpg, us, process, fetch, setOptions } = await openParts(t);
	await setOptions({ accept: true, verifiedBy: ['bank'] });
	const message = gpg.encrypt(CSV, [us], ['--sign', '--local-user', 'bank']);
	const flipped = Buffer.from(message);
	flipped[flipped.length - 1] ^= 1;
	for (const damaged of [flipped, message.subarray(0, message.length - 1)]) {
		const failed = await process('bad.csv.pgp', damaged);
		t.like(failed, { state: 'failed', cards: 0 });
		t.regex(failed.error?.message ?? '', /cut or changed on its way/);
	}
	t.is(await fetch('/tokenized/SIMPLECSV/bad.csv'), undefined);
	t.like(await process('good.csv.pgp', message), { state: 'done', cards: 1 });
	const { accounts } = await installation.json('today');
	t.is(accounts[0].sent[0].cards, 1, 'only the good one counts');

	await setOptions({ accept: true, outputFor: ['bank'] });
	await installation.json('pgp-key', 'revoke', ...WHOSE, '--name', 'bank');
	const refused = await process('late.csv', CSV);
	t.regex(refused.error?.message ?? '', /the key bank is revoked/);
	await installation.json('pgp-key', 'revoke', ...WHOSE, '--name', 'own');
	const unread = await process('late.csv.pgp', message);
	t.regex(unread.error?.message ?? '', /no own OpenPGP key/);
	t.is((await installation.command('audit', 'verify')).code, 0);
});
