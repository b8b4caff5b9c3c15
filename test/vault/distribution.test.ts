// The tables that grow with every card may be spread over servers, each row by its page. These are the rules that make that
// possible; they hold on any PostgreSQL. Every unique key has the page, and a statement that works on one card says on which
// page it is. The others are named here, each with the reason for which it may ask all servers.

import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { formats } from '../../formats/index.ts';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { DISTRIBUTED_TABLES } from '../../src/base/database/postgres/citus.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const COLUMNS: Readonly<Record<string, string>> = DISTRIBUTED_TABLES;
const TABLES = Object.keys(COLUMNS);

const [OWNER, OTHER] = [1, 2] as AccountId[];

/** What statements begin with that may ask all servers, each with the reason. */
const MAY_ASK_ALL: Readonly<Record<string, string>> = {
	'select f.fingerprint, p.id,': 'whether a card is there already is asked by its fingerprint, before there is a page',
	'select distinct b.first, b.last from page_blocks': 'the list leaves out blocks in which the account has pages',
	'select * from pages where account_id = $1 and kind = $2 and id > $3 and id <= $4':
		'the list goes through an account',
	'select r . page_id , r . slot from token_refs': 'a card is asked for by its reference',
	'select r . reference , r . page_id , r . slot from token_refs': 'cards are searched by the beginning of a reference',
	'select page_id, count, running from (select': 'the list of a merchant goes through all that others let it use',
	'select b.pass_id as id, min(f.account_id)': 'which account a pass belongs to is read from its pages, once a file',
	'select ends_at , page_id , slot from cvvs where ends_at <= $1':
		'CVVs that ended are looked for everywhere, once a minute',
};

/** Collects the text of each statement of the connections that are opened from now on. */
function collectStatements(t: ExecutionContext): Set<string> {
	const found = new Set<string>();
	const { query } = pg.Client.prototype;
	pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
		const [statement] = given as [string | { text?: string }];
		const text = String(typeof statement === 'string' ? statement : statement?.text);
		found.add(text.replaceAll(/[\s"]+/g, ' ').replaceAll(/(\$\d+, ?)+\$\d+/g, '$n'));
		return Reflect.apply(query, this, given);
	} as never;
	t.teardown(() => {
		pg.Client.prototype.query = query;
	});
	return found;
}

/** Returns the spread tables that a statement reads or writes. */
function spreadIn(sql: string): string[] {
	return TABLES.filter((table) => new RegExp(`\\b(from|join|into|update) ${table}\\b`).test(sql));
}

/** Tells whether a statement says on which pages it works: by a value, or in the rows that it inserts. */
function namesPage(sql: string): boolean {
	const columns = spreadIn(sql).map((table) => COLUMNS[table]);
	return columns.every((column) =>
		new RegExp(
			`\\b${column} (= (any ?\\()?\\$|in \\(\\$)|insert into \\w+ \\([^)]*\\b${column}\\b|\\(${column}, slot\\) in`,
		).test(sql),
	);
}

if (databases.includes('postgres')) {
	test('every unique key of a table that is spread has the page', async (t) => {
		const { database } = await openVaultParts(t, 'postgres');
		const { rows } = await database.knex.raw(
			`select c.relname as table, i.relname as index, array_agg(a.attname::text) as columns
			 from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
			 join pg_attribute a on a.attrelid = c.oid and a.attnum = any(x.indkey)
			 where x.indisunique and c.relname = any(?) group by 1, 2`,
			[TABLES],
		);
		const found = new Set(rows.map(({ table }: { table: string }) => table));
		t.deepEqual([...found].sort(), [...TABLES].sort());
		for (const { table, index, columns } of rows) t.true(columns.includes(COLUMNS[table]), `${index}: ${columns}`);
	});

	test('what the vault asks of these tables names the page, but for what is listed', async (t) => {
		const found = collectStatements(t);
		const parts = await openVaultParts(t, 'postgres');
		const { vault } = parts;
		const order = { accountId: OWNER, creatorId: OWNER };
		const card = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };
		found.clear();
		const whole = { ...order, card, reference: 'order', merchantId: OTHER, cvv: new Cvv('123') };
		const { token } = await vault.store(whole);
		const again = await vault.store({ ...order, card, eliminatesDuplicates: true });
		await vault.find(OWNER, token);
		await vault.find(OTHER, token);
		await vault.findMetadata(OWNER, token);
		await vault.list(OWNER, { from: 0, num: 10 });
		await vault.list(OWNER, { from: 0, num: 10, reference: 'order' });
		await vault.list(OWNER, { from: 0, num: 10, merchantId: OTHER });
		await vault.listByReference(OWNER, 'order', 5);
		await vault.attach(OWNER, again.token, { reference: 'later', cvv: new Cvv('456') });
		await vault.associate(OWNER, again.token, OTHER);
		await vault.dissociate(OWNER, token, OTHER);
		await vault.remove(OWNER, token);
		const bytes = Buffer.from('CardNumber,ExpirationMonth,ExpirationYear,CVV\n5555555555554444,12,2029,123\n');
		const engine = parts.engine([formats.get('SIMPLECSV')! as never]);
		await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'tokenize', bytes });
		await vault.list(OWNER, { from: 0, num: 10 });
		parts.clock.turn(400 * 86_400_000);
		await purgeCvvs(vault);
		const statements = [...found];
		t.true(statements.length > 30);
		for (const sql of statements) {
			t.notRegex(sql, /returning set_config/, 'no function that changes a setting in what an insert returns');
			t.notRegex(sql, /from page_blocks \w+ where exists \(select 1 from pages/);
		}
		const all = statements.filter((sql) => spreadIn(sql).length > 0);
		const unnamed = all.filter((sql) => !namesPage(sql));
		const allowed = Object.keys(MAY_ASK_ALL);
		for (const sql of unnamed)
			t.true(
				allowed.some((begin) => sql.startsWith(begin)),
				sql,
			);
		for (const begin of allowed)
			t.true(
				unnamed.some((sql) => sql.startsWith(begin)),
				`nothing asks ${begin}`,
			);
		t.true(all.length > unnamed.length);
	});
}
