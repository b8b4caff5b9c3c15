import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { JobId, PassId } from '../../src/base/database/ids.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { transferEngine } from '../../src/engine/engine.ts';
import { openLedgers } from '../../src/work/ledger/ledger.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';

const ID = '01pass' as PassId;
const EARLIER = '00pass' as PassId;
const JOB = '00job' as JobId;
const FILE = 'CardNumber,ExpirationDate\n4111111111111111,12/30\n5555555555554444,12/30\n';
const RESULT = { cards: 2, others: { filter: 'SIMPLECSV', otherNumbers: 1 } };

/** Opens the ledger of a pass whose two cards are stored in the vault but not counted yet. */
async function openPass(
	t: ExecutionContext,
	dialect: Dialect,
	kind: 'stream' | 'batch' | 'job' = 'stream',
	runId = ID,
) {
	const parts = await openIdentityParts(t, dialect);
	const { database, identity, audit } = parts;
	const { principal } = await createAccount(parts, 'payer', { allowanceLimit: 10 });
	const { accountId, ownerId } = principal;
	const accounts = {
		getAccount: async () => ({ accountId, ownerId, hasCvvRetention: false }),
		resolveMerchant: async () => accountId,
	};
	const engine = transferEngine({ ...parts, formats, accounts });
	await engine.run({
		...{
			pass: { id: runId, ...(kind === 'job' ? { jobId: JOB } : { begunAt: 1 }) },
			accountId,
			direction: 'tokenize',
			filter: 'SIMPLECSV',
			options: {},
		},
		source: (async function* () {
			yield Buffer.from(FILE);
		})(),
		sink: { write: async () => {} },
		report: { entry: () => undefined },
	});
	const errors: string[] = [];
	const ledgers = openLedgers({
		...{ database, engine, audit, allowance: identity.allowance },
		logger: { error: (_: object, text: string) => errors.push(text), warn: () => {} } as never,
	});
	const ledger = ledgers.open({
		...{
			kind,
			id: ID,
			job: kind === 'job' ? { id: JOB, requireOurs: async () => {} } : undefined,
			payer: principal,
			storesCards: true,
			details: { filter: 'SIMPLECSV' },
		},
		...{ actor: 'payer', subject: `stream ${ID}`, action: 'file.tokenize' },
	});
	const count = async (table: string) => (await database.knex(table)).length;
	const left = async () => ({
		used: (await identity.allowance.findUsage(ownerId))?.used,
		pages: await count('pages'),
		blocks: await count('page_blocks'),
	});
	const trail = async (): Promise<[string, unknown][]> => {
		const rows = await database
			.knex('audit')
			.where({ subject: `stream ${ID}` })
			.orderBy('seq');
		return rows.map(({ action, details }) => [action, JSON.parse(details)]);
	};
	const spend = (units: number) => identity.allowance.count({ ownerId }, units);
	return { ledgers, ledger, left, trail, errors, audit, engine, spend, database };
}

for (const dialect of databases) {
	test(`${dialect}: at the end of a pass its pages count, its account has paid and the trail has it`, async (t) => {
		const { ledger, left, trail } = await openPass(t, dialect);
		await ledger.begin();
		t.deepEqual(await left(), { used: 0, pages: 1, blocks: 1 });
		await ledger.end(RESULT);
		t.deepEqual(await left(), { used: 2, pages: 1, blocks: 0 });
		t.deepEqual(await trail(), [
			['file.tokenize.begin', { filter: 'SIMPLECSV' }],
			['file.tokenize', { filter: 'SIMPLECSV', cards: 2, isWhole: true }],
			['file.other-numbers', { filter: 'SIMPLECSV', otherNumbers: 1 }],
		]);
	});

	test(`${dialect}: an end that the trail cannot take changes nothing`, async (t) => {
		const { ledger, left, trail, audit } = await openPass(t, dialect);
		audit.recordAll = async () => {
			throw new Error('the trail is away');
		};
		await t.throwsAsync(ledger.end(RESULT), { message: 'the trail is away' });
		t.deepEqual(await left(), { used: 0, pages: 1, blocks: 1 });
		t.deepEqual(await trail(), []);
	});

	test(`${dialect}: of a broken pass the pages go, and what was kept is paid for and told`, async (t) => {
		const { ledger, left, trail } = await openPass(t, dialect);
		await ledger.endBroken({ cards: 1 });
		t.deepEqual(await left(), { used: 1, pages: 0, blocks: 0 });
		t.deepEqual(await trail(), [['file.tokenize', { filter: 'SIMPLECSV', cards: 1, isWhole: false }]]);
	});
}

for (const dialect of databases) {
	test(`${dialect}: an account that has used up its allowance begins no pass, and the pages of a stream stay`, async (t) => {
		const { ledger, left, trail, spend } = await openPass(t, dialect);
		await ledger.ask();
		await spend(10);
		const refusal = await t.throwsAsync<ServiceError>(ledger.ask(), { instanceOf: ServiceError });
		t.deepEqual([refusal!.reason, refusal!.moreInfo], ['allowance-exceeded', null], 'over HTTP as it is specified');
		t.deepEqual(await left(), { used: 10, pages: 1, blocks: 1 });
		t.deepEqual(await trail(), []);
	});

	test(`${dialect}: a job begins by dropping what an earlier attempt left, and its refusal says what to do`, async (t) => {
		const { ledger, left, trail, spend } = await openPass(t, dialect, 'job', EARLIER);
		await spend(10);
		const refusal = await t.throwsAsync<ServiceError>(ledger.begin());
		t.regex(refusal!.moreInfo!, /used up: 10 of 10 units, 0 left/);
		// On PostgreSQL the ids stay reserved, because another daemon may still write pages under them.
		t.deepEqual(await left(), { used: 10, pages: 0, blocks: dialect === 'postgres' ? 1 : 0 });
		t.deepEqual(await trail(), [], 'the entry of a job is that of its end');
	});

	test(`${dialect}: a job ends in the transaction that publishes it, and with it or not at all`, async (t) => {
		const { ledgers, ledger, left, trail, database } = await openPass(t, dialect, 'job');
		const publish = (fails: boolean) =>
			transact(database, async (transaction) => {
				await ledgers.end([ledger.endOf(RESULT)], transaction);
				if (fails) throw new Error('the output cannot be written');
			});
		await t.throwsAsync(publish(true));
		t.deepEqual([await left(), await trail()], [{ used: 0, pages: 1, blocks: 1 }, []]);
		await publish(false);
		t.deepEqual(await left(), { used: 2, pages: 1, blocks: 0 });
		t.deepEqual((await trail())[0], ['file.tokenize', { filter: 'SIMPLECSV', cards: 2 }]);
	});

	test(`${dialect}: units that were taken while a pass went on are not paid again, and those of a broken one stay paid`, async (t) => {
		const { ledger, left } = await openPass(t, dialect, 'batch');
		t.is(await ledger.takeUnits!(2), 2);
		t.deepEqual((await left()).used, 2);
		await ledger.end(RESULT);
		t.deepEqual((await left()).used, 2);
		t.is(await ledger.takeUnits!(20), 8, 'as many as are left');
	});
}

test('the broken end of a pass never fails, and pages that could not be dropped do not count', async (t) => {
	const { ledger, left, errors, audit, engine } = await openPass(t, 'sqlite');
	engine.discard = async () => {
		throw new Error('away');
	};
	await ledger.endBroken({ cards: 1 });
	t.deepEqual(await left(), { used: 1, pages: 1, blocks: 1 });
	audit.recordAll = engine.discard as never;
	await ledger.endBroken({ cards: 1 });
	t.deepEqual(errors, [
		'pages of a broken stream stay for now',
		'pages of a broken stream stay for now',
		'the end of a broken stream is not in the audit trail',
	]);
	t.is((await left()).used, 1);
});
