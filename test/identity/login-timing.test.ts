// Tests that a login is refused after the same time whatever was wrong; test/http/failed-logins.test.ts has the calls of
// the app.

import { constants, publicEncrypt, X509Certificate } from 'node:crypto';
import test from 'ava';
import { createAccount, HOUR_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { takesAsLong } from '../helpers/takes-as-long.ts';

async function openAttempts(t: Parameters<typeof openIdentityParts>[0]) {
	const parts = await openIdentityParts(t, 'sqlite');
	const good = await createAccount(parts, 'agency');
	const revoked = await createAccount(parts, 'revoked');
	await parts.identity.apiKeys.revoke(revoked.account, 'operator test');
	const ended = await createAccount(parts, 'ended');
	await parts.identity.apiKeys.rotate(ended.account, 'operator test');
	return { parts, good, revoked, ended, unknown: `${good.text.slice(0, -5)}AAAAA` };
}

async function refused(attempt: Promise<unknown>): Promise<void> {
	if ((await attempt) !== null) throw new Error('let in');
}

test('spec §5.4.1: a refused password takes as long whatever was wrong with it', async (t) => {
	const { parts, good, revoked, ended, unknown } = await openAttempts(t);
	const { sftpLogin } = parts.identity;
	const attempt = (userName: string, password: string) => () => refused(sftpLogin.byPassword({ userName, password }));
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
	const { parts, good, revoked, unknown } = await openAttempts(t);
	const { publicKey } = new X509Certificate((await parts.identity.certificates.current()).certificate);
	const guid = 'a'.repeat(32);
	const encrypt = (text: string) =>
		publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text)).toString('hex');
	const soon = new Date(parts.clock.now().getTime() + HOUR_MS / 2).toISOString();
	const spent = encrypt(`${good.text}#${guid}#${soon}`);
	const authenticate = (secret: string) => parts.identity.authenticate({ kind: 'access-token', secret });
	const attempt = (secret: string) => () => refused(authenticate(secret));
	await authenticate(spent);
	await takesAsLong(t, {
		spent: attempt(spent),
		'bad padding': attempt(`00${'5'.repeat(766)}`),
		'no text of ours': attempt(encrypt('hello')),
		'unknown key': attempt(encrypt(`${unknown}#${guid}#${soon}`)),
		'revoked key': attempt(encrypt(`${revoked.text}#${guid}#${soon}`)),
		expired: attempt(encrypt(`${good.text}#${'b'.repeat(32)}#2020-01-01T00:00:00Z`)),
	});
});
