// Checks which keys a process knows when it checks seals of rows: it finds new keys at once, and forged ones cost little.

import { createSecretKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Knex } from 'knex';
import { systemClock } from '../../src/base/clock.ts';
import type { KeyId } from '../../src/base/database/ids.ts';
import { openEndedRows } from '../../src/base/keys/rows/ended-rows.ts';
import { openRowSeals, type RowSeal, type RowShape } from '../../src/base/keys/rows/row-seals.ts';
import type { SealKey } from '../../src/base/keys/seal-keys.ts';

const SHAPE: RowShape = {
	...{ table: 'grants', id: ['id'], columns: ['what'] },
	freshness: { by: 'nothing', because: 'no row of this test is put back' },
};
type Row = RowSeal & { readonly id: number; readonly what: string };

/** Opens the seals of a process over a register of ended rows that is empty. */
function open(readKeys: () => Promise<readonly SealKey[]>) {
	const connection = { query: async () => ({ rows: [], rowCount: 0 }) };
	const client = { acquireConnection: async () => connection, releaseConnection: async () => {} };
	const knex = { client } as unknown as Knex;
	return openRowSeals(readKeys, openEndedRows({ knex, clock: systemClock }), Date.now);
}

/** Opens two processes that check and make the seals of rows under the same stored keys. */
function openTwo() {
	const keyOf = (id: number) => ({ id: id as KeyId, secret: createSecretKey(randomBytes(32)) });
	const stored = [keyOf(1)];
	let readings = 0;
	const refused: string[] = [];
	const here = open(async () => {
		readings++;
		return [...stored];
	});
	here.onBroken(({ id }) => void refused.push(id));
	const other = open(async () => [...stored]);
	return {
		here,
		refused,
		readings: () => readings,
		/** Creates a key, which the other process uses from now on. */
		rotate() {
			stored.unshift(keyOf(stored.length + 1));
			other.forgetKeys();
		},
		async row(id: number, forged: { readonly [column: string]: unknown } = {}): Promise<Row> {
			const row = { id, what: 'all' };
			return { ...row, ...(await other.sealer()).seal(SHAPE, row), ...forged };
		},
		areIntact: (...rows: Row[]) => here.withSealer((sealer) => rows.map((row) => sealer.isIntact(SHAPE, row))),
	};
}

test('a row under a key that was created a moment ago is intact, also after several rotations within a second', async (t) => {
	const two = openTwo();
	t.deepEqual(await two.areIntact(await two.row(1)), [true]);
	for (let id = 2; id < 6; id++) {
		two.rotate();
		t.deepEqual(await two.areIntact(await two.row(id)), [true]);
	}
	t.deepEqual(two.refused, []);
});

test('rows under a new key that are checked at the same moment have the keys read once', async (t) => {
	const two = openTwo();
	await two.areIntact(await two.row(1));
	two.rotate();
	const row = await two.row(2);
	const all = await Promise.all(Array.from({ length: 50 }, () => two.areIntact(row)));
	t.true(all.flat().every(Boolean));
	t.is(two.readings(), 2);
});

test('a forged key has the keys read once a second, however many rows name it', async (t) => {
	const two = openTwo();
	const forged = await two.row(1, { seal_key: 4711 });
	await two.areIntact(await two.row(2));
	for (let nth = 0; nth < 20; nth++) t.deepEqual(await two.areIntact(forged, forged), [false, false]);
	t.is(two.readings(), 2);
	t.deepEqual(new Set(two.refused), new Set(['1']));
	await sleep(1_050);
	t.deepEqual(await two.areIntact(forged), [false]);
	t.is(two.readings(), 3);
});

test('forged keys do not hide a new key, neither in earlier work nor in the same', async (t) => {
	const two = openTwo();
	const forged = await Promise.all([11, 12, 13, 14, 15, 16].map((id) => two.row(id, { seal_key: 4700 + id })));
	for (const row of forged) t.deepEqual(await two.areIntact(row), [false]);
	two.rotate();
	const row = await two.row(1);
	t.deepEqual(await two.areIntact(...forged, row), [...forged.map(() => false), true]);
	two.rotate();
	const [fresh, next] = [await two.row(20, { seal_key: 4720 }), await two.row(2)];
	t.deepEqual(await two.areIntact(fresh, next, ...forged), [false, true, ...forged.map(() => false)]);
});

test('work over many rows that name different forged keys ends', async (t) => {
	const two = openTwo();
	const good = await two.row(1);
	const forged = await Promise.all(Array.from({ length: 200 }, (_, nth) => two.row(nth, { seal_key: 5000 + nth })));
	t.deepEqual(await two.areIntact(...forged, good), [...forged.map(() => false), true]);
	t.true(two.readings() <= 4);
});

test('a row that does not match its seal under a known key is refused without another reading of the keys', async (t) => {
	const two = openTwo();
	await two.areIntact(await two.row(1));
	for (const forged of [{ what: 'more' }, { seal: randomBytes(32) }, { seal: null }, { seal_key: null }]) {
		t.deepEqual(await two.areIntact(await two.row(7, forged)), [false]);
	}
	t.is(two.readings(), 1);
	t.is(two.refused.length, 4);
});

test('keys that could not be read are read again by the next check', async (t: ExecutionContext) => {
	let isDown = false;
	const key = { id: 1 as KeyId, secret: createSecretKey(randomBytes(32)) };
	const seals = open(async () => {
		if (isDown) throw new Error('the database is away');
		return [key];
	});
	const row = { id: 1, what: 'all' };
	const sealed = { ...row, ...(await seals.sealer()).seal(SHAPE, row) };
	const isIntact = (checked: object) => seals.withSealer((sealer) => sealer.isIntact(SHAPE, checked));
	isDown = true;
	await t.throwsAsync(isIntact({ ...sealed, seal_key: 4711 }), { message: 'the database is away' });
	isDown = false;
	t.true(await isIntact(sealed));
	t.false(await isIntact({ ...sealed, seal_key: 4711 }));
});
