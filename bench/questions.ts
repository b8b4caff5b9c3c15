// Measures how long questions about a trail with 1,000,000 entries take, and how fast the trail is written with and
// without the indexes that answer them.

import { join } from 'node:path';
import type { AccountId } from '../src/base/database/ids.ts';
import { type Database, openDatabase } from '../src/base/database/open.ts';
import { migrate } from '../src/base/database/schema.ts';
import { openKeyRing } from '../src/base/keys/key-ring.ts';
import { localRootKey } from '../src/base/keys/providers/local.ts';
import { openAudit } from '../src/trail/audit.ts';
import type { AuditEntry } from '../src/trail/entry.ts';
import { openTrailQuestions, type TrailPage, type TrailQuestion } from '../src/trail/questions/questions.ts';
import { amount, runs } from './amounts.ts';
import { everyListRow } from './every-list.ts';
import { figure, median } from './figures.ts';
import { fillTable } from './fill-table.ts';
import { listRow } from './lists.ts';
import type { BenchPostgres } from './postgres.ts';
import { searchRow } from './search.ts';
import { slowestRow } from './slowest.ts';
import type { BenchRow } from './table.ts';

const ENTRIES = amount('BENCH_ENTRIES', 1_000_000);
const ASKED = 20;
const MUST_MS = 100;
/** The account of half of the entries. */
const ACCOUNT = 1 as AccountId;
/** The entries that are filled in are younger than those that were recorded, because time goes up with the number. */
const BEGUN = Date.now() + 3_600_000;
const RECORDED = 10_000;
const RECORDED_AT_ONCE = 1_000;

export async function questionRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	return [
		...(await measure('sqlite', `sqlite:${join(folder, 'questions.sqlite')}`)),
		...(await measure('postgres', await postgres.createDatabase())),
		await everyListRow('sqlite'),
		await everyListRow('postgres'),
	];
}

async function measure(name: 'sqlite' | 'postgres', url: string): Promise<BenchRow[]> {
	const database = await openDatabase({ url });
	try {
		await migrate(database);
		const keyRing = await openKeyRing({
			database,
			root: localRootKey(Buffer.alloc(32, 7), 'bench'),
			environment: 'sandbox',
		});
		const audit = await openAudit({ database, keyRing });
		const written = await recordingRow(name, database, audit);
		await fill(database);
		const asked = await askingRow(name, database, audit);
		const searched = await searchRow(name, { database, keyRing });
		return [written, asked, searched, await listRow(name, database)];
	} finally {
		await database.close();
	}
}

const CARDS_OF_PAGE = 32;

/** Fills the trail behind the entries that are there. The rows cannot be verified, but they are found as real ones are. */
async function fill({ knex, dialect }: Database): Promise<void> {
	const isPostgres = dialect === 'postgres';
	const hex = (n: string) => (isPostgres ? `lpad(to_hex(${n}), 32, '0')` : `printf('%032x', ${n})`);
	const mixed = '(n * 7919) % 1000003';
	const { seq: last } = (await knex('audit').max({ seq: 'seq' }).first()) as { seq: number };
	const { id } = (await knex('keys').where({ purpose: 'audit' }).first('id')) as { id: number };
	const account = 'case when n % 2 = 0 then 1 else 2 + n % 500 end';
	const columns = {
		seq: `${last} + 1 + n`,
		at: `${BEGUN} + n * 60000`,
		key_id: String(id),
		actor: `case when n % 50 = 7 then 'operator olivia' else 'user-' || (${account}) end`,
		action: `case when n % 10 < 6 then 'card.store' when n % 10 < 8 then 'card.relay' when n % 10 = 8 then 'file.tokenize'
			when n % 20 = 9 then 'sftp.login' when n % 10000 = 19 then 'api-key.create' else 'file.relay' end`,
		subject: `case when n % 10 < 8 then 'token ' || ${hex(`${mixed} / 4`)} else 'job ' || n end`,
		details: `'{"address":"192.0.2.7","credential":"api-key ' || (n % 2000) || '"' ||
			case when n % 10 < 6 then ',"isNew":true' when n % 10 < 8 then ',"profile":"partner-' || (n % 20) || '"'
				when n % 10 = 8 then ',"name":"file-' || n || '.csv"'
				else ',"destination":"bank-' || (n % 30) || '","fileName":"file-' || n || '.csv"' end ||
			',"requestId":"' || ${hex(mixed)} || '"}'`,
		page_id: `case when n % 10 < 8 then ${mixed} / 4 / ${CARDS_OF_PAGE} end`,
		account_id: account,
		by_account_id: `case when n % 10 = 7 then 5 else ${account} end`,
		previous_hash: hex('n'),
		hash: hex('n'),
	};
	await fillTable({ knex }, 'audit', ENTRIES, columns);
	await knex('audit_head').update({ seq: last + ENTRIES });
	if (isPostgres) await knex.raw('vacuum analyze audit');
}

const QUESTIONS: Readonly<Record<string, TrailQuestion & { readonly page?: TrailPage; readonly isOfAccount?: true }>> =
	{
		token: { about: { kind: 'token', id: '0000000000000000000000000000beef' } },
		call: { about: { kind: 'call', id: '0000000000000000000000000000beef' } },
		file: { about: { kind: 'file', name: 'file-500008.csv' } },
		key: { about: { kind: 'api-key', id: 77 } },
		'frequent-actor': { by: { kind: 'operator', name: 'olivia' } },
		profile: { about: { kind: 'profile', name: 'partner-7' } },
		destination: { about: { kind: 'destination', name: 'bank-9' } },
		'frequent-kind': { kinds: ['card.store'] },
		'rare-kind': { kinds: ['api-key.create'] },
		area: { kinds: ['card'] },
		'all-latest': {},
		'all-deep': { page: { before: ENTRIES / 2 } },
		days: { since: BEGUN + (ENTRIES / 2) * 60_000, until: BEGUN + (ENTRIES / 2 + 5_000) * 60_000 },
		account: { isOfAccount: true },
		'account-deep': { isOfAccount: true, page: { after: ENTRIES / 2 } },
		'account-token': { isOfAccount: true, about: { kind: 'token', id: '0000000000000000000000000000beef' } },
		'account-rare-kind': { isOfAccount: true, kinds: ['api-key.create'] },
		'account-frequent-kind': { isOfAccount: true, kinds: ['file.tokenize'] },
		'account-nothing-fits': { isOfAccount: true, kinds: ['sftp.login'], by: { kind: 'account', userId: 'user-1' } },
		'actor-kind-days': {
			by: { kind: 'operator', name: 'olivia' },
			kinds: ['card.store'],
			since: BEGUN + (ENTRIES / 10) * 60_000,
		},
	};

async function askingRow(
	name: string,
	database: Database,
	audit: Awaited<ReturnType<typeof openAudit>>,
): Promise<BenchRow> {
	const pagesOf = async (token: string) => [Math.floor(Number(`0x${token}`) / CARDS_OF_PAGE)];
	const questions = openTrailQuestions({ database, audit, pagesOf });
	const readers = [
		questions.ofInstallation('operator bench'),
		questions.ofAccount({ accountId: ACCOUNT, ownerId: ACCOUNT, userId: 'user-1' }, 'user-1'),
	];
	return slowestRow(
		Object.entries(QUESTIONS).map(([what, { page, isOfAccount, ...question }]) => ({
			what,
			figure: `questions/${name}/${what}`,
			async ask() {
				const { entries, count, isAtLeast } = await readers[isOfAccount ? 1 : 0].ask(question, page);
				return `${entries.length} of ${count}${isAtLeast ? ' or more' : ''}`;
			},
		})),
		{
			of: `questions to ${ENTRIES.toLocaleString('en')} entries of the trail, ${name}`,
			runs: ASKED,
			goal: { must: MUST_MS },
		},
	);
}

async function recordingRow(
	name: string,
	database: Database,
	audit: Awaited<ReturnType<typeof openAudit>>,
): Promise<BenchRow> {
	const rates = { with: [] as number[], without: [] as number[] };
	const { knex } = database;
	const indexes = await indexesOf(database);
	for (let run = 0; run < runs(3); run++) {
		rates.with.push(await rateOf(audit));
		for (const { name } of indexes) await knex.raw(`drop index ${name}`);
		rates.without.push(await rateOf(audit));
		for (const { definition } of indexes) await knex.raw(definition);
	}
	const [withIndexes, without] = [median(rates.with), median(rates.without)];
	return {
		what: `entries of the trail, ${RECORDED_AT_ONCE} at once, ${name}; without the indexes of questions`,
		result: `${Math.round(withIndexes)}/s; ${Math.round(without)}/s`,
		target: '',
		figures: [
			figure(`questions/${name}/recorded`, 'requests/s', rates.with),
			figure(`questions/${name}/recorded-without-indexes`, 'requests/s', rates.without, { larger: 'neither' }),
		],
	};
}

/** Returns the indexes that answer questions, with the statements that make them. */
async function indexesOf({ knex, dialect }: Database): Promise<{ name: string; definition: string }[]> {
	const all = dialect === 'sqlite' ? knex('sqlite_master') : knex('pg_indexes');
	const [name, definition] = dialect === 'sqlite' ? ['name', 'sql'] : ['indexname', 'indexdef'];
	const isOfQuestions = (prefix: string) => [name, 'like', `audit_${prefix}_%`] as const;
	return all
		.where(...isOfQuestions('by'))
		.orWhere(...isOfQuestions('with'))
		.select({ name, definition });
}

let recorded = 0;

async function rateOf(audit: Awaited<ReturnType<typeof openAudit>>): Promise<number> {
	const entry = (n: number): AuditEntry => ({
		actor: {
			userId: 'agency',
			accountId: ACCOUNT,
			credential: 'api-key 7',
			address: '192.0.2.7',
			requestId: `${(n * 7919) % 1_000_003}-of-${n}`,
		},
		action: 'card.store',
		subject: `token ${((n * 104729) % 1_000_003).toString(16).padStart(32, '0')}`,
		details: { isNew: true },
	});
	const startedAt = performance.now();
	for (let n = 0; n < RECORDED; n += RECORDED_AT_ONCE) {
		await Promise.all(Array.from({ length: RECORDED_AT_ONCE }, () => audit.record(entry(recorded++))));
	}
	return (RECORDED / (performance.now() - startedAt)) * 1000;
}
