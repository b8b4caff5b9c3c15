import type { ExecutionContext } from 'ava';
import test from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { resealRows } from '../../src/base/keys/rows/sealed-rows.ts';
import { sealedPgpSecrets } from '../../src/work/pgp/pgp-key-store.ts';
import { getPublicKey, getSecretKey, listNames, openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { openBegunDatabase } from '../helpers/begun-database.ts';
import { databases } from '../helpers/database.ts';
import { ownKey } from '../helpers/messages.ts';

const ACCOUNT = 7 as never;
const OWNER = { accountId: ACCOUNT, userId: 'agency' };

async function openKeys(t: ExecutionContext<unknown>, dialect: Dialect) {
	const parts = await openBegunDatabase(t, dialect);
	const recorded: object[] = [];
	const audit = { record: async (entry: object) => void recorded.push(entry) };
	return { ...parts, recorded, keys: openPgpKeys({ ...parts, audit: audit as never, clock: systemClock }) };
}

for (const dialect of databases) {
	test(`${dialect}: own and partners' keys are kept, replaced only when they have ended, and recorded`, async (t) => {
		const { keys, recorded, database, ...parts } = await openKeys(t, dialect);
		const own = await ownKey();
		const partner = { ...own, secretKey: undefined, facts: { ...own.facts, fingerprint: 'ab' } };
		t.like(await keys.put(OWNER, 'own', own, 'operator'), { kind: 'own', fingerprint: own.facts.fingerprint });
		await keys.put(OWNER, 'bank', partner, 'operator');
		await t.throwsAsync(keys.put(OWNER, 'own', partner, 'operator'), { message: /another key has the name own/ });
		await t.throwsAsync(keys.put(OWNER, 'bank', own, 'operator'), { message: /pgp-key revoke/ });
		await keys.put(OWNER, 'bank', partner, 'operator');
		t.deepEqual(
			(await keys.list(ACCOUNT)).map(({ name }) => name),
			['bank', 'own'],
		);
		t.deepEqual(await keys.list(8 as never), []);

		const secret = await getSecretKey({ database, ...parts }, ACCOUNT, 'own');
		t.is(secret.reveal(), own.secretKey!);
		t.is(`${secret}`, '********');
		await t.throwsAsync(getSecretKey({ database, ...parts }, ACCOUNT, 'bank'), { message: /public key of a partner/ });
		const [{ sealed, public_key }] = await database.knex('pgp_keys').where({ name: 'own' });
		t.false(sealed.includes('PRIVATE'));
		t.false(public_key.includes('PRIVATE'));

		await keys.revoke(OWNER, 'own', 'operator');
		await t.throwsAsync(getSecretKey({ database, ...parts }, ACCOUNT, 'own'), { message: /the key own is revoked/ });
		t.like((await database.knex('pgp_keys').where({ name: 'own' }))[0], { sealed: null, key_id: null });
		t.deepEqual(await listNames({ database, ...parts }, ACCOUNT, 'own'), []);
		await keys.put(OWNER, 'own', own, 'operator');
		await t.throwsAsync(keys.revoke(OWNER, 'none', 'operator'), { message: /no OpenPGP key none/ });
		t.is(recorded.length, 5);
		t.like(recorded[3], { action: 'pgp-key.revoke', subject: 'account agency', details: { name: 'own' } });
	});

	test(`${dialect}: a key that somebody has put into the database is refused, and sealed secrets move to new keys`, async (t) => {
		const { keys, database, keyRing } = await openKeys(t, dialect);
		const own = await ownKey();
		await keys.put(OWNER, 'own', own, 'operator');
		await keys.put(OWNER, 'bank', { ...own, secretKey: undefined }, 'operator');
		const parts = { database, keyRing };
		await keyRing.rotate('secret');
		t.deepEqual(await Array.fromAsync(resealRows(parts, sealedPgpSecrets)), ['moved'], 'a partner has no secret');
		t.is((await getSecretKey(parts, ACCOUNT, 'own')).reveal(), own.secretKey!);
		t.is(await getPublicKey(parts, ACCOUNT, 'bank'), own.publicKey);
		await database.knex('pgp_keys').where({ name: 'bank' }).update({ public_key: 'of a thief' });
		await t.throwsAsync(getPublicKey(parts, ACCOUNT, 'bank'), { message: /no OpenPGP key bank/ });
		await database.knex('pgp_keys').where({ name: 'own' }).update({ account_id: 8 });
		await t.throwsAsync(getSecretKey(parts, 8 as never, 'own'), { message: /no OpenPGP key own/ });
	});
}
