// What retention takes away with an expired CVV, and what it leaves, while others store, use and look up the same cards.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { CardNumber } from '../../src/card/card-number.ts';
import { Cvv } from '../../src/card/cvv-code.ts';
import type { AccountId } from '../../src/database/ids.ts';
import type { CvvPolicy } from '../../src/vault/cvv.ts';
import { purgeCvvs } from '../../src/vault/purge-cvvs.ts';
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
