// Another daemon may seal or use CVVs while this one sweeps, also under a key that this one has not read yet: no CVV is
// destroyed by that, and none is reported as altered.

import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { openVault, type Vault } from '../../src/vault/vault.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const ANYWHERE = { type: 'HostName', data: 'psp.example' } as const;

/** Opens two daemons over one database; `broken` has what the first one refuses. */
async function openTwo(t: ExecutionContext, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const clock = turnableClock();
	const root = localRootKey(randomBytes(32), 'test');
	const open = async () => {
		const keyRing = await openKeyRing({ database, root, environment: 'sandbox', clock });
		return { database, clock, keyRing, vault: await openVault({ database, keyRing, clock }) };
	};
	const [one, other] = [await open(), await open()];
	const broken: BrokenRow[] = [];
	one.keyRing.seals.onBroken((row) => void broken.push(row));
	return { one, other, broken, knex: database.knex, clock };
}

type Place = NonNullable<Awaited<ReturnType<Vault['find']>>>;

async function storeCvv(vault: Vault, cvv: string): Promise<Place> {
	const card = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };
	const { token } = await vault.store({ accountId: OWNER, creatorId: OWNER, card, cvv: new Cvv(cvv) });
	return (await vault.find(OWNER, token))!;
}

async function sweepAll(parts: Parameters<typeof sweep>[0]) {
	let cvvs = 0;
	for await (const progress of sweep(parts, [OWNER])) cvvs = progress.cvvs;
	return cvvs;
}

for (const dialect of databases) {
	test(`${dialect}: a CVV that another daemon stored right after a rotation of the seal key is used, not destroyed`, async (t) => {
		const { one, other, broken } = await openTwo(t, dialect);
		await one.keyRing.seals.sealer();
		await other.keyRing.rotate('seal');
		other.keyRing.seals.forgetKeys();
		const place = await storeCvv(other.vault, '123');
		t.truthy(await one.vault.cvvs.findPolicy(place));
		t.is((await one.vault.cvvs.use(place, ANYWHERE))?.digits.toString(), '123');
		t.deepEqual(broken, []);
	});

	test(`${dialect}: a sweep moves a CVV that another daemon has just sealed under a new seal key`, async (t) => {
		const { one, other, broken, knex, clock } = await openTwo(t, dialect);
		const place = await storeCvv(other.vault, '123');
		const { id } = await one.keyRing.rotate('cvv', OWNER);
		await one.keyRing.seals.sealer();
		await other.keyRing.rotate('seal');
		other.keyRing.seals.forgetKeys();
		// A change of the policy seals the row under the new seal key; the CVV stays under its older key.
		const endsAt = new Date(clock.now().getTime() + 86_400_000);
		t.true(await other.vault.cvvs.changePolicy(place, (policy) => ({ ...policy, endsAt })));
		t.is(await sweepAll(one), 1);
		t.deepEqual(await knex('cvvs').select('key_id'), [{ key_id: id }]);
		t.deepEqual(broken, []);
		t.is((await other.vault.cvvs.use(place, ANYWHERE))?.digits.toString(), '123');
	});

	test(`${dialect}: a sweep leaves CVVs under an unknown seal key, removes altered ones, and moves all others`, async (t) => {
		const { one, broken, knex } = await openTwo(t, dialect);
		// The sweep reads 64 rows at a time: the first rows are left, and it still comes to the last one.
		const places: Place[] = [];
		for (let nth = 0; nth < 70; nth++) places.push(await storeCvv(one.vault, '123'));
		const at = ({ page, slot }: Place) => ({ page_id: page.id, slot });
		const [{ seal_key: known }] = await knex('cvvs').where(at(places[0])).select('seal_key');
		await knex('cvvs').update({ seal_key: 4711 });
		await knex('cvvs').where(at(places[68])).update({ seal_key: known, ends_at: 1 });
		await knex('cvvs').where(at(places[69])).update({ seal_key: known });
		const { id } = await one.keyRing.rotate('cvv', OWNER);
		t.is(await sweepAll(one), 1);
		t.is(await sweepAll(one), 0);
		t.deepEqual(await knex('cvvs').where('key_id', id).select('page_id', 'slot'), [at(places[69])]);
		t.deepEqual(await knex('cvvs').where(at(places[68])), []);
		t.is((await knex('cvvs').where({ seal_key: 4711 })).length, 68);
		t.is(new Set(broken.map((row) => row.id)).size, 69);
		// Once the rows name a known key again, they are moved too.
		await knex('cvvs').where({ seal_key: 4711 }).update({ seal_key: known });
		t.is(await sweepAll(one), 68);
	});

	test(`${dialect}: CVVs that are used while a sweep moves them are moved, and every use is answered`, async (t) => {
		const { one, other, broken, knex } = await openTwo(t, dialect);
		const places: Place[] = [];
		for (let nth = 0; nth < 8; nth++) places.push(await storeCvv(one.vault, '123'));
		for (const place of places) {
			const destinations = [{ ...ANYWHERE, quota: 4, used: 0 }];
			await one.vault.cvvs.changePolicy(place, (policy) => ({ ...policy, destinations }));
		}
		const { id } = await one.keyRing.rotate('cvv', OWNER);
		const uses = async () => {
			for (let nth = 0; nth < 3; nth++) {
				await Promise.all(
					places.map(async (place) => t.is((await other.vault.cvvs.use(place, ANYWHERE))?.digits.toString(), '123')),
				);
			}
		};
		await Promise.all([uses(), sweepAll(one)]);
		t.deepEqual(broken, []);
		t.is((await knex('cvvs').where('key_id', id)).length, 8);
		t.deepEqual(await knex('cvv_destinations').distinct('used'), [{ used: 3 }]);
	});
}
