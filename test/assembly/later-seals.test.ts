// Some tables got seals only in a later version. Rows from before are sealed once, at the first start of that version, and
// nobody can bring this about a second time.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import type { RowShape } from '../../src/base/keys/rows/row-seals.ts';
import { noteSealed } from '../../src/base/keys/rows/sealed-tables.ts';
import { adoptRows } from '../../src/installation/opening/adopt-rows.ts';
import { sealedFormerEnds } from '../../src/installation/opening/former-ends.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { sealedAccounts } from '../../src/people/identity/sealed-rows.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { mergedOptions, putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { sealedFormatOptions } from '../../src/work/jobs/sealed-rows.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { sealedDestinations } from '../../src/work/relay/sealed-rows.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import { forgetSealedTables } from '../helpers/older-trail.ts';

const OWN = { accountId: 7 as AccountId, filter: 'GBT' };
const THIEF = JSON.stringify({ merchantId: 'thief' });

async function openRooms(t: ExecutionContext, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const root = localRootKey(randomBytes(32), 'test');
	const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
	return { database, keyRing, audit: await openAudit({ database, keyRing }) };
}

type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Makes the installation one of the version before: its first entry names no tables, and two tables have no seals. */
async function becomeOlder({ database: { knex }, keyRing, audit }: Rooms) {
	await forgetSealedTables({ knex }, keyRing);
	for (const table of ['format_options', 'jobs']) await knex(table).update({ seal: null, seal_key: null });
	if (!(await audit.verify()).isWhole) throw new Error('the trail of before is not whole');
}

for (const dialect of databases) {
	test(`${dialect}: options and jobs of the version before get their seals at the first start, and at no other`, async (t) => {
		const rooms = await openRooms(t, dialect);
		const { knex } = rooms.database;
		t.is(await adoptRows(rooms), undefined, 'a new installation has them from the beginning');
		await putFormatOptions(rooms, OWN, { onRefused: 'mask' }, () => {});
		await becomeOlder(rooms);
		t.deepEqual(await Promise.all([adoptRows(rooms), adoptRows(rooms)]).then((all) => all.sort()), [1, undefined]);
		t.deepEqual(await mergedOptions(rooms, OWN), { onRefused: 'mask' });
		t.is(await adoptRows(rooms), undefined);
		const entries = await knex('audit').where({ action: 'integrity.adopt' });
		t.deepEqual(
			entries.map(({ details }) => JSON.parse(details)),
			[
				{
					rows: 1,
					despiteTrail: false,
					tables: 'format_options,jobs,generations,secrets,portal_totp,gateway_credentials',
				},
			],
		);

		// Somebody without keys writes rows, and removes the notes and entries which say that the table has its seals already.
		await knex('format_options').update({ options: THIEF, seal: null, seal_key: null });
		t.is(await adoptRows(rooms), undefined);
		await t.throwsAsync(mergedOptions(rooms, OWN), { message: /options of folder GBT/ });
		const notes = await knex('sealed_tables');
		await knex('sealed_tables').where({ name: 'format_options' }).delete();
		const LOST = { message: /rows of `format_options` have lost their seals: the audit trail says that they had them/ };
		await t.throwsAsync(adoptRows(rooms), LOST);
		await knex('audit').where({ action: 'integrity.adopt' }).delete();
		await t.throwsAsync(adoptRows(rooms), { message: /`format_options` .* and the audit trail is broken/ });
		await knex('audit').insert(entries);
		await knex('sealed_tables').insert({ ...notes[0], name: 'format_options', adopted_at: 1 });
		await t.throwsAsync(adoptRows(rooms), LOST, 'a note of theirs is none');
		await t.throwsAsync(mergedOptions(rooms, OWN), { message: /options of folder GBT/ });

		// The tables are accepted again if the notes are put back from a backup, or if an operator has looked through the rows.
		await knex('sealed_tables').delete();
		await knex('sealed_tables').insert(notes);
		t.is(await adoptRows(rooms), undefined);
		await knex('sealed_tables').delete();
		t.is(await adoptRows(rooms, { actor: 'operator test', despiteTrail: true }), 1);
		t.is(await adoptRows(rooms), undefined);
	});

	test(`${dialect}: seals of the version before, which cover no generations, are replaced if they match`, async (t) => {
		const rooms = await openRooms(t, dialect);
		const { database, keyRing } = rooms;
		const { knex } = database;
		await forgetSealedTables({ knex }, keyRing);
		const sealer = await keyRing.seals.sealer();
		const asBefore = <Row extends object>({ former, ...shape }: RowShape, row: Row) => ({
			...row,
			...sealer.seal({ ...shape, columns: former?.generations ?? shape.columns }, row),
		});
		const options = (filter: string) => ({ account_id: 7, filter, options: '{"onRefused":"mask"}', updated_at: 5 });
		await knex('format_options').insert(asBefore(sealedFormatOptions, options('GBT')));
		const account = { user_id: 'agency', kind: 'primary', parent_id: null, cvv_retention: false, created_at: 1 };
		const [good] = await knex('accounts')
			.insert({ ...account, allowance_used: 0 })
			.returning('*');
		await knex('accounts').update(asBefore(sealedAccounts, good));
		const forged = { ...good, id: good.id + 1, user_id: 'thief', parent_id: good.id, kind: 'sub-user' };
		await knex('accounts').insert(forged);
		const key = { kind: 'api-key', credential_id: 3, created_at: 2, version: 4, at: 9 };
		await knex('ended_credentials').insert(asBefore(sealedFormerEnds, key));
		await knex('ended_credentials').insert({ ...asBefore(sealedFormerEnds, key), credential_id: 4 });
		const formerEndsFile = join(makeFolder(t), 'ended-credentials.jsonl');
		const { seal, ...line } = asBefore(sealedFormerEnds, { ...key, credential_id: 5 });
		writeFileSync(formerEndsFile, `${JSON.stringify({ ...line, seal: seal.toString('base64') })}\n{"kind":"api-k`);

		t.is(await adoptRows({ ...rooms, formerEndsFile }), 2);
		const { accounts } = openIdentity({ ...rooms, environment: 'sandbox' });
		t.is((await accounts.findById(good.id))?.userId, 'agency');
		t.is(await accounts.find('thief'), undefined);
		t.deepEqual(await mergedOptions(rooms, OWN), { onRefused: 'mask' });
		const ended = await knex('ended_rows').orderBy('row_id');
		t.deepEqual(
			ended.map(({ name, row_id, generation }) => `${name} ${row_id} ${generation}`),
			['api_keys 3 5', 'api_keys 5 5'],
		);
		// A copy from before, whose seal is of the version before, is no valid row any more.
		await knex('accounts').where({ id: good.id }).update(asBefore(sealedAccounts, good));
		t.is(await accounts.findById(good.id), undefined);
		t.is(await adoptRows(rooms), undefined);
	});

	test(`${dialect}: seals of the version before, which cover no secrets, are replaced if they match`, async (t) => {
		const rooms = await openRooms(t, dialect);
		const { database, keyRing } = rooms;
		const { knex } = database;
		await forgetSealedTables({ knex }, keyRing);
		await keyRing.seals.transact(database, (transaction, sealer) =>
			noteSealed(transaction, sealer, ['format_options', 'jobs', 'generations'], 1),
		);
		const destinations = openDestinations(rooms);
		const owner = { accountId: 7 as AccountId, userId: 'agency' };
		const put = (name: string) =>
			destinations.put(owner, parseDestination(`name: ${name}\nhost: a.example\nuserName: a\npassword: p\n`), 'daemon');
		for (const name of ['bank', 'forged', 'older']) await put(name);
		const sealer = await keyRing.seals.sealer();
		const former = (name: keyof NonNullable<RowShape['former']>) => ({
			...sealedDestinations,
			columns: sealedDestinations.former![name]!,
		});
		for (const [name, shape] of [
			['bank', former('secrets')],
			['older', former('generations')],
		] as const) {
			const row = await knex('destinations').where({ name }).first();
			await knex('destinations').where({ name }).update(sealer.seal(shape, row));
		}
		await knex('destinations').where({ name: 'forged' }).update({ host: 'b.example', seal: null });
		t.is(await adoptRows(rooms), 1);
		const partner = (name: string) => destinations.getPartner(7 as AccountId, name);
		t.is((await partner('bank')).partner.password?.reveal(), 'p');
		await t.throwsAsync(partner('forged'));
		// Seals of the version before generations were replaced at an earlier start, and are no good ones any more.
		await t.throwsAsync(partner('older'));
		t.is(await adoptRows(rooms), undefined);
	});

	test(`${dialect}: rows of a new installation are never taken for those of a version before`, async (t) => {
		const rooms = await openRooms(t, dialect);
		const { knex } = rooms.database;
		await knex('format_options').insert({ account_id: 7, filter: 'GBT', options: THIEF, updated_at: 1 });
		t.is(await adoptRows(rooms), undefined);
		await knex('sealed_tables').delete();
		await t.throwsAsync(adoptRows(rooms), {
			message: /rows of `format_options` and `jobs` and `generations` and `secrets` and .* have lost their seals/,
		});
	});

	test(`${dialect}: what says that tables were adopted moves to a new key like every other row`, async (t) => {
		const rooms = await openRooms(t, dialect);
		await rooms.keyRing.rotate('seal');
		t.is(await adoptRows(rooms), undefined);
		const { resealShape } = await import('../../src/base/keys/rows/reseal-rows.ts');
		const { sealedTables } = await import('../../src/installation/keys/sealed-tables.ts');
		for (const shape of sealedTables) for await (const _ of resealShape(rooms, shape, async () => undefined));
		const keys = await rooms.database.knex('sealed_tables').distinct('seal_key');
		t.deepEqual(keys, [{ seal_key: (await rooms.keyRing.current('seal')).id }]);
		t.is(await adoptRows(rooms), undefined);
	});
}
