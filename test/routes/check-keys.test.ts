// Tests that a check of a route warns of the OpenPGP keys that it names, before a file meets them.

import test from 'ava';
import { generateKey } from 'openpgp';
import { createKey, parseKey } from '../../src/base/openpgp/keys.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const BY = 'operator test';

test('a check warns of keys that are revoked, have ended or end soon, and says what to do', async (t) => {
	const parts = await openHttpApp(t);
	// The library makes keys by the clock of the machine.
	parts.clock.turn(Date.now() - parts.clock.now().getTime());
	const { account } = await parts.createCaller('agency');
	const keys = openPgpKeys(parts);
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	await keys.put(owner, 'own', await createKey('agency', 20), BY);
	await keys.put(owner, 'bank', await createKey('bank', 400), BY);
	const document = {
		name: 'nightly',
		from: { drop: '/tokenized/CSV' },
		do: { operation: 'none', decrypt: { with: 'own' }, encrypt: { for: ['bank'], signWith: 'own' } },
		to: { drop: '/tokenized/GBT' },
	};
	const { route } = await parts.routes.put(owner, await parts.routes.read(owner, JSON.stringify(document)), BY);
	const check = () => parts.routeControls.check({ ...owner, signal: AbortSignal.timeout(60_000) }, route);
	const soon = await check();
	t.is(soon.warnings.length, 1, 'each key once');
	t.regex(soon.warnings[0], /^the key own ends on \d{4}-\d\d-\d\d: import or create a new one before$/);
	t.true(soon.isOk);
	await keys.revoke(owner, 'bank', BY);
	parts.clock.turn(30 * 86_400_000);
	const over = await check();
	t.deepEqual(over.warnings, [
		'the key own is expired: import or create a new one under this name (pgp-key import, pgp-key create)',
		'the key bank is revoked: import or create a new one under this name (pgp-key import, pgp-key create)',
	]);
	t.false(over.isOk, 'no file would come through');
	t.true(over.from.isReached && over.to.isReached);
});

test('a check warns of a key whose part for encrypting has ended, although the key itself has not', async (t) => {
	const parts = await openHttpApp(t);
	parts.clock.turn(Date.now() - parts.clock.now().getTime());
	const { account } = await parts.createCaller('agency');
	const { publicKey } = await generateKey({
		userIDs: [{ name: 'bank' }],
		date: new Date('2020-01-01'),
		subkeys: [{ keyExpirationTime: 86_400 } as object],
		format: 'object',
	});
	const owner = { accountId: account.id, ownerId: account.id, userId: 'agency' };
	const bank = await parseKey('bank', Buffer.from(publicKey.armor()), undefined);
	t.is(bank.facts.expiresAt, null);
	await openPgpKeys(parts).put(owner, 'bank', bank, BY);
	const document = {
		name: 'nightly',
		from: { drop: '/tokenized/CSV' },
		do: { operation: 'none', encrypt: { for: ['bank'] } },
		to: { drop: '/tokenized/GBT' },
	};
	const route = await parts.routes.read(owner, JSON.stringify(document));
	const { warnings, isOk } = await parts.routeControls.check({ ...owner, signal: AbortSignal.timeout(60_000) }, route);
	t.is(warnings.length, 1);
	t.regex(warnings[0], /^the part of the key bank that encrypts is expired: .*--quick-set-expire.*pgp-key import$/);
	t.false(isOk);
});
