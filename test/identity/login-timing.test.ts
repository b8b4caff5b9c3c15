// Whatever is wrong with a credential, refusing it takes about as long. A smoke test, enough to see a check that returns
// before the work: the undisturbed tries of every cause lie within a small factor, however busy the machine is.

import { constants, publicEncrypt, X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createAccount, HOUR_MS, openIdentityRooms } from '../helpers/identity-rooms.ts';

const ROUNDS = 60;
const WARM_UP = 10;
const FACTOR = 3;
/** Which of the sorted times stands for a cause: low enough that nothing else ran meanwhile. */
const UNDISTURBED = ROUNDS / 10;

/** Measured in turns, so that a slow moment meets all causes. */
async function timesToRefuse(causes: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
	const times = new Map(Object.keys(causes).map((name) => [name, [] as number[]]));
	for (let round = -WARM_UP; round < ROUNDS; round++) {
		for (const [name, attempt] of Object.entries(causes)) {
			const start = performance.now();
			const outcome = await attempt();
			if (round >= 0) times.get(name)!.push(performance.now() - start);
			if (outcome !== null) throw new Error(`${name}: let in`);
		}
	}
	return Object.fromEntries([...times].map(([name, list]) => [name, list.sort((a, b) => a - b)[UNDISTURBED]]));
}

/** A check that returns early does so every time; a machine with other things to do does not disturb every try. */
const TRIES = 4;

async function takesAsLong(t: ExecutionContext, causes: Record<string, () => Promise<unknown>>): Promise<void> {
	let found: Record<string, number> = {};
	for (let n = 0; n < TRIES; n++) {
		found = await timesToRefuse(causes);
		const all = Object.values(found);
		if (Math.max(...all) < FACTOR * Math.min(...all)) {
			t.pass();
			return;
		}
	}
	t.fail(JSON.stringify(found));
}

async function openAttempts(t: Parameters<typeof openIdentityRooms>[0]) {
	const rooms = await openIdentityRooms(t, 'sqlite');
	const good = await createAccount(rooms, 'agency');
	const revoked = await createAccount(rooms, 'revoked');
	await rooms.identity.apiKeys.revoke(revoked.account, 'operator test');
	const ended = await createAccount(rooms, 'ended');
	await rooms.identity.apiKeys.rotate(ended.account, 'operator test');
	return { rooms, good, revoked, ended, unknown: `${good.text.slice(0, -5)}AAAAA` };
}

test('spec §5.4.1: a refused password takes as long whatever was wrong with it', async (t) => {
	const { rooms, good, revoked, ended, unknown } = await openAttempts(t);
	const { sftpLogin } = rooms.identity;
	const attempt = (userName: string, password: string) => () => sftpLogin.byPassword({ userName, password });
	await takesAsLong(t, {
		'unknown user': attempt('nobody', unknown),
		'wrong key': attempt('agency', unknown),
		"another user's key": attempt('agency2', good.text),
		'revoked key': attempt('revoked', revoked.text),
		'rotated key': attempt('ended', ended.text),
		'other environment': attempt('agency', good.text.replace('sandbox', 'production')),
		'no key at all': attempt('agency', 'secret'),
	});
});

test('spec §5.4.1: a refused access token takes as long whatever was wrong with it', async (t) => {
	const { rooms, good, revoked, unknown } = await openAttempts(t);
	const { publicKey } = new X509Certificate((await rooms.identity.certificates.current()).certificate);
	const guid = 'a'.repeat(32);
	const encrypt = (text: string) =>
		publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text)).toString('hex');
	const soon = new Date(rooms.clock.now().getTime() + HOUR_MS / 2).toISOString();
	const spent = encrypt(`${good.text}#${guid}#${soon}`);
	const attempt = (secret: string) => () => rooms.identity.authenticate({ kind: 'access-token', secret });
	await attempt(spent)();
	await takesAsLong(t, {
		spent: attempt(spent),
		'bad padding': attempt(`00${'5'.repeat(766)}`),
		'no text of ours': attempt(encrypt('hello')),
		'unknown key': attempt(encrypt(`${unknown}#${guid}#${soon}`)),
		'revoked key': attempt(encrypt(`${revoked.text}#${guid}#${soon}`)),
		expired: attempt(encrypt(`${good.text}#${'b'.repeat(32)}#2020-01-01T00:00:00Z`)),
	});
});
