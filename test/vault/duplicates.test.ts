import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import type { TransferEngine } from '../../src/engine/engine.ts';
import { StoredMeanwhileError } from '../../src/vault/cards/duplicates.ts';
import { openVault, type Vault } from '../../src/vault/vault.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const HEAD = 'CardNumber,ExpirationDate,CVV,CardType,Reference\n';
const NUMBERS = ['4111111111111111', '4012888888881881', '5555555555554444', '378282246310005'];
const OTHER_NUMBERS = ['4222222222222', '5105105105105100'];

const storeOnce = (vault: Vault, number: string) =>
	vault.store({
		...{ accountId: OWNER, creatorId: OWNER, eliminatesDuplicates: true },
		card: { number: new CardNumber(number), expiry: 203012, type: 19 },
	});

async function daemonsOf(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
	const first = await openTestDatabase(t, dialect);
	const root = localRootKey(randomBytes(32), 'test');
	const open = async (database: typeof first) => {
		const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
		return openVault({ database, keyRing });
	};
	if (dialect === 'sqlite') return { database: first, vaults: [await open(first), await open(first)] };
	const second = await openDatabase({ url: first.url });
	t.teardown(() => second.close());
	return { database: first, vaults: [await open(first), await open({ ...second, url: first.url })] };
}

function runAs(engine: TransferEngine, id: string, isStreamed = false, numbers = NUMBERS) {
	const written: Buffer[] = [];
	const rows = numbers.map((number) => `${number},12/30,,,\n`).join('');
	const run = engine.run({
		...{
			pass: { id: id as PassId, begunAt: 0 },
			accountId: OWNER,
			direction: 'tokenize',
			filter: 'SIMPLECSV',
			isStreamed,
		},
		options: { eliminateCardDuplication: true },
		source: (async function* () {
			yield Buffer.from(HEAD + rows);
		})(),
		sink: { write: async (bytes) => void written.push(Buffer.from(bytes)) },
		report: { entry: () => undefined },
	});
	return run.then(() => Buffer.concat(written).toString());
}

for (const dialect of databases) {
	test(`${dialect}: cards stored by two daemons at the same moment have one token each`, async (t) => {
		const { database, vaults } = await daemonsOf(t, dialect);
		for (const number of NUMBERS) {
			const stored = await Promise.all([...vaults, ...vaults].map((vault) => storeOnce(vault, number)));
			t.is(new Set(stored.map(({ token }) => token)).size, 1);
			t.is(stored.filter(({ isNew }) => isNew).length, 1);
		}
		t.is((await database.knex('fingerprints')).length, NUMBERS.length);
	});

	test(`${dialect}: of two files with the same cards one is published, and the other finds its tokens`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([...formats.values()] as never);
		const adopt = (id: string) => transact(parts.database, (transaction) => engine.adopt(transaction, [id as PassId]));
		const first = await runAs(engine, 'first');
		await runAs(engine, 'second');
		await adopt('first');
		await t.throwsAsync(adopt('second'), { instanceOf: StoredMeanwhileError });
		await engine.discard('second' as PassId);
		t.is(await runAs(engine, 'second'), first);
		await adopt('second');
		t.is((await parts.database.knex('fingerprints')).length, NUMBERS.length);
	});

	test(`${dialect}: two files with the same cards are not published together, but two with different cards are`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([...formats.values()] as never);
		const adopt = (...ids: string[]) =>
			transact(parts.database, (transaction) => engine.adopt(transaction, ids as PassId[]));
		await runAs(engine, 'first');
		await runAs(engine, 'second');
		await runAs(engine, 'other', false, OTHER_NUMBERS);
		await t.throwsAsync(adopt('first', 'second', 'other'), { instanceOf: StoredMeanwhileError });
		t.is((await parts.database.knex('page_blocks').distinct('pass_id')).length, 3, 'none of them');
		await adopt('first', 'other');
		t.deepEqual(await parts.database.knex('page_blocks').distinct('pass_id').pluck('pass_id'), ['second']);
	});

	test(`${dialect}: a file is not published over a card stored while it was read`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([...formats.values()] as never);
		await runAs(engine, 'file');
		await runAs(engine, 'streamed', true);
		const adopting = transact(parts.database, (transaction) => engine.adopt(transaction, ['file' as PassId]));
		await t.throwsAsync(adopting, { instanceOf: StoredMeanwhileError });
	});

	test(`${dialect}: files that leave as they are read share the tokens of their cards`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([...formats.values()] as never);
		const outputs = await Promise.all(['a', 'b', 'c'].map((id) => runAs(engine, id, true)));
		t.is(new Set(outputs).size, 1);
		t.is((await parts.database.knex('fingerprints')).length, NUMBERS.length);
		t.deepEqual(await parts.database.knex('page_blocks'), []);
	});
}
