// When a credential ends, whatever is under way with it is cut off, on every daemon and within seconds.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sealedApiKeys, sealedSessionTokens } from '../../src/people/identity/sealed-rows.ts';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { makeSshKey } from '../helpers/daemon-credentials.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { changeSealed } from '../helpers/reseal.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { until } from '../helpers/until.ts';

const shared = shareDaemon();

const MUST_END_WITHIN_MS = 6_000;
const FILE = Buffer.from('CardNumber,ExpirationDate,CVV\n4111111111111111,12/29,123\n');
const DETOKENIZED = '/detokenized/SIMPLECSV/may.csv';

/** Ends a credential, and returns after how many milliseconds the session is closed from the other side. */
async function measureCut(session: Session, end: () => Promise<unknown>): Promise<number> {
	const closed = once(session.sftp, 'close', { signal: AbortSignal.timeout(30_000) });
	const endedAt = performance.now();
	await end();
	await closed;
	return performance.now() - endedAt;
}

/** Makes a detokenized file, with card numbers in clear. */
async function putDetokenized(session: Session): Promise<void> {
	await session.put('/tokenize/SIMPLECSV/may.csv', FILE);
	await session.put('/detokenize/SIMPLECSV/may.csv', await session.arrival('/tokenized/SIMPLECSV/may.csv'));
	await session.arrival(DETOKENIZED);
}

/** Creates an account for one test at the shared daemon, so that what ends there ends for nobody else. */
async function openAccount(userId: string) {
	const { installation, daemon } = shared;
	const made = await installation.json('account', 'create', '--user-id', userId, '--permissions', 'all');
	const { identity } = await installation.parts();
	const { id } = await identity.accounts.get(userId);
	const apiKey = String(made.apiKey);
	return { installation, daemon, id, userId, apiKey, login: { userName: userId, password: apiKey } };
}

/** Returns what the trail says of sessions and calls of an account that were cut, once there are `atLeast` entries. */
async function cuts(installation: Installation, userId: string, atLeast = 1): Promise<Record<string, unknown>[]> {
	const { database } = await installation.parts();
	const ofAccount = { action: 'credential.cut', subject: `account ${userId}` };
	return until('the cut is in the trail', async () => {
		const rows = await database.knex('audit').where(ofAccount).orderBy('seq');
		return rows.length >= atLeast && rows.map(({ subject, details }) => ({ subject, ...JSON.parse(details) }));
	});
}

/** Opens a call that sends `row` over and over, and whose answer is written meanwhile. */
async function openStream(
	t: ExecutionContext,
	{ baseUrl, path, apiKey, head, row }: { baseUrl: string; path: string; apiKey: string; head: string; row: string },
) {
	const headers = { 'content-type': 'application/octet-stream', authorization: `APIKEY ${apiKey}` };
	const request = httpRequest(new URL(path, baseUrl), { method: 'POST', headers, agent: false });
	let isOpen = true;
	request.on('error', () => {});
	request.once('close', () => (isOpen = false));
	t.teardown(() => request.destroy());
	// These rows fill a window every few steps, which is enough: the test is about when the stream ends, not how much it
	// carries.
	const rows = row.repeat(200);
	void (async () => {
		for (request.write(head); isOpen; await sleep(20)) if (request.writableLength < 1e6) request.write(rows);
	})();
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	let text = '';
	response.setEncoding('latin1').on('data', (piece: string) => (text += piece));
	const cut = new Promise<number>((resolve) => {
		response.on('error', () => {}).once('close', () => resolve(performance.now()));
	});
	return { status: response.statusCode, text: () => text, cut };
}

async function tokenOf(session: Session): Promise<string> {
	const text = (await session.get('/tokenized/SIMPLECSV/may.csv')).toString();
	return /[0-9a-f]{32}/i.exec(text)![0];
}

test.serial('a revoked API key ends the sFTP session it opened, and the log and the trail say why', async (t) => {
	const { installation, daemon, userId, login } = await openAccount('revoked');
	const session = await openSession(t, installation, daemon, login);
	await putDetokenized(session);
	const ms = await measureCut(session, () => installation.json('api-key', 'revoke', '--user-id', userId));
	t.log(`revoked to cut: ${Math.round(ms)} ms`);
	t.true(ms < MUST_END_WITHIN_MS, `${ms} ms`);
	const said = { subject: `account ${userId}`, door: 'sftp', method: 'api-key', why: 'the API key was revoked' };
	t.like((await cuts(installation, userId))[0], said);
	await until(
		'the log says it',
		() => /credential ended[^\n]*/.test(daemon.log()) && /key was revoked/.test(daemon.log()),
	);
});

test.serial('an upload that a revocation cuts off stays as a paused upload', async (t) => {
	const { installation, daemon, id, userId } = await openAccount('cut-off');
	const { apiKey, apiKeyId } = await installation.json('api-key', 'create', '--user-id', userId);
	const session = await openSession(t, installation, daemon, { userName: userId, password: apiKey });
	const handle = await new Promise<Buffer>((resolve, reject) => {
		session.sftp.open('/tokenize/SIMPLECSV/half.csv', 'w', (error, opened) =>
			error ? reject(error) : resolve(opened),
		);
	});
	const half = FILE.subarray(0, 40);
	await new Promise<void>((resolve, reject) => {
		session.sftp.write(handle, half, 0, half.length, 0, (error) => (error ? reject(error) : resolve()));
	});
	await measureCut(session, () =>
		installation.json('api-key', 'revoke', '--user-id', userId, '--id', String(apiKeyId)),
	);
	const { database } = await installation.parts();
	const paused = await until('the upload is paused', () =>
		database.knex('drop_files').where({ name: 'half.csv', state: 'partial' }).first(),
	);
	t.is(Number(paused.size), half.length);
	t.is((await database.knex('jobs').where({ account_id: id })).length, 0);
});

test.serial('a session token ends the sFTP session it opened when its time is over', async (t) => {
	const { installation, daemon, id, userId, apiKey } = await openAccount('timed-out');
	const { database, identity, keyRing } = await installation.parts();
	const principal = (await identity.authenticate({ kind: 'api-key', secret: apiKey }))!;
	const { secret } = await identity.sessionTokens.create(principal);
	const endsAt = Date.now() + 3_000;
	await changeSealed({ database, keyRing }, sealedSessionTokens, { account_id: id }, { expires_at: endsAt });
	const session = await openSession(t, installation, daemon, { userName: userId, password: secret.reveal() });
	await measureCut(session, async () => {});
	t.true(Date.now() >= endsAt, 'not before its end');
	t.true(Date.now() - endsAt < MUST_END_WITHIN_MS);
	t.like((await cuts(installation, userId))[0], { method: 'session-token', why: 'the session token has expired' });
});

test.serial('removed SSH keys, changed permissions and blocks end sessions as well', async (t) => {
	const { installation, daemon, id, userId, login } = await openAccount('changed');
	const { database, keyRing } = await installation.parts();
	const path = await makeSshKey(installation.folder, 'agency');
	await installation.json('ssh-key', 'add', '--user-id', userId, '--file', `${path}.pub`);
	const byKey = await openSession(t, installation, daemon, { userName: userId, privateKey: await readFile(path) });
	const remove = () => installation.json('ssh-key', 'remove', '--user-id', userId, '--file', `${path}.pub`);
	t.true((await measureCut(byKey, remove)) < MUST_END_WITHIN_MS);
	const changed = await openSession(t, installation, daemon, login);
	const change = () =>
		changeSealed({ database, keyRing }, sealedApiKeys, { account_id: id }, { permissions: 'FileTokenize' });
	t.true((await measureCut(changed, change)) < MUST_END_WITHIN_MS);
	const blocked = await openSession(t, installation, daemon, login);
	const block = () => installation.json('account', 'block', '--user-id', userId);
	t.true((await measureCut(blocked, block)) < MUST_END_WITHIN_MS);
	const whys = (await cuts(installation, userId, 3)).map(({ why }) => why);
	t.deepEqual(whys, ['the SSH key was removed', 'the permissions were changed', 'the account was blocked']);
	// A block refuses only what costs units, as the interface specifies it, so logins go on.
	await t.notThrowsAsync(openSession(t, installation, daemon, login));
});

test.serial('an open streaming detokenize resolves no more tokens once its API key is revoked', async (t) => {
	const { installation, daemon, userId, apiKey, login } = await openAccount('streaming');
	const session = await openSession(t, installation, daemon, login);
	await putDetokenized(session);
	const row = `${await tokenOf(session)},12/29,\n`;
	const call = { path: '/api/files/detokenize?filter=SIMPLECSV', head: 'CardNumber,ExpirationDate,CVV\n', row };
	const stream = await openStream(t, { baseUrl: daemon.baseUrl, apiKey, ...call });
	t.is(stream.status, 200);
	await until('cards come', () => stream.text().includes('4111111111111111'));
	const endedAt = performance.now();
	await installation.json('api-key', 'revoke', '--user-id', userId);
	const ms = (await stream.cut) - endedAt;
	t.log(`revoked to cut: ${Math.round(ms)} ms`);
	t.true(ms < MUST_END_WITHIN_MS, `${ms} ms`);
	// One entry is about the session, the other about the stream.
	const entries = await cuts(installation, userId, 2);
	t.true(entries.some(({ door, why }) => door === 'http' && why === 'the API key was revoked'));
});

test.serial('postgres: a revocation reaches sessions and streams on both daemons of a database', async (t) => {
	const installation = await openInstallation(t, { dialect: 'postgres' });
	const daemons: RunningDaemon[] = [await installation.start(), await installation.start()];
	const { userId, apiKey } = installation.demo;
	const sessions = await Promise.all(daemons.map((daemon) => openSession(t, installation, daemon)));
	await putDetokenized(sessions[0]!);
	const row = `${await tokenOf(sessions[0]!)},12/29,\n`;
	const call = { path: '/api/files/detokenize?filter=SIMPLECSV', head: 'CardNumber,ExpirationDate,CVV\n', row };
	const streams = await Promise.all(daemons.map(({ baseUrl }) => openStream(t, { baseUrl, apiKey, ...call })));
	let endedAt = Number.NaN;
	const revoked = async () => {
		endedAt = performance.now();
		await installation.json('api-key', 'revoke', '--user-id', userId);
	};
	const [first, second] = sessions;
	const bySftp = await Promise.all([measureCut(first!, revoked), measureCut(second!, async () => {})]);
	const byHttp = await Promise.all(streams.map(async ({ cut }) => (await cut) - endedAt));
	for (const ms of [...bySftp, ...byHttp]) {
		t.log(`revoked to cut: ${Math.round(ms)} ms`);
		t.true(ms < MUST_END_WITHIN_MS, `${ms} ms`);
	}
});
