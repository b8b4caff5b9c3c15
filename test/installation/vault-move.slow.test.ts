// A vault goes to another installation: what comes along, what does not, and what is refused.

import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import { cvvStore } from '../../src/vault/cvvs/cvv-store.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { asJson, json, postCard, storeCard, VISA } from '../helpers/card-calls.ts';
import { decryptFor, encryptFor, exportTo, importFrom, makeReceiver, NOTICED_MS } from '../helpers/vault-moves.ts';

import { MASTERCARD, numberOf, openBoth, storedIn } from './vault-move.setup.ts';

test('a card that was to go with its CVV goes at the same time there', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	const token = await storeCard(here.agency, '?saveCVV=true', { CVV: '123' });
	const { vault, identity, clock } = here.parts;
	const owner = await identity.accounts.get('agency');
	const found = (await vault.find(owner.id, token as Token))!;
	const endsAt = new Date(clock.now().getTime() + 3 * 86_400_000);
	await vault.cvvs.changePolicy(found, (current) => ({ ...current, endsAt, deletesCard: true }));
	const { path } = await exportTo(here.parts, receiver);
	await importFrom(there.parts, receiver, path);
	const { knex, dialect } = there.parts.database;
	t.is(await cvvStore(knex, dialect).countLong(0, 0), 0, 'no CVV is kept longer than any policy allows');
	there.parts.clock.turn(2 * 86_400_000);
	await purgeCvvs(there.parts.vault);
	t.is(await numberOf(there.parts, token), VISA);
	there.parts.clock.turn(2 * 86_400_000);
	await purgeCvvs(there.parts.vault);
	t.is(await numberOf(there.parts, token), undefined);
	t.deepEqual(await storedIn(there.parts), [0, 0]);
});

test('of a file that is damaged, cut off or for somebody else nothing is stored, and the place is told', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	for (let nth = 0; nth < 40; nth++) await postCard(here.agency, `?ref=${'r'.repeat(200)}${nth}`);
	const { path } = await exportTo(here.parts, receiver);
	const whole = readFileSync(path);
	const broken = async (bytes: Buffer) => {
		const file = join(receiver.folder, 'broken.pgp');
		writeFileSync(file, bytes);
		return t.throwsAsync(importFrom(there.parts, receiver, file), undefined);
	};
	const changed = Buffer.from(whole);
	changed[whole.length - 100] ^= 1;
	const cut = path.replace('.pgp', '-cut.pgp');
	writeFileSync(cut, whole);
	truncateSync(cut, whole.length - 500);
	for (const error of [await broken(changed), await t.throwsAsync(importFrom(there.parts, receiver, cut))]) {
		t.regex(error.message, /was cut or changed on its way, so nothing of it is used/);
		t.true((error as unknown as { at: { line: number } }).at.line > 1, 'the line up to which it could be read');
	}
	t.regex((await broken(Buffer.from('not encrypted'))).message, /not an encrypted OpenPGP message/);
	const other = await makeReceiver(receiver.folder);
	const wrong = await t.throwsAsync(importFrom(there.parts, other, path));
	t.regex(wrong.message, /encrypted for other keys than receiver/);
	await t.throwsAsync(importFrom(there.parts, receiver, path, { environment: 'production' }), {
		message: /it is of the sandbox, and this is the production/,
	});
	t.deepEqual(await storedIn(there.parts), [0, 0]);
	t.deepEqual(await there.parts.database.knex('page_blocks'), []);
	t.like(await importFrom(there.parts, receiver, path), { stored: 40 });
});

test('what is no whole export is refused with its line', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	await storeCard(here.agency);
	const text = await decryptFor(receiver, (await exportTo(here.parts, receiver)).path);
	const [first, record, last] = text.trim().split('\n');
	const refused: [string[], RegExp, number | undefined][] = [
		[[first, record], /its last line is missing/, 2],
		[[first, last], /it has 0 records, and its end says 1/, 2],
		[[record, last], /does not begin as an export/, 1],
		[[first, record, last, record], /more behind the last line/, 4],
		[[first, first, record, last], /a second export begins in the middle/, 2],
		[[first.replace('"layout":1', '"layout":2'), record, last], /layout 2, which a later version wrote/, 1],
		[[first.replace('"agency"', '"nobody"'), record, last], /there is no primary account nobody here/, 1],
		[['x'.repeat(1_100_000)], /a line is longer than 1048576 bytes/, 1],
	];
	for (const [lines, message, line] of refused) {
		const path = await encryptFor(receiver, 'edited.pgp', lines.join('\n'));
		const error = await t.throwsAsync(importFrom(there.parts, receiver, path), { message });
		t.is((error as unknown as { at?: { line: number } }).at?.line, line);
	}
	t.deepEqual(await storedIn(there.parts), [0, 0]);
});

test('records with problems are told line by line, and nothing is stored unless they are to be left out', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	const tokens = [await storeCard(here.agency), await storeCard(here.agency), await storeCard(here.agency)];
	const text = await decryptFor(receiver, (await exportTo(here.parts, receiver)).path);
	const [first, one, two, three, last] = text.trim().split('\n');
	const edited = [
		one,
		two.replace(VISA, '4111111111111112'),
		three.replace('"account":"agency"', '"account":"stranger"'),
		one,
		one.replace(tokens[0], 'f'.repeat(31)),
		one.replace(tokens[0], `${'1'.repeat(12)}${tokens[0].slice(12)}`),
		'{"token":',
		three.replace('"kind":"card"', '"kind":"card","more":1'),
		three.replace('"kind":"card"', '"kind":"card","merchants":["gone"]'),
		three.replace('"kind":"card"', `"kind":"card","references":["${VISA}"]`),
	];
	const lines = [first, ...edited, last.replace('3', String(edited.length))];
	const path = await encryptFor(receiver, 'edited.pgp', lines.join('\n'));
	const judged = await importFrom(there.parts, receiver, path);
	t.deepEqual(
		judged.told.map(({ line, problem }) => `${line}: ${problem}`),
		[
			'3: number: Luhn (Mod10) error',
			'4: the first line does not name its account',
			'5: the file has its token twice',
			'6: its member token is missing or wrong',
			'7: its token has twelve digits in a row',
			'8: it is not JSON',
			'9: it has a member that this version does not know',
			'10: the account gone, which may use it, is not here',
			'11: a reference looks like a card number',
		],
	);
	t.false(JSON.stringify(judged).includes('411111'));
	t.like(judged, { isStored: false, stored: 0, problems: 9 });
	t.deepEqual(await storedIn(there.parts), [0, 0]);
	t.like(await importFrom(there.parts, receiver, path, { leavesOut: true }), {
		stored: 1,
		problems: 9,
		isStored: true,
	});
	there.parts.clock.turn(NOTICED_MS);
	t.is(await numberOf(there.parts, tokens[0]), VISA);
	t.is(await numberOf(there.parts, tokens[1]), undefined);
});

test('a token that leads to something else there, or was deleted there, is a problem', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	const [kept, deleted] = [await storeCard(here.agency), await storeCard(here.agency)];
	const { path } = await exportTo(here.parts, receiver);
	await here.agency.inject('DELETE', `/api/payments/paycard/${deleted}`, asJson);
	const back = await importFrom(here.parts, receiver, path);
	t.like(back, { present: 1, stored: 0, isStored: false });
	t.deepEqual(
		back.told.map(({ token, problem }) => [token, problem]),
		[[deleted, 'this installation made its token, and the card was deleted since']],
	);
	const text = await decryptFor(receiver, path);
	const other = await encryptFor(
		receiver,
		'other.pgp',
		text
			.replaceAll('"findable"', '"name":"X","findable"')
			.replaceAll(VISA, MASTERCARD)
			.replaceAll('"Visa"', '"MasterCard"'),
	);
	t.like(await importFrom(there.parts, receiver, other), { stored: 2 });
	const clash = await importFrom(there.parts, receiver, path);
	t.deepEqual(
		clash.told.map(({ token, problem }) => [token, problem]),
		[kept, deleted].map((token) => [token, 'its token leads to something else here']),
	);
});

test('a trial stores nothing, and only one import runs at a time', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	await storeCard(here.agency);
	const { path } = await exportTo(here.parts, receiver);
	t.like(await importFrom(there.parts, receiver, path, { isTrial: true }), { records: 1, stored: 0, isStored: false });
	t.deepEqual(await storedIn(there.parts), [0, 0]);
	const [one, other] = await Promise.allSettled([
		importFrom(there.parts, receiver, path),
		importFrom(there.parts, receiver, path),
	]);
	t.is(one.status, 'fulfilled');
	t.regex(String((other as PromiseRejectedResult).reason), /another import of a vault is under way/);
	t.deepEqual(await storedIn(there.parts), [1, 1]);
});

test('a table for a payment provider has a card a line, with no CVV and no line within', async (t) => {
	const { here, receiver } = await openBoth(t);
	const name = '=Ann, "Quick"';
	const token = await storeCard(here.agency, '?ref=trip&saveCVV=true', {
		CVV: '123',
		NameOnCard: name,
		OwnerID: 'guest 7',
	});
	const block = await here.agency.inject('POST', '/api/datablocks', json({ Payload: 'not a card' }));
	t.true(block.statusCode < 300, block.body);
	const exported = await exportTo(here.parts, receiver, { userIds: ['agency'], format: 'csv' });
	t.like(exported, { records: 1, notInFormat: 1 });
	const text = await decryptFor(receiver, exported.path);
	const [row, ...more] = parse(text, { columns: true }) as Record<string, string>[];
	t.deepEqual(more, []);
	t.like(row, {
		token,
		card_number: VISA,
		expiration_month: '04',
		expiration_year: '2030',
		card_holder_name: `'${name}`,
		card_type: 'Visa',
		customer_id: 'guest 7',
		reference: 'trip',
		account: 'agency',
	});
	t.false(text.includes('123,'));
	await t.throwsAsync(exportTo(here.parts, receiver, { userIds: ['nobody'] }));
});
