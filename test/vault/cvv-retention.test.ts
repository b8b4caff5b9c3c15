// Checks what retention removes with an expired CVV, and what it leaves, while others store, use and look up its cards.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/cvv-code.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import type { CvvPolicy } from '../../src/vault/cvvs/cvv.ts';
import { type CvvRow, cvvStore, EMPTIED } from '../../src/vault/cvvs/cvv-store.ts';
import { DamagedPagesError, purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { besideCvv, sealedCvvs } from '../../src/vault/sealed-rows.ts';
import { databases } from '../helpers/database.ts';
import { openVaultRooms, swap, type VaultRooms } from '../helpers/vault-rooms.ts';

const OWNER = 1 as AccountId;
const DAY_MS = 86_400_000;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

type Story = (t: ExecutionContext, rooms: VaultRooms) => Promise<void>;

function onBoth(title: string, story: Story): void {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => {
			await story(t, await openVaultRooms(t, dialect));
		});
	}
}

const store = ({ vault }: VaultRooms, more: Partial<Parameters<VaultRooms['vault']['store']>[0]> = {}) =>
	vault.store({ accountId: OWNER, creatorId: OWNER, card: visa, ...more });

/** Stores a card with a CVV and returns its token and place. The policy of the CVV may be changed. */
async function storeWithCvv(rooms: VaultRooms, policy?: Partial<CvvPolicy>) {
	const { token } = await store(rooms, { cvv: new Cvv('123') });
	const place = (await rooms.vault.find(OWNER, token))!;
	if (policy) await rooms.vault.cvvs.changePolicy(place, (current) => ({ ...current, ...policy }));
	return { token, place };
}

onBoth('a card that leaves with its expired CVV is no duplicate of one stored since', async (t, rooms) => {
	const { token } = await storeWithCvv(rooms, { deletesCard: true });
	t.is((await store(rooms, { eliminatesDuplicates: true })).token, token, 'while the CVV is kept');
	rooms.clock.turn(8 * DAY_MS);
	const again = await store(rooms, { eliminatesDuplicates: true });
	t.true(again.isNew);
	t.is((await store(rooms, { eliminatesDuplicates: true })).token, again.token);
	t.deepEqual(await purgeCvvs(rooms.vault), { cvvs: 1, cards: 1 });
	t.is(await rooms.vault.find(OWNER, token), undefined);
	t.truthy(await rooms.vault.find(OWNER, again.token));
});

onBoth('a file gets a new token for a card that leaves with its expired CVV', async (t, rooms) => {
	const { token } = await storeWithCvv(rooms, { deletesCard: true });
	rooms.clock.turn(8 * DAY_MS);
	const bytes = Buffer.from('CardNumber,ExpirationDate,CVV,CardType,Reference\n4111111111111111,12/29,,,\n');
	const options = { eliminateCardDuplication: true };
	const swapped = await swap(rooms, rooms.engine([formats.get('SIMPLECSV')! as never]), {
		filter: 'SIMPLECSV',
		direction: 'tokenize',
		bytes,
		options,
	});
	await purgeCvvs(rooms.vault);
	const [{ token: left }, ...others] = await rooms.vault.list(OWNER, { from: 0, num: 9 });
	t.deepEqual(others, []);
	t.not(left, token);
	t.true(swapped.bytes.includes(left));
});

onBoth('a card that stays when its CVV expires is still found as a duplicate', async (t, rooms) => {
	const { token } = await storeWithCvv(rooms);
	rooms.clock.turn(8 * DAY_MS);
	t.deepEqual(await store(rooms, { eliminatesDuplicates: true }), { token, isNew: false });
});

onBoth('a CVV that is stored anew while retention runs stays', async (t, rooms) => {
	const cards = [await storeWithCvv(rooms), await storeWithCvv(rooms), await storeWithCvv(rooms)];
	rooms.clock.turn(8 * DAY_MS);
	const { place } = cards[2];
	const purge = purgeCvvs(rooms.vault);
	t.true(await rooms.vault.cvvs.keepByDefault(place, new Cvv('456')));
	await purge;
	const used = await rooms.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' });
	t.is(used?.digits.toString(), '456');
});

onBoth('a card stays if its CVV is stored anew while retention runs', async (t, rooms) => {
	const cards = [
		await storeWithCvv(rooms),
		await storeWithCvv(rooms),
		await storeWithCvv(rooms, { deletesCard: true }),
	];
	rooms.clock.turn(8 * DAY_MS);
	const { place, token } = cards[2];
	const purge = purgeCvvs(rooms.vault);
	t.true(await rooms.vault.cvvs.keepByDefault(place, new Cvv('456')));
	await purge;
	t.truthy(await rooms.vault.find(OWNER, token));
	t.truthy(await rooms.vault.cvvs.findPolicy(place));
});

onBoth('a card stays if its CVV is stored anew after retention has destroyed the old one', async (t, rooms) => {
	const { token, place } = await storeWithCvv(rooms, { deletesCard: true });
	rooms.clock.turn(8 * DAY_MS);
	const { withCard } = await rooms.vault.cvvs.destroyEnded();
	t.deepEqual(withCard, [{ page: place.page.id, slot: place.slot }]);
	t.true(await rooms.vault.cvvs.keepByDefault(place, new Cvv('456')));
	t.false(await rooms.vault.removeWithCvv(place.page.id, place.slot));
	await rooms.vault.cvvs.forget(withCard[0]);
	t.truthy(await rooms.vault.find(OWNER, token));
	t.truthy(await rooms.vault.cvvs.findPolicy(place));
});

onBoth(
	'a call that uses a card between its CVV and its own removal raises no alarm and keeps nothing',
	async (t, rooms) => {
		const broken: unknown[] = [];
		rooms.keyRing.seals.onBroken((row) => broken.push(row));
		const { token, place } = await storeWithCvv(rooms, { deletesCard: true });
		rooms.clock.turn(8 * DAY_MS);
		t.is((await rooms.vault.cvvs.destroyEnded()).destroyed, 1, 'the daemon dies here');
		t.is(await rooms.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' }), undefined);
		t.is(await rooms.vault.cvvs.findPolicy(place), undefined);
		t.false(await rooms.vault.cvvs.changePolicy(place, (current) => ({ ...current, deletesCard: false })));
		t.deepEqual(await purgeCvvs(rooms.vault), { cvvs: 1, cards: 1 });
		t.is(await rooms.vault.find(OWNER, token), undefined);
		t.deepEqual([await rooms.database.knex('cvvs'), broken], [[], []]);
	},
);

onBoth('a card is removed after an earlier version has destroyed its CVV without a new seal', async (t, rooms) => {
	const broken: unknown[] = [];
	rooms.keyRing.seals.onBroken((row) => broken.push(row));
	const { token, place } = await storeWithCvv(rooms, { deletesCard: true });
	rooms.clock.turn(8 * DAY_MS);
	await rooms.database.knex('cvvs').update({ sealed: Buffer.alloc(0), uses_left: EMPTIED });
	t.is(await rooms.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' }), undefined);
	t.deepEqual(await rooms.vault.cvvs.destroy(place), { takesCard: true });
	t.deepEqual(await purgeCvvs(rooms.vault), { cvvs: 1, cards: 1 });
	t.is(await rooms.vault.find(OWNER, token), undefined);
	t.deepEqual(broken, []);
});

onBoth('the row of a destroyed CVV matches its seal, and a sweep does not write the CVV back', async (t, rooms) => {
	const { place } = await storeWithCvv(rooms, {
		...{ deletesCard: true, usesLeft: 0 },
		destinations: [{ type: 'HostName', data: 'psp.example', quota: 2, used: 0 }],
	});
	const before = (await rooms.database.knex('cvvs').first()) as CvvRow;
	rooms.clock.turn(8 * DAY_MS);
	await rooms.vault.cvvs.destroyEnded();
	const cvvs = cvvStore(rooms.database.knex, rooms.database.dialect);
	const after = (await cvvs.find(place.page.id, place.slot))!;
	t.deepEqual([after.sealed.length, after.uses_left], [0, EMPTIED]);
	t.deepEqual(await rooms.database.knex('cvv_destinations'), []);
	t.true(
		await rooms.keyRing.seals.withSealer((sealer) => sealer.isIntact(sealedCvvs, after, { beside: besideCvv([]) })),
	);
	t.false(await cvvs.replace(before, before), 'as a sweep does that has read the row before');
});

onBoth(
	'a card stays if somebody has changed the row of its CVV in the database, and the alarm tells',
	async (t, rooms) => {
		const broken: BrokenRow[] = [];
		rooms.keyRing.seals.onBroken((row) => broken.push(row));
		const { token } = await storeWithCvv(rooms);
		rooms.clock.turn(8 * DAY_MS);
		await rooms.database.knex('cvvs').update({ delete_card: 1 });
		t.deepEqual(await purgeCvvs(rooms.vault), { cvvs: 1, cards: 0 });
		t.truthy(await rooms.vault.find(OWNER, token));
		t.deepEqual(await rooms.database.knex('cvvs'), []);
		t.deepEqual(
			broken.map(({ table, why }) => `${table} ${why}`),
			['cvvs altered'],
		);
	},
);

onBoth('a damaged page does not keep its expired CVVs alive', async (t, rooms) => {
	const { place } = await storeWithCvv(rooms, { deletesCard: true });
	rooms.clock.turn(8 * DAY_MS);
	await rooms.database
		.knex('pages')
		.where({ id: place.page.id })
		.update({ sealed: Buffer.alloc(64) });
	t.is((await rooms.vault.cvvs.destroyEnded()).destroyed, 1);
	t.is((await rooms.database.knex('cvvs').first()).sealed.length, 0);
});

/** Alters one byte of a sealed page, as a fault of the disk or somebody with access to the database could. */
async function damage({ database }: VaultRooms, pageId: number): Promise<Buffer> {
	const { sealed } = await database.knex('pages').where({ id: pageId }).first('sealed');
	const altered = Buffer.from(sealed);
	altered[20] ^= 1;
	await database.knex('pages').where({ id: pageId }).update({ sealed: altered });
	return sealed;
}

onBoth('retention passes over a damaged page, deletes all other cards, and comes back to it', async (t, rooms) => {
	const broken: BrokenRow[] = [];
	rooms.keyRing.seals.onBroken((row) => broken.push(row));
	const cards = [];
	for (let nth = 0; nth < 5; nth++) {
		cards.push(await storeWithCvv(rooms, { deletesCard: true }));
		rooms.clock.turn(1000);
	}
	const damaged = [cards[0].place.page.id, cards[2].place.page.id];
	const whole = [];
	for (const id of damaged) whole.push(await damage(rooms, id));
	rooms.clock.turn(8 * DAY_MS);

	const error = await t.throwsAsync(purgeCvvs(rooms.vault, 2), { instanceOf: DamagedPagesError });
	t.deepEqual(error.pages, damaged);
	t.regex(error.message, new RegExp(`pages ${damaged.join(', ')}\\D.*3 cards`));
	t.deepEqual(
		broken,
		damaged.map((id) => ({ table: 'pages', id: String(id), why: 'altered' })),
	);
	const left = await rooms.database.knex('cvvs').orderBy('page_id').select('page_id', 'sealed');
	t.deepEqual(
		left.map(({ page_id, sealed }) => [page_id, sealed.length]),
		damaged.map((id) => [id, 0]),
		'the CVVs themselves are destroyed everywhere',
	);
	const pages = await rooms.database.knex('pages').orderBy('id').pluck('id');
	t.deepEqual(pages, damaged);

	await t.throwsAsync(purgeCvvs(rooms.vault), { instanceOf: DamagedPagesError }, 'the next run tells of it again');
	for (const [nth, id] of damaged.entries())
		await rooms.database.knex('pages').where({ id }).update({ sealed: whole[nth] });
	t.deepEqual(await purgeCvvs(rooms.vault), { cvvs: 2, cards: 2 });
	t.deepEqual(await rooms.database.knex('pages'), []);
	t.deepEqual(await rooms.database.knex('cvvs'), []);
});

onBoth('retention passes over a page that names a key which does not exist', async (t, rooms) => {
	const odd = await storeWithCvv(rooms, { deletesCard: true });
	const { token } = await storeWithCvv(rooms, { deletesCard: true });
	await rooms.database.knex('pages').where({ id: odd.place.page.id }).update({ key_id: 99_999 });
	rooms.clock.turn(8 * DAY_MS);
	const error = await t.throwsAsync(purgeCvvs(rooms.vault), { instanceOf: DamagedPagesError });
	t.deepEqual(error.pages, [odd.place.page.id]);
	t.is(await rooms.vault.find(OWNER, token), undefined);
});

onBoth(
	'retention ends at once if the database cannot be reached, and does not call pages damaged',
	async (t, rooms) => {
		await storeWithCvv(rooms, { deletesCard: true });
		rooms.clock.turn(8 * DAY_MS);
		const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
		const vault = {
			...rooms.vault,
			removeWithCvv: async () => {
				throw gone;
			},
		};
		t.is(await t.throwsAsync(purgeCvvs(vault)), gone);
	},
);
