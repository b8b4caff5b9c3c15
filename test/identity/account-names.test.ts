import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { AccountNames } from '../../src/people/identity/accounts/account-names.ts';

const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, nth) => (first + nth) as AccountId);

/** Returns accounts whose names come only when the test lets them. */
function slowAccounts() {
	let gate: Promise<void> | undefined;
	return {
		holdBack() {
			const { promise, resolve } = Promise.withResolvers<void>();
			gate = promise;
			return resolve;
		},
		async userIdsOf(ids: readonly AccountId[]) {
			const waited = gate;
			gate = undefined;
			await waited;
			return new Map(ids.map((id) => [id, `user${id}`]));
		},
	};
}

test('names are asked for once, and an account that is gone has none', async (t) => {
	const asked: (readonly AccountId[])[] = [];
	const names = new AccountNames({
		async userIdsOf(ids) {
			asked.push(ids);
			return new Map(ids.filter((id) => id !== 3).map((id) => [id, `user${id}`]));
		},
	});
	await names.load(idsFrom(1, 3));
	await names.load(idsFrom(1, 2));
	t.deepEqual(
		idsFrom(1, 3).map((id) => names.find(id)),
		['user1', 'user2', null],
	);
	t.deepEqual(asked, [idsFrom(1, 3)]);
});

test('a name that was at hand stays at hand while others fill the memory', async (t) => {
	const accounts = slowAccounts();
	const names = new AccountNames(accounts);
	await names.load(idsFrom(1, 150_000));
	const goOn = accounts.holdBack();
	const loading = names.load([1 as AccountId, 200_001 as AccountId]);
	await names.load([200_002 as AccountId]);
	goOn();
	await loading;
	t.is(names.find(1 as AccountId), 'user1');
	t.is(names.find(200_001 as AccountId), 'user200001');
});
