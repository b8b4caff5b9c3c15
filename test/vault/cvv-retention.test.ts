// Checks what retention removes with an expired CVV, and what it leaves, while others store, use and look up its cards.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import type { CvvPolicy } from '../../src/vault/cvvs/cvv.ts';
import { type CvvRow, cvvStore, EMPTIED } from '../../src/vault/cvvs/cvv-store.ts';
import { DamagedPagesError, purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { besideCvv, sealedCvvs } from '../../src/vault/sealed-rows.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, swap, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const DAY_MS = 86_400_000;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

type Story = (t: ExecutionContext, parts: VaultParts) => Promise<void>;

function onBoth(title: string, story: Story): void {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => {
			await story(t, await openVaultParts(t, dialect));
		});
	}
}

const store = ({ vault }: VaultParts, more: Partial<Parameters<VaultParts['vault']['store']>[0]> = {}) =>
	vault.store({ accountId: OWNER, creatorId: OWNER, card: visa, ...more });

/** Stores a card with a CVV and returns its token and place. The policy of the CVV may be changed. */
async function storeWithCvv(parts: VaultParts, policy?: Partial<CvvPolicy>) {
	const { token } = await store(parts, { cvv: new Cvv('123') });
	const place = (await parts.vault.find(OWNER, token))!;
	if (policy) await parts.vault.cvvs.changePolicy(place, (current) => ({ ...current, ...policy }));
	return { token, place };
}

onBoth('a card that leaves with its expired CVV is no duplicate of one stored since', async (t, parts) => {
	const { token } = await storeWithCvv(parts, { deletesCard: true });
	t.is((await store(parts, { eliminatesDuplicates: true })).token, token, 'while the CVV is kept');
	parts.clock.turn(8 * DAY_MS);
	const again = await store(parts, { eliminatesDuplicates: true });
	t.true(again.isNew);
	t.is((await store(parts, { eliminatesDuplicates: true })).token, again.token);
	t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 1 });
	t.is(await parts.vault.find(OWNER, token), undefined);
	t.truthy(await parts.vault.find(OWNER, again.token));
});

onBoth('a file gets a new token for a card that leaves with its expired CVV', async (t, parts) => {
	const { token } = await storeWithCvv(parts, { deletesCard: true });
	parts.clock.turn(8 * DAY_MS);
	const bytes = Buffer.from('CardNumber,ExpirationDate,CVV,CardType,Reference\n4111111111111111,12/29,,,\n');
	const options = { eliminateCardDuplication: true };
	const swapped = await swap(parts, parts.engine([formats.get('SIMPLECSV')! as never]), {
		filter: 'SIMPLECSV',
		direction: 'tokenize',
		bytes,
		options,
	});
	await purgeCvvs(parts.vault);
	const [{ token: left }, ...others] = await parts.vault.list(OWNER, { from: 0, num: 9 });
	t.deepEqual(others, []);
	t.not(left, token);
	t.true(swapped.bytes.includes(left));
});

onBoth('a card that stays when its CVV expires is still found as a duplicate', async (t, parts) => {
	const { token } = await storeWithCvv(parts);
	parts.clock.turn(8 * DAY_MS);
	t.deepEqual(await store(parts, { eliminatesDuplicates: true }), { token, isNew: false });
});

onBoth('a CVV that is stored anew while retention runs stays', async (t, parts) => {
	const cards = [await storeWithCvv(parts), await storeWithCvv(parts), await storeWithCvv(parts)];
	parts.clock.turn(8 * DAY_MS);
	const { place } = cards[2];
	const purge = purgeCvvs(parts.vault);
	t.true(await parts.vault.cvvs.keepByDefault(place, new Cvv('456')));
	await purge;
	const used = await parts.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' });
	t.is(used?.digits.toString(), '456');
});

onBoth('a card stays if its CVV is stored anew while retention runs', async (t, parts) => {
	const cards = [
		await storeWithCvv(parts),
		await storeWithCvv(parts),
		await storeWithCvv(parts, { deletesCard: true }),
	];
	parts.clock.turn(8 * DAY_MS);
	const { place, token } = cards[2];
	const { cvvs } = parts.vault;
	// The new CVV comes when the old one is destroyed and its card is about to go.
	const removeWithCvv: typeof parts.vault.removeWithCvv = async (...card) => {
		t.true(await cvvs.keepByDefault(place, new Cvv('456')));
		return parts.vault.removeWithCvv(...card);
	};
	t.deepEqual(await purgeCvvs({ cvvs, removeWithCvv }), { cvvs: 3, cards: 0 });
	t.truthy(await parts.vault.find(OWNER, token));
	t.truthy(await cvvs.findPolicy(place));
});

onBoth(
	'a CVV that is stored anew beside retention keeps its card, or is refused once the card is gone',
	async (t, parts) => {
		const { place, token } = await storeWithCvv(parts, { deletesCard: true });
		parts.clock.turn(8 * DAY_MS);
		const [isKept] = await Promise.all([parts.vault.cvvs.keepByDefault(place, new Cvv('456')), purgeCvvs(parts.vault)]);
		t.is((await parts.vault.find(OWNER, token)) !== undefined, isKept);
		t.is((await parts.vault.cvvs.findPolicy(place)) !== undefined, isKept);
	},
);

onBoth('a card stays if its CVV is stored anew after retention has destroyed the old one', async (t, parts) => {
	const { token, place } = await storeWithCvv(parts, { deletesCard: true });
	parts.clock.turn(8 * DAY_MS);
	const { withCard } = await parts.vault.cvvs.destroyEnded();
	t.deepEqual(withCard, [{ page: place.page.id, slot: place.slot }]);
	t.true(await parts.vault.cvvs.keepByDefault(place, new Cvv('456')));
	t.false(await parts.vault.removeWithCvv(place.page.id, place.slot));
	await parts.vault.cvvs.forget(withCard[0]);
	t.truthy(await parts.vault.find(OWNER, token));
	t.truthy(await parts.vault.cvvs.findPolicy(place));
});

onBoth(
	'a call that uses a card between its CVV and its own removal raises no alarm and keeps nothing',
	async (t, parts) => {
		const broken: unknown[] = [];
		parts.keyRing.seals.onBroken((row) => broken.push(row));
		const { token, place } = await storeWithCvv(parts, { deletesCard: true });
		parts.clock.turn(8 * DAY_MS);
		t.is((await parts.vault.cvvs.destroyEnded()).destroyed, 1, 'the daemon dies here');
		t.is(await parts.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' }), undefined);
		t.is(await parts.vault.cvvs.findPolicy(place), undefined);
		t.false(await parts.vault.cvvs.changePolicy(place, (current) => ({ ...current, deletesCard: false })));
		t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 1 });
		t.is(await parts.vault.find(OWNER, token), undefined);
		t.deepEqual([await parts.database.knex('cvvs'), broken], [[], []]);
	},
);

onBoth('a card is removed after an earlier version has destroyed its CVV without a new seal', async (t, parts) => {
	const broken: unknown[] = [];
	parts.keyRing.seals.onBroken((row) => broken.push(row));
	const { token, place } = await storeWithCvv(parts, { deletesCard: true });
	parts.clock.turn(8 * DAY_MS);
	await parts.database.knex('cvvs').update({ sealed: Buffer.alloc(0), uses_left: EMPTIED });
	t.is(await parts.vault.cvvs.use(place, { type: 'HostName', data: 'psp.example' }), undefined);
	t.deepEqual(await parts.vault.cvvs.destroy(place), { takesCard: true });
	t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 1 });
	t.is(await parts.vault.find(OWNER, token), undefined);
	t.deepEqual(broken, []);
});

onBoth('the row of a destroyed CVV matches its seal, and a sweep does not write the CVV back', async (t, parts) => {
	const { place } = await storeWithCvv(parts, {
		...{ deletesCard: true, usesLeft: 0 },
		destinations: [{ type: 'HostName', data: 'psp.example', quota: 2, used: 0 }],
	});
	const before = (await parts.database.knex('cvvs').first()) as CvvRow;
	parts.clock.turn(8 * DAY_MS);
	await parts.vault.cvvs.destroyEnded();
	const cvvs = cvvStore(parts.database.knex, parts.database.dialect);
	const after = (await cvvs.find(place.page.id, place.slot))!;
	t.deepEqual([after.sealed.length, after.uses_left], [0, EMPTIED]);
	t.deepEqual(await parts.database.knex('cvv_destinations'), []);
	t.true(
		await parts.keyRing.seals.withSealer((sealer) => sealer.isIntact(sealedCvvs, after, { beside: besideCvv([]) })),
	);
	t.false(await cvvs.replace(before, before), 'as a sweep does that has read the row before');
});

onBoth(
	'a card stays if somebody has changed the row of its CVV in the database, and the alarm tells',
	async (t, parts) => {
		const broken: BrokenRow[] = [];
		parts.keyRing.seals.onBroken((row) => broken.push(row));
		const { token } = await storeWithCvv(parts);
		parts.clock.turn(8 * DAY_MS);
		await parts.database.knex('cvvs').update({ delete_card: 1 });
		t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 0 });
		t.truthy(await parts.vault.find(OWNER, token));
		t.deepEqual(await parts.database.knex('cvvs'), []);
		t.deepEqual(
			broken.map(({ table, why }) => `${table} ${why}`),
			['cvvs altered'],
		);
	},
);

onBoth('a damaged page does not keep its expired CVVs alive', async (t, parts) => {
	const { place } = await storeWithCvv(parts, { deletesCard: true });
	parts.clock.turn(8 * DAY_MS);
	await parts.database
		.knex('pages')
		.where({ id: place.page.id })
		.update({ sealed: Buffer.alloc(64) });
	t.is((await parts.vault.cvvs.destroyEnded()).destroyed, 1);
	t.is((await parts.database.knex('cvvs').first()).sealed.length, 0);
});

/** Alters one byte of a sealed page, as a fault of the disk or somebody with access to the database could. */
async function damage({ database }: VaultParts, pageId: number): Promise<Buffer> {
	const { sealed } = await database.knex('pages').where({ id: pageId }).first('sealed');
	const altered = Buffer.from(sealed);
	altered[20] ^= 1;
	await database.knex('pages').where({ id: pageId }).update({ sealed: altered });
	return sealed;
}

onBoth('retention passes over a damaged page, deletes all other cards, and comes back to it', async (t, parts) => {
	const broken: BrokenRow[] = [];
	parts.keyRing.seals.onBroken((row) => broken.push(row));
	const cards = [];
	for (let nth = 0; nth < 5; nth++) {
		cards.push(await storeWithCvv(parts, { deletesCard: true }));
		parts.clock.turn(1000);
	}
	const damaged = [cards[0].place.page.id, cards[2].place.page.id];
	const whole = [];
	for (const id of damaged) whole.push(await damage(parts, id));
	parts.clock.turn(8 * DAY_MS);

	const error = await t.throwsAsync(purgeCvvs(parts.vault, 2), { instanceOf: DamagedPagesError });
	t.deepEqual(error.pages, damaged);
	t.regex(error.message, new RegExp(`pages ${damaged.join(', ')}\\D.*3 cards`));
	t.deepEqual(
		broken,
		damaged.map((id) => ({ table: 'pages', id: String(id), why: 'altered' })),
	);
	const left = await parts.database.knex('cvvs').orderBy('page_id').select('page_id', 'sealed');
	t.deepEqual(
		left.map(({ page_id, sealed }) => [page_id, sealed.length]),
		damaged.map((id) => [id, 0]),
		'the CVVs themselves are destroyed everywhere',
	);
	const pages = await parts.database.knex('pages').orderBy('id').pluck('id');
	t.deepEqual(pages, damaged);

	await t.throwsAsync(purgeCvvs(parts.vault), { instanceOf: DamagedPagesError }, 'the next run tells of it again');
	for (const [nth, id] of damaged.entries())
		await parts.database.knex('pages').where({ id }).update({ sealed: whole[nth] });
	t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 2, cards: 2 });
	t.deepEqual(await parts.database.knex('pages'), []);
	t.deepEqual(await parts.database.knex('cvvs'), []);
});

onBoth('retention passes over a page that names a key which does not exist', async (t, parts) => {
	const odd = await storeWithCvv(parts, { deletesCard: true });
	const { token } = await storeWithCvv(parts, { deletesCard: true });
	await parts.database.knex('pages').where({ id: odd.place.page.id }).update({ key_id: 99_999 });
	parts.clock.turn(8 * DAY_MS);
	const error = await t.throwsAsync(purgeCvvs(parts.vault), { instanceOf: DamagedPagesError });
	t.deepEqual(error.pages, [odd.place.page.id]);
	t.is(await parts.vault.find(OWNER, token), undefined);
});

onBoth(
	'retention ends at once if the database cannot be reached, and does not call pages damaged',
	async (t, parts) => {
		await storeWithCvv(parts, { deletesCard: true });
		parts.clock.turn(8 * DAY_MS);
		const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
		const vault = {
			...parts.vault,
			removeWithCvv: async () => {
				throw gone;
			},
		};
		t.is(await t.throwsAsync(purgeCvvs(vault)), gone);
	},
);
