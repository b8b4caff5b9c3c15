// Every refused login looks the same from outside, whatever is wrong with it.

import { randomBytes } from 'node:crypto';
import test from 'ava';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { type Door, opensshSftp } from '../helpers/daemon-clients.ts';
import { makeAccessToken, makeSshKey } from '../helpers/daemon-credentials.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const shared = shareDaemon();

/** Returns logins that are refused, by what is wrong with each; many of them used to work, or nearly do. */
async function closedDoors(): Promise<Record<string, Door>> {
	const parts = await shared.installation.parts();
	const { database, keyRing, audit, identity } = parts;
	const { demo } = shared.installation;
	const account = await identity.accounts.get(demo.userId);
	const make = async () => {
		const { apiKey, secret } = await identity.apiKeys.create(account, 'operator');
		return { id: apiKey.id, apiKey: secret.reveal() };
	};

	const revoked = await make();
	await shared.installation.json('api-key', 'revoke', '--user-id', demo.userId, '--id', String(revoked.id));
	const rotatedAway = await make();
	await identity.apiKeys.rotate(account, 'operator', { id: rotatedAway.id });
	const principal = (await identity.authenticate({ kind: 'api-key', secret: demo.apiKey }))!;
	const sixMinutesAgo = { now: () => new Date(Date.now() - 6 * 60_000) };
	const past = openIdentity({ database, keyRing, audit, environment: 'sandbox', clock: sixMinutesAgo });
	const expired = (await past.sessionTokens.create(principal)).secret.reveal();
	const orphaned = await make();
	const session = (await identity.authenticate({ kind: 'api-key', secret: orphaned.apiKey }))!;
	const sessionOfRevoked = (await identity.sessionTokens.create(session)).secret.reveal();
	await identity.apiKeys.revoke(account, 'operator', orphaned.id);
	const guid = randomBytes(16).toString('hex');
	const accessToken = (forMs: number) =>
		makeAccessToken(parts, { apiKey: demo.apiKey, guid, expiresAtMs: Date.now() + forMs });
	const spent = await accessToken(60_000);
	if (!(await identity.authenticate({ kind: 'access-token', secret: spent })))
		throw new Error('a good token is refused');

	const other = await shared.installation.json('account', 'create', '--user-id', 'other');
	const othersKey = await makeSshKey(shared.installation.folder, 'id_other');
	await shared.installation.json('ssh-key', 'add', '--user-id', 'other', '--file', `${othersKey}.pub`);
	const removedKey = await makeSshKey(shared.installation.folder, 'id_removed');
	await shared.installation.json('ssh-key', 'add', '--user-id', account.userId, '--file', `${removedKey}.pub`);
	await shared.installation.json('ssh-key', 'remove', '--user-id', account.userId, '--file', `${removedKey}.pub`);

	const byPassword = (password: string, userName = demo.userId) => ({ ...shared.door(), userName, password });
	const byKey = (keyFile: string, userName = demo.userId) => ({ ...shared.door(), userName, password: '', keyFile });
	return {
		'a wrong password': byPassword('wrong'),
		'an empty password': byPassword(''),
		'a key with one character changed': byPassword(demo.apiKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))),
		'an unknown user': byPassword(demo.apiKey, 'nobody'),
		'a user name in other case': byPassword(demo.apiKey, demo.userId.toUpperCase()),
		"another account's API key": byPassword(other.apiKey),
		'a revoked API key': byPassword(revoked.apiKey),
		'an API key rotated away': byPassword(rotatedAway.apiKey),
		'an expired session token': byPassword(expired),
		'a session token whose API key was revoked': byPassword(sessionOfRevoked),
		'an expired access token': byPassword(await accessToken(-60_000)),
		'an access token for too long a time': byPassword(await accessToken(7_200_000)),
		'a spent access token': byPassword(spent),
		'an access token of another certificate': byPassword(randomBytes(384).toString('hex')),
		'an SSH key nobody registered': byKey(await makeSshKey(shared.installation.folder, 'id_unknown')),
		"another account's SSH key": byKey(othersKey),
		'an SSH key that was removed': byKey(removedKey),
		'an SSH key of an unknown user': byKey(othersKey, 'nobody'),
	};
}

// The tests run one after the other, because two writers of the embedded database in one process would block each other.
sshTest.serial('whatever is wrong with a login, the client is told the same and gets nothing', async (t) => {
	for (const [what, closed] of Object.entries(await closedDoors())) {
		const outcome = await opensshSftp(closed, ['ls']);
		t.is(outcome.code, 255, what);
		t.is(outcome.stdout, '', what);
		const { userName } = closed;
		const told = `${userName}@127.0.0.1: Permission denied (publickey,password).`;
		t.is(outcome.stderr.replaceAll('\r', '').split('\n')[0], told, what);
		t.regex(outcome.stderr.replaceAll('\r', ''), /^[^\n]*\nConnection closed\.? *\n(Connection closed\n)?$/, what);
		if (closed.password.length > 5) t.false(shared.daemon.log().includes(closed.password), what);
	}
	// The log says no more than the client hears: neither which part was wrong nor what was tried.
	const refusals = shared.daemon
		.log()
		.split('\n')
		.filter((line) => line.includes('sftp login refused'));
	const reasons = new Set(refusals.map((line) => JSON.parse(line).reason));
	t.deepEqual([...reasons], ['wrong credential']);
	const good = await opensshSftp(shared.door(), ['ls -1 /']);
	t.is(good.code, 0, 'a good login after all of them');
});

test.serial('an account without FileDetokenize puts files in and takes tokens out, and no more', async (t) => {
	const made = await shared.installation.json('account', 'create', '--user-id', 'agency');
	t.false(made.permissions.includes('FileDetokenize'));
	const session = await openSession(t, shared.installation, shared.daemon, {
		userName: 'agency',
		password: made.apiKey,
	});
	const line = 'CardNumber,ExpirationDate\n4111111111111111,12/29\n';
	await session.put('/tokenize/SIMPLECSV/a.csv', Buffer.from(line));
	const tokens = await session.arrival('/tokenized/SIMPLECSV/a.csv');
	t.regex(tokens.toString(), /\n[0-9a-f]{32},12\/29\n$/i);
	const refused = { message: /Permission FileDetokenize is required/ };
	await t.throwsAsync(session.put('/detokenize/SIMPLECSV/a.csv', tokens), refused);
	await t.throwsAsync(session.names('/detokenize/SIMPLECSV'), refused);
	await t.throwsAsync(session.names('/detokenized/SIMPLECSV'), refused);
	await t.throwsAsync(session.get('/detokenized/SIMPLECSV/a.csv'), refused);
	await t.throwsAsync(session.rename('/tokenized/SIMPLECSV/a.csv', '/detokenize/SIMPLECSV/a.csv'), {
		message: /within their folder/,
	});
	const jobs = await shared.installation.json('job', 'list', '--user-id', 'agency');
	t.deepEqual(
		jobs.map(({ operation }: { operation: string }) => operation),
		['tokenize'],
	);
});

test.serial("an account sees nothing of another's files, and its tokens mean nothing there", async (t) => {
	const stranger = await shared.installation.json('account', 'create', '--user-id', 'stranger', '--permissions', 'all');
	const demo = await openSession(t, shared.installation, shared.daemon);
	const other = await openSession(t, shared.installation, shared.daemon, {
		userName: 'stranger',
		password: stranger.apiKey,
	});
	await demo.put('/tokenize/SIMPLECSV/mine.csv', Buffer.from('CardNumber,ExpirationDate\n4111111111111111,12/29\n'));
	const tokens = await demo.arrival('/tokenized/SIMPLECSV/mine.csv');
	for (const area of ['tokenize', 'tokenized', 'detokenize', 'detokenized', 'reports']) {
		t.deepEqual(await other.names(`/${area}/SIMPLECSV`), []);
	}
	await t.throwsAsync(other.get('/tokenized/SIMPLECSV/mine.csv'), { message: /no such file/i });
	await other.put('/detokenize/SIMPLECSV/mine.csv', tokens);
	t.deepEqual(await other.arrival('/detokenized/SIMPLECSV/mine.csv'), tokens);
	const [name] = await other.names('/reports/SIMPLECSV');
	const report = JSON.parse((await other.get(`/reports/SIMPLECSV/${name}`)).toString());
	t.like(report.counts, { cards: 0, unresolved: 1 });
});
