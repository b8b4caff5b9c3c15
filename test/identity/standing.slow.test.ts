import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { fingerprintOf } from '../../src/base/ssh/fingerprint.ts';
import { LOOK_EVERY_MS, openStandings, type Standing } from '../../src/people/identity/accounts/standing.ts';
import { type CredentialGuard, openCredentialGuard } from '../../src/people/identity/credentials/credential-guard.ts';
import type { CredentialEndedError } from '../../src/people/identity/credentials/ending.ts';
import { sealedApiKeys } from '../../src/people/identity/sealed-rows.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, MINUTE_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { changeSealed } from '../helpers/reseal.ts';
import { until } from '../helpers/until.ts';

const whyOf = ({ signal }: Standing) => (signal.reason as CredentialEndedError | undefined)?.why;

for (const dialect of databases) {
	test(`${dialect}: a look finds what has become of every credential, in one query`, async (t) => {
		const { identity, database, ...parts } = await openIdentityParts(t, dialect);
		const all = [];
		for (const name of ['fine', 'revoked', 'ended', 'gone', 'changed', 'blocked', 'tolerated']) {
			all.push({ name, ...(await createAccount({ identity, database, ...parts }, name)) });
		}
		const [, revoked, ended, gone, changed, blocked, tolerated] = all;
		const queries: string[] = [];
		const watched = all.map(({ name, principal }) =>
			identity.standings.watch(principal, { isBillable: name !== 'tolerated' }),
		);
		const keys = () => database.knex('api_keys');
		await identity.apiKeys.revoke(revoked!.account, 'operator test');
		await keys().where({ id: ended!.principal.apiKeyId }).update({ ends_at: 1 });
		await keys().where({ id: gone!.principal.apiKeyId }).delete();
		await keys().where({ id: changed!.principal.apiKeyId }).update({ permissions: 'Tokenize' });
		for (const { name } of [blocked!, tolerated!]) await identity.accounts.block(name, 'operator test');
		await sleep(LOOK_EVERY_MS + 50);
		database.knex.on('query', ({ sql }: { sql: string }) => /ended_rows/.test(sql) || queries.push(sql));
		// Callers that check at the same time share one look at the database, so none waits for a look of its own.
		const answers = await Promise.allSettled(watched.map(async (each) => each.check()));
		t.deepEqual(
			answers.map(({ status }) => status),
			['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'fulfilled'],
		);
		t.deepEqual(watched.map(whyOf), [
			undefined,
			'the API key was revoked',
			'the API key has ended',
			'the API key is gone',
			'the credential was altered in the database',
			'the account was blocked',
			undefined,
		]);
		t.true(queries.length <= 1, queries.join('\n'));
		for (const each of watched) each.release();
	});

	test(`${dialect}: what nobody asks about ends by itself, on a second daemon as well`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account, principal } = await createAccount(parts, 'agency');
		const other = await parts.anotherDaemon();
		const both = [parts.identity, other.identity].map(({ standings }) => standings.watch(principal));
		const revokedAt = performance.now();
		await parts.identity.apiKeys.revoke(account, 'operator test');
		await until('both have ended', () => both.every(({ signal }) => signal.aborted), { withinMs: 6_000 });
		t.log(`revoked to told: ${Math.round(performance.now() - revokedAt)} ms`);
		t.deepEqual(both.map(whyOf), ['the API key was revoked', 'the API key was revoked']);
	});

	test(`${dialect}: of a credential that ends during a look nobody says that its row was altered`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account, principal } = await createAccount(parts, 'agency');
		const { database, clock, keyRing } = parts;
		const { seals } = keyRing;
		const broken: BrokenRow[] = [];
		seals.onBroken((row) => broken.push(row));
		let revoked: Promise<unknown> | undefined;
		const real = openCredentialGuard(seals);
		const check: CredentialGuard['check'] = (work) =>
			real.check(async (isGood) => {
				const found = await work(isGood);
				// The key ends after its row was read, and before the look is over.
				await (revoked ??= parts.identity.apiKeys.revoke(account, 'operator test'));
				return found;
			});
		const guard = { ...real, check };
		const standing = openStandings({ database, clock, guard }).watch(principal);
		await until('it has ended', () => standing.signal.aborted, { withinMs: 6_000 });
		t.is(whyOf(standing), 'the API key was revoked');
		t.deepEqual(broken, []);
	});

	test(`${dialect}: an SSH key ends with its row, even when it is added again`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account } = await createAccount(parts, 'agency');
		const { sshKeys, sftpLogin, standings } = parts.identity;
		const key = { algorithm: 'ssh-ed25519', blob: Buffer.from('a key'), fingerprint: 'unused', comment: '' };
		const fingerprint = fingerprintOf(key.blob);
		await sshKeys.add(account, 'operator test', { ...key, fingerprint });
		const principal = (await sftpLogin.byPublicKey({ userName: 'agency', key: key.blob }))!;
		const standing = standings.watch(principal);
		await sshKeys.remove(account, 'operator test', fingerprint);
		await sshKeys.add(account, 'operator test', { ...key, fingerprint });
		await until('it has ended', () => standing.signal.aborted, { withinMs: 6_000 });
		t.is(whyOf(standing), 'the SSH key was removed');
	});
}

test('a token that is past its end is refused at once, without a look', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { principal } = await createAccount(parts, 'agency');
	const { secret } = await parts.identity.sessionTokens.create(principal);
	const byToken = (await parts.identity.authenticate({ kind: 'session-token', secret: secret.reveal() }))!;
	const standing = parts.identity.standings.watch(byToken);
	parts.turn(5 * MINUTE_MS - 1);
	t.is(standing.check(), undefined, 'the answer of the login is young enough');
	parts.turn(1);
	t.throws(() => standing.check(), { message: /session token has expired/ });
	t.true(standing.signal.aborted);
});

test('a login after a change is not judged by a look from before it', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { principal, text } = await createAccount(parts, 'agency');
	const first = parts.identity.standings.watch(principal);
	await sleep(LOOK_EVERY_MS + 50);
	await first.check();
	await changeSealed(parts, sealedApiKeys, {}, { permissions: 'Tokenize' });
	const anew = (await parts.identity.authenticate({ kind: 'api-key', secret: text }))!;
	const second = parts.identity.standings.watch(anew);
	t.is(second.check(), undefined);
	await t.throwsAsync(async () => first.check(0), { message: /permissions were changed/ });
	await t.notThrowsAsync(async () => second.check());
});

test('while the database does not answer, nothing passes on an old answer', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { principal } = await createAccount(parts, 'agency');
	const standing = parts.identity.standings.watch(principal);
	await parts.database.knex.schema.renameTable('api_keys', 'away');
	await sleep(LOOK_EVERY_MS + 50);
	await t.throwsAsync(async () => standing.check(), { message: /api_keys/ });
	t.false(standing.signal.aborted);
	await parts.database.knex.schema.renameTable('away', 'api_keys');
	await t.notThrowsAsync(async () => standing.check());
});
