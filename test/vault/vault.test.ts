import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { readSchema } from '../../src/base/database/schema.ts';
import { execute, type SqlTransaction } from '../../src/base/database/sql.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { sealedAssociations } from '../../src/vault/sealed-rows.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { coreDatabases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const OTHER = 2 as AccountId;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

type Story = (t: ExecutionContext, parts: VaultParts) => Promise<void>;

function onBoth(title: string, story: Story): void {
	for (const dialect of coreDatabases) {
		test(`${dialect}: ${title}`, async (t) => {
			await story(t, await openVaultParts(t, dialect));
		});
	}
}

const store = (parts: VaultParts, more: Partial<Parameters<VaultParts['vault']['store']>[0]> = {}) =>
	parts.vault.store({ accountId: OWNER, creatorId: OWNER, card: visa, ...more });

onBoth('the schema is complete', async (t, { database }) => {
	t.deepEqual((await readSchema(database)).missing, []);
});

onBoth('a stored card is found by its token and by nobody else', async (t, parts) => {
	const { token, isNew } = await store(parts, { reference: 'order-1' });
	t.true(isNew);
	t.regex(token, /^[0-9a-f]{32}$/);
	t.notRegex(token, /\d{12}/);
	const found = await parts.vault.find(OWNER, token);
	t.is(found?.record.digits.toString(), '4111111111111111');
	t.is(await parts.vault.find(OTHER, token), undefined);
	t.is(await parts.vault.find(OWNER, '9e107d9d372bb6826bd81d3542a419d6' as Token), undefined);
});

onBoth(
	'what one card writes beside it may refuse it, and the cards that came together with it are stored',
	async (t, parts) => {
		const written: string[] = [];
		const outcomes = await Promise.allSettled(
			Array.from({ length: 12 }, (_, nth) =>
				store(parts, {
					reference: `order-${nth}`,
					alongside: async ({ token }, transaction) => {
						await execute(transaction, 'select 1');
						written.push(token);
						if (nth % 5 === 3) throw new Error(`refused ${nth}`);
					},
				}),
			),
		);
		const tokens: string[] = [];
		for (const [nth, outcome] of outcomes.entries()) {
			const isRefused = nth % 5 === 3;
			t.is(outcome.status, isRefused ? 'rejected' : 'fulfilled', String(nth));
			if (outcome.status === 'rejected') t.is(outcome.reason.message, `refused ${nth}`);
			else tokens.push(outcome.value.token);
			t.is((await parts.vault.list(OWNER, { from: 0, num: 9, reference: `order-${nth}` })).length, isRefused ? 0 : 1);
		}
		t.is(new Set(tokens).size, 10);
		for (const token of tokens)
			t.is((await parts.vault.find(OWNER, token as Token))?.record.digits.toString(), '4111111111111111');
		t.true(tokens.every((token) => written.includes(token)));
	},
);

onBoth(
	'what is written for several cards together may refuse some of them, and the others are stored',
	async (t, parts) => {
		const calls: number[] = [];
		const write = async (stored: ReadonlyMap<string, { readonly token: Token }>, transaction: SqlTransaction) => {
			await execute(transaction, 'select 1');
			calls.push(stored.size);
			return new Set([...stored.keys()].filter((name) => Number(name) % 5 === 3));
		};
		const outcomes = await Promise.allSettled(
			Array.from({ length: 12 }, (_, nth) =>
				store(parts, {
					reference: `order-${nth}`,
					together: { name: String(nth), write, refusal: () => new Error(`refused ${nth}`) },
				}),
			),
		);
		for (const [nth, outcome] of outcomes.entries()) {
			const isRefused = nth % 5 === 3;
			t.is(outcome.status, isRefused ? 'rejected' : 'fulfilled', String(nth));
			if (outcome.status === 'rejected') t.is(outcome.reason.message, `refused ${nth}`);
			t.is((await parts.vault.list(OWNER, { from: 0, num: 9, reference: `order-${nth}` })).length, isRefused ? 0 : 1);
		}
		t.true(calls.every((size) => size > 0) && calls.length < 12, calls.join());
	},
);

onBoth('of two requests of one name that are written together, one is stored', async (t, parts) => {
	const write = async () => new Set<string>();
	const together = { name: 'form-1', write, refusal: () => new Error('stored already') };
	const outcomes = await Promise.allSettled([1, 2, 3].map(() => store(parts, { reference: 'order-1', together })));
	t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
	t.is((await parts.vault.list(OWNER, { from: 0, num: 9, reference: 'order-1' })).length, 1);
});

onBoth('a token that is given back gets what the call asks beside it', async (t, parts) => {
	const first = await store(parts, { reference: 'order-1', eliminatesDuplicates: true });
	t.like(await parts.vault.findMetadata(OWNER, first.token), { cvvEndsAt: null, merchantIds: [] });
	const beside = { reference: 'order-2', merchantId: OTHER, cvv: new Cvv('123') };
	const second = await store(parts, { ...beside, eliminatesDuplicates: true });
	t.deepEqual(second, { token: first.token, isNew: false });
	const metadata = await parts.vault.findMetadata(OWNER, first.token);
	t.deepEqual(metadata?.merchantIds, [OTHER]);
	t.truthy(metadata?.cvvEndsAt);
	t.is((await parts.vault.list(OWNER, { from: 0, num: 9, reference: 'order-2' })).length, 1);
	t.is((await parts.vault.list(OWNER, { from: 0, num: 9, reference: 'order-1' })).length, 1);
});

onBoth('metadata tells everything but the number', async (t, parts) => {
	const card = { ...visa, name: 'MARIE DUPONT', issueNumber: '2', owner: 'guest-7' };
	const { token } = await store(parts, { card, reference: 'order-1', merchantId: OTHER, cvv: new Cvv('123') });
	const metadata = await parts.vault.findMetadata(OWNER, token);
	t.like(metadata, {
		token,
		kind: 'card',
		cardType: 'Visa',
		leadingDigits: '411111',
		lastDigits: '1111',
		expiry: 202912,
		nameOnCard: 'MARIE DUPONT',
		issueNumber: '2',
		owner: 'guest-7',
		reference: 'order-1',
		accountId: OWNER,
		creatorId: OWNER,
	});
	t.deepEqual(metadata?.merchantIds, [OTHER]);
	t.is(metadata?.cvvEndsAt?.getTime(), parts.clock.now().getTime() + 7 * 86_400_000);
	t.false(JSON.stringify(metadata).includes('4111111111111111'));
});

onBoth('two hundred cards stored at once share pages, and each has its own token', async (t, parts) => {
	const results = await Promise.all(Array.from({ length: 200 }, (_, n) => store(parts, { reference: `r${n}` })));
	t.is(new Set(results.map((result) => result.token)).size, 200);
	const [{ pages }] = await parts.database.knex('pages').count({ pages: '*' });
	t.true(Number(pages) <= 8, `${pages} pages`);
});

onBoth('lists page by page, oldest first, with holes where tokens were deleted', async (t, parts) => {
	const tokens: Token[] = [];
	for (let n = 0; n < 3; n++) {
		const group = await Promise.all(Array.from({ length: 40 }, () => store(parts)));
		tokens.push(...group.map((result) => result.token));
	}
	for (const nth of [0, 5, 39, 119]) {
		t.is(await parts.vault.remove(OWNER, tokens[nth]), 'deleted');
	}
	const left = tokens.filter((_, nth) => ![0, 5, 39, 119].includes(nth));
	t.deepEqual(
		(await parts.vault.list(OWNER, { from: 0, num: 1000 })).map((each) => each.token),
		left,
	);
	for (const [from, num] of [
		[0, 10],
		[37, 5],
		[30, 40],
		[110, 20],
		[200, 5],
	]) {
		const listed = await parts.vault.list(OWNER, { from, num });
		t.deepEqual(
			listed.map((each) => each.token),
			left.slice(from, from + num),
			`${from}+${num}`,
		);
	}
});

onBoth('references need not be unique and find every match', async (t, parts) => {
	const first = await store(parts, { reference: 'twice' });
	const second = await store(parts, { reference: 'twice' });
	await store(parts, { reference: 'once' });
	const found = await parts.vault.list(OWNER, { from: 0, num: 100, reference: 'twice' });
	t.deepEqual(
		found.map((each) => each.token),
		[first.token, second.token],
	);
	t.deepEqual(await parts.vault.list(OTHER, { from: 0, num: 100, reference: 'twice' }), []);
});

onBoth('duplicate elimination gives the token the card already has, per account', async (t, parts) => {
	const first = await store(parts);
	const again = await store(parts, { eliminatesDuplicates: true });
	t.deepEqual(again, { token: first.token, isNew: false });
	t.true((await store(parts)).isNew);
	const renewed = await store(parts, { card: { ...visa, expiry: 203012 }, eliminatesDuplicates: true });
	t.true(renewed.isNew);
	t.true((await store(parts, { accountId: OTHER, creatorId: OTHER, eliminatesDuplicates: true })).isNew);
	const together = await Promise.all(
		Array.from({ length: 20 }, () => store(parts, { card: { ...visa, expiry: 203101 }, eliminatesDuplicates: true })),
	);
	t.is(new Set(together.map((each) => each.token)).size, 1);
});

onBoth('deletion is told apart as the specification says, and takes everything beside the card', async (t, parts) => {
	const { token } = await store(parts, { reference: 'gone', merchantId: OTHER, cvv: new Cvv('123') });
	const neighbour = await store(parts, { reference: 'stays' });
	t.is(await parts.vault.remove(OTHER, token), 'not-owner');
	t.is(await parts.vault.remove(OWNER, token), 'deleted');
	t.is(await parts.vault.remove(OWNER, token), 'absent');
	t.is(await parts.vault.find(OWNER, token), undefined);
	for (const table of ['associations', 'cvvs']) t.deepEqual(await parts.database.knex(table), [], table);
	t.is((await parts.database.knex('token_refs')).length, 1);
	t.is((await parts.vault.findMetadata(OWNER, neighbour.token))?.reference, 'stays');
});

onBoth('cards of one page deleted at the same time all go, and the last takes the row', async (t, parts) => {
	const stored = await Promise.all(Array.from({ length: 12 }, () => store(parts)));
	const outcomes = await Promise.all(stored.map((each) => parts.vault.remove(OWNER, each.token)));
	t.deepEqual(new Set(outcomes), new Set(['deleted']));
	t.deepEqual(await parts.database.knex('pages'), []);
});

onBoth('an association lets a merchant use one token, and splitting a whole page keeps the rest', async (t, parts) => {
	const [a, b] = await Promise.all([store(parts), store(parts)]);
	t.false(await parts.vault.associate(OTHER, a.token, OTHER));
	t.true(await parts.vault.associate(OWNER, a.token, OTHER));
	t.truthy(await parts.vault.find(OTHER, a.token));
	t.is(await parts.vault.find(OTHER, b.token), undefined);
	t.is(await parts.vault.remove(OTHER, a.token), 'not-owner');
	t.true(await parts.vault.dissociate(OWNER, a.token, OTHER));
	t.is(await parts.vault.find(OTHER, a.token), undefined);

	const page = (await parts.vault.find(OWNER, a.token))!.page.id;
	const whole = { page_id: page, slot: -1, merchant_id: OTHER, epoch: 2 };
	const seal = (await parts.keyRing.seals.sealer()).seal(sealedAssociations, whole);
	await parts.database.knex('associations').insert({ ...whole, ...seal, created_at: 0 });
	t.truthy(await parts.vault.find(OTHER, b.token));
	t.true(await parts.vault.dissociate(OWNER, a.token, OTHER));
	t.is(await parts.vault.find(OTHER, a.token), undefined);
	t.truthy(await parts.vault.find(OTHER, b.token));
});

onBoth('a CVV leaves once, even when twenty ask at the same time, and is then destroyed', async (t, parts) => {
	const { token } = await store(parts, { cvv: new Cvv('123') });
	const place = (await parts.vault.find(OWNER, token))!;
	const uses = await Promise.all(
		Array.from({ length: 20 }, () => parts.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' })),
	);
	const granted = uses.filter((each) => each !== undefined);
	t.is(granted.length, 1);
	t.is(granted[0].digits.toString(), '123');
	t.deepEqual(await parts.database.knex('cvvs'), []);
});

onBoth('a CVV policy limits destinations and quotas', async (t, parts) => {
	const { token } = await store(parts, { cvv: new Cvv('1234') });
	const place = (await parts.vault.find(OWNER, token))!;
	const endsAt = new Date(parts.clock.now().getTime() + 1000);
	const destinations = [{ type: 'HostName' as const, data: 'psp.example', quota: 2, used: 0 }];
	t.true(await parts.vault.cvvs.changePolicy(place, () => ({ endsAt, deletesCard: true, destinations, usesLeft: 0 })));
	t.is(await parts.vault.cvvs.use(place, { type: 'HostName', data: 'other.example' }), undefined);
	t.is(await parts.vault.cvvs.use(place, { type: 'Gateway', data: 'psp.example' }), undefined);
	t.truthy(await parts.vault.cvvs.use(place, { type: 'HostName', data: 'PSP.example' }));
	t.is((await parts.vault.cvvs.findPolicy(place))?.destinations[0].used, 1);
	parts.clock.turn(1000);
	t.is(await parts.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' }), undefined);
	const { destroyed, withCard } = await parts.vault.cvvs.destroyEnded();
	t.is(destroyed, 1);
	t.deepEqual(withCard, [{ page: place.page.id, slot: place.slot }]);
});

onBoth('a card that goes with its CVV goes later when retention was cut off in between', async (t, parts) => {
	const { token } = await store(parts, { cvv: new Cvv('123') });
	await store(parts, { cvv: new Cvv('456') });
	const place = (await parts.vault.find(OWNER, token))!;
	const endsAt = new Date(parts.clock.now().getTime() + 1000);
	await parts.vault.cvvs.changePolicy(place, () => ({ endsAt, deletesCard: true, destinations: [], usesLeft: 1 }));
	parts.clock.turn(8 * 86_400_000);
	t.is((await parts.vault.cvvs.destroyEnded()).destroyed, 2);
	t.truthy(await parts.vault.find(OWNER, token), 'cut off here');
	t.deepEqual(
		(await parts.database.knex('cvvs').select('sealed')).map((row) => row.sealed.length),
		[0],
		'nothing is left of the CVV itself',
	);
	t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 1 });
	t.is(await parts.vault.find(OWNER, token), undefined);
	t.deepEqual(await parts.database.knex('cvvs'), []);
});

onBoth('a sweep after a rotation leaves nothing under the old key, and nothing unreadable', async (t, parts) => {
	const stored = [];
	for (let n = 0; n < 5; n++) {
		stored.push(...(await Promise.all(Array.from({ length: 33 }, () => store(parts, { cvv: new Cvv('123') })))));
	}
	const data = await parts.keyRing.rotate('data', OWNER);
	const cvv = await parts.keyRing.rotate('cvv', OWNER);
	await parts.keyRing.rotateEnvironmentKey();
	// The sweep is stopped after its first step and started again: the rest is moved all the same.
	for await (const _ of sweep(parts, [OWNER])) break;
	for await (const _ of sweep(parts, [OWNER]));
	const keysInUse = (table: string) => parts.database.knex(table).distinct('key_id');
	t.deepEqual(await keysInUse('pages'), [{ key_id: data.id }]);
	t.deepEqual(await keysInUse('cvvs'), [{ key_id: cvv.id }]);
	for (const { token } of stored) {
		t.is((await parts.vault.find(OWNER, token))?.record.digits.toString(), '4111111111111111');
	}
});

onBoth('a sweep that has not seen the newest keys yet moves nothing back from them', async (t, parts) => {
	await Promise.all(Array.from({ length: 40 }, () => store(parts, { cvv: new Cvv('123') })));
	const old = { data: await parts.keyRing.current('data', OWNER), cvv: await parts.keyRing.current('cvv', OWNER) };
	const data = await parts.keyRing.rotate('data', OWNER);
	const cvv = await parts.keyRing.rotate('cvv', OWNER);
	for await (const _ of sweep(parts, [OWNER]));
	const late = { ...parts.keyRing, current: async (purpose: string) => old[purpose as keyof typeof old] };
	for await (const _ of sweep({ ...parts, keyRing: late }, [OWNER])) t.fail('something was moved');
	const keysInUse = (table: string) => parts.database.knex(table).distinct('key_id');
	t.deepEqual(await keysInUse('pages'), [{ key_id: data.id }]);
	t.deepEqual(await keysInUse('cvvs'), [{ key_id: cvv.id }]);
});

onBoth('pages swapped or altered in the database do not open', async (t, parts) => {
	const { token } = await store(parts);
	await new Promise(setImmediate);
	const second = await store(parts);
	const [one, two] = await parts.database.knex('pages').orderBy('id');
	await parts.database.knex('pages').where({ id: one.id }).update({ sealed: two.sealed });
	await t.throwsAsync(parts.vault.find(OWNER, token), { name: 'DamagedPageError' });
	t.truthy(await parts.vault.find(OWNER, second.token));
	const altered = Buffer.from(two.sealed);
	altered[20] ^= 1;
	await parts.database.knex('pages').where({ id: two.id }).update({ sealed: altered });
	await t.throwsAsync(parts.vault.find(OWNER, second.token), { name: 'DamagedPageError' });
});
