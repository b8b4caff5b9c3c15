// Keys of tokens and fingerprints rotate: tokens stay what they were, and a card that was known stays known.

import test, { type ExecutionContext } from 'ava';
import { csv } from '../../formats/csv.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { generationsAt, IN_USE_AFTER_MS } from '../../src/base/keys/generations.ts';
import type { SealingKey } from '../../src/base/keys/key-ring.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openVault } from '../../src/vault/vault.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, swap, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005', '4012888888881881'];
const RECORDS = 120;

function onBoth(
	title: string,
	story: (t: ExecutionContext, parts: VaultParts, dialect: Dialect) => Promise<void>,
): void {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => story(t, await openVaultParts(t, dialect), dialect));
	}
}

const store = async ({ vault }: Pick<VaultParts, 'vault'>, number: string, eliminatesDuplicates = true) => {
	const card = { number: new CardNumber(number), expiry: 202912, type: 19 };
	return vault.store({ accountId: OWNER, creatorId: OWNER, card, eliminatesDuplicates });
};

/** Makes a new generation of keys, and turns the clock until every daemon has seen it. */
async function rotate({ keyRing, clock, database }: VaultParts, purpose: 'token' | 'fingerprint') {
	await keyRing.rotate(purpose, purpose === 'token' ? undefined : OWNER);
	clock.turn(IN_USE_AFTER_MS);
	return openVault({ database, keyRing, clock });
}

async function sweepAll(parts: VaultParts) {
	const total = { pages: 0, cvvs: 0, fingerprints: 0 };
	for await (const { accountId: _, ...progress } of sweep(parts, [OWNER])) Object.assign(total, progress);
	return total;
}

const generations = async ({ database }: VaultParts, table: string, column: string) =>
	database.knex(table).orderBy('page_id').pluck(column) as Promise<number[]>;

onBoth('tokens from before a rotation stay what they are, wherever they are shown', async (t, parts) => {
	const cards = `${'4111111111111111,12/29\n5555555555554444,11/28\n'.repeat(RECORDS / 2)}`;
	const file = { filter: 'CSV', bytes: Buffer.from(`card number,expiry\n${cards}`) };
	const engine = parts.engine([csv as never]);
	const before = await swap(parts, engine, { ...file, direction: 'tokenize' });
	const { token } = await store(parts, NUMBERS[2]);
	const vault = await rotate(parts, 'token');
	const after = await swap(parts, parts.engine([csv as never]), { ...file, direction: 'tokenize' });
	const later = await store({ vault }, NUMBERS[3]);
	const shown = (await vault.list(OWNER, { from: 0, num: Number.POSITIVE_INFINITY })).map((each) => each.token);
	const lines = (bytes: Buffer) =>
		bytes
			.toString()
			.trim()
			.split('\n')
			.slice(1)
			.map((line) => line.split(',')[0]);
	t.deepEqual([...lines(before.bytes), token, ...lines(after.bytes), later.token].sort(), [...shown].sort());
	for (const each of [token, later.token]) t.is((await vault.findMetadata(OWNER, each))?.token, each);
	for (const { bytes } of [before, after]) {
		const back = await swap(parts, parts.engine([csv as never]), { ...file, bytes, direction: 'detokenize' });
		t.deepEqual(back.bytes, file.bytes);
	}
	const made = await parts.database.knex('pages').orderBy('id').pluck('token_generation');
	t.deepEqual([...new Set(made)].sort(), [1, 2]);
	t.is(await vault.remove(OWNER, lines(before.bytes)[0] as Token), 'deleted');
	t.is(await vault.find(OWNER, lines(before.bytes)[0] as Token), undefined);
	t.truthy(await vault.find(OWNER, lines(before.bytes)[1] as Token));
});

onBoth('a card is known under every generation of fingerprints, before a sweep and after it', async (t, parts) => {
	const first = await store(parts, NUMBERS[0]);
	const vault = await rotate(parts, 'fingerprint');
	t.deepEqual(await store({ vault }, NUMBERS[0]), { ...first, isNew: false });
	const second = await store({ vault }, NUMBERS[1]);
	t.deepEqual((await generations(parts, 'fingerprints', 'generation')).sort(), [1, 2]);
	const spelled = Buffer.from('card number,expiry\n4111 1111 1111 1111,12/29\n');
	const request = {
		filter: 'CSV',
		bytes: spelled,
		direction: 'tokenize',
		options: { eliminateCardDuplication: true },
	} as const;
	const { bytes } = await swap(parts, parts.engine([csv as never]), request);
	const third = await rotate(parts, 'fingerprint');
	t.is((await sweepAll(parts)).fingerprints, 3);
	t.deepEqual(await generations(parts, 'fingerprints', 'generation'), [3, 3, 3]);
	t.deepEqual(await store({ vault: third }, NUMBERS[0]), { ...first, isNew: false });
	t.deepEqual(await store({ vault: third }, NUMBERS[1]), { ...second, isNew: false });
	t.deepEqual((await swap(parts, parts.engine([csv as never]), request)).bytes, bytes);
	t.deepEqual(await sweepAll(parts), { pages: 0, cvvs: 0, fingerprints: 0 });
});

onBoth('a sweep makes no fingerprint of a card that went in the meantime', async (t, parts) => {
	const gone = await store(parts, NUMBERS[0]);
	const stays = await store(parts, NUMBERS[1]);
	const vault = await rotate(parts, 'fingerprint');
	await vault.remove(OWNER, gone.token);
	t.is((await sweepAll(parts)).fingerprints, 1);
	t.false((await store({ vault }, NUMBERS[1])).isNew);
	t.is((await store({ vault }, NUMBERS[1])).token, stays.token);
	t.true((await store({ vault }, NUMBERS[0])).isNew);
});

onBoth('another daemon that has not heard of a rotation finds and makes the same cards', async (t, parts) => {
	const first = await store(parts, NUMBERS[0]);
	await parts.keyRing.rotate('fingerprint', OWNER);
	await parts.keyRing.rotate('token');
	const vault = await openVault(parts);
	const known = await store({ vault }, NUMBERS[1]);
	// `parts.vault` knows only the keys from before the rotation, like a daemon within five seconds of it.
	t.deepEqual(await store(parts, NUMBERS[1]), { ...known, isNew: false });
	t.deepEqual(await store({ vault }, NUMBERS[0]), { ...first, isNew: false });
	t.truthy(await parts.vault.find(OWNER, known.token));
	t.deepEqual(await generations(parts, 'fingerprints', 'generation'), [1, 1]);
});

onBoth('numbers looked for today are counted on, whatever is rotated', async (t, parts) => {
	const { keyRing, clock, database } = parts;
	const limited = () => openVault({ database, keyRing, clock, elimination: { numbersPerDay: 2 } });
	const numbers = [...alike(3)];
	const vault = await limited();
	for (const number of numbers.slice(0, 2)) await store({ vault }, number);
	await rotate(parts, 'fingerprint');
	await t.throwsAsync(store({ vault: await limited() }, numbers[2]), { name: 'ServiceError' });
});

/** Yields different numbers that pass Luhn and have the same first six and last four digits. */
function* alike(count: number): Generator<string> {
	for (let middle = 0; count > 0; middle++) {
		const number = `411111${String(middle).padStart(6, '0')}1111`;
		if (!passesLuhn(Buffer.from(number), 0, number.length)) continue;
		count--;
		yield number;
	}
}

test('a generation writes once every daemon has seen it, and reads at once', (t) => {
	const key = (generation: number, createdAt: number) => ({ generation, createdAt }) as SealingKey;
	const keys = [key(3, 50_000), key(2, 20_000), key(1, 0)];
	t.is(generationsAt(keys, 50_000 + IN_USE_AFTER_MS).writer.generation, 3);
	t.is(generationsAt(keys, 50_000 + IN_USE_AFTER_MS - 1).writer.generation, 2);
	t.is(generationsAt(keys, 21_000).writer.generation, 1);
	t.is(generationsAt(keys, -5).writer.generation, 1);
	t.is(generationsAt(keys, 0).all, keys);
});

onBoth('a sweep passes over damaged pages, moves all others, and counts the damaged ones', async (t, parts) => {
	const broken: BrokenRow[] = [];
	parts.keyRing.seals.onBroken((row) => broken.push(row));
	const tokens = [];
	for (const number of NUMBERS.slice(0, 3)) {
		tokens.push((await store(parts, number)).token);
	}
	const [first] = await parts.database.knex('pages').orderBy('id');
	const sealed = Buffer.from(first.sealed);
	sealed[20] ^= 1;
	await parts.database.knex('pages').where({ id: first.id }).update({ sealed });
	const before = await parts.keyRing.current('data', OWNER);
	const after = await parts.keyRing.rotate('data', OWNER);
	await parts.keyRing.rotate('fingerprint', OWNER);
	parts.clock.turn(IN_USE_AFTER_MS);
	const total = {};
	for await (const { accountId: _, ...progress } of sweep(parts, [OWNER])) Object.assign(total, progress);
	t.deepEqual(total, { pages: 2, cvvs: 0, fingerprints: 2, damaged: 1 });
	const keys = await parts.database.knex('pages').orderBy('id').pluck('key_id');
	t.deepEqual(keys, [before.id, after.id, after.id]);
	const generations = await parts.database.knex('fingerprints').orderBy('page_id').pluck('generation');
	t.deepEqual(generations, [1, 2, 2], 'the fingerprint of the card on the damaged page stays as it is');
	t.deepEqual([...new Set(broken.map(({ table, id }) => `${table} ${id}`))], [`pages ${first.id}`]);
	t.truthy(await parts.vault.find(OWNER, tokens[1]));

	await parts.database.knex('pages').where({ id: first.id }).update({ sealed: first.sealed });
	for await (const { accountId: _, ...progress } of sweep(parts, [OWNER])) Object.assign(total, progress);
	t.deepEqual(total, { pages: 1, cvvs: 0, fingerprints: 1, damaged: 0 }, 'restored from a backup, it is moved too');
});
