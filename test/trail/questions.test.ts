// Checks which entries answer a question about the trail, who may see which, and that the reading is itself recorded.

import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { actorOf } from '../../src/people/identity/principal.ts';
import type { AuditEntry } from '../../src/trail/entry.ts';
import { questionStore } from '../../src/trail/questions/question-store.ts';
import { openTrailQuestions, type TrailAnswer, type TrailReader } from '../../src/trail/questions/questions.ts';
import { placesOf, type TrailObject } from '../../src/trail/questions/trail-object.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { createAccount, HOUR_MS, openIdentityParts } from '../helpers/identity-parts.ts';

const DAY_MS = 24 * HOUR_MS;
const TOKEN = 'a054d362051545afd3f6f25107776579';
const PAGE = 70_000;

async function open(t: ExecutionContext<unknown>, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	const agency = await createAccount(parts, 'agency');
	const hotel = await createAccount(parts, 'hotel');
	const desk = await createAccount(parts, 'desk', { kind: 'sub-user', parent: 'agency' });
	const questions = openTrailQuestions({ ...parts, pagesOf: async () => [PAGE, PAGE + 1] });
	const of = ({ principal }: typeof agency) => questions.ofAccount(principal, actorOf(principal));
	const record = (...entries: AuditEntry[]) =>
		entries.reduce((before, entry) => before.then(() => parts.audit.record(entry)), Promise.resolve());
	return { parts, questions, record, agency, hotel, desk, of, operator: questions.ofInstallation('operator olivia') };
}

const subjects = ({ entries }: TrailAnswer) => entries.map(({ action, subject }) => `${action} ${subject}`);
/** Asks and leaves out the entries about the asking itself. */
const about = async (reader: TrailReader, ...asked: Parameters<TrailReader['ask']>) => {
	const answer = await reader.ask(...asked);
	return subjects(answer).filter((text) => !text.startsWith('audit.read'));
};

for (const dialect of databases) {
	test(`who saw a card: every entry about its token, with who, when, from where and by which call (${dialect})`, async (t) => {
		const { record, agency, hotel, operator } = await open(t, dialect);
		const caller = { ...agency.principal, address: '192.0.2.7', requestId: 'one-call' };
		const shop = { ...hotel.principal, address: '198.51.100.9' };
		const subject = `token ${TOKEN}`;
		const account = agency.principal.ownerId;
		await record(
			{ actor: actorOf(caller), action: 'card.store', subject, account },
			{ actor: actorOf(caller), action: 'card.store', subject: 'token of another card', account },
			{ actor: actorOf(shop), action: 'card.relay', subject, page: PAGE, account, details: { host: 'pms.example' } },
			{ actor: actorOf(shop), action: 'card.relay', subject: 'token of another card', page: PAGE, account },
		);
		const { entries, count, isAtLeast, older, newer } = await operator.ask({ about: { kind: 'token', id: TOKEN } });
		t.like({ count, isAtLeast, older, newer }, { count: 2, isAtLeast: false, older: undefined, newer: undefined });
		t.like(entries[1], {
			actor: 'agency',
			action: 'card.store',
			subject,
			details: {},
			origin: { credential: `api-key ${agency.apiKey.id}`, address: '192.0.2.7', call: 'one-call' },
		});
		t.regex(entries[1].at, /^2026-/);
		t.like(entries[0], { actor: 'hotel', details: { host: 'pms.example' }, origin: { address: '198.51.100.9' } });
		const [called] = (await operator.ask({ about: { kind: 'call', id: 'one-call' } })).entries;
		t.is(called.subject, 'token of another card');
	});

	test(`an account sees what it owns and what it did, and of others only who it was (${dialect})`, async (t) => {
		const { record, agency, hotel, desk, of, parts } = await open(t, dialect);
		const [subject, account] = [`token ${TOKEN}`, agency.principal.ownerId];
		const shop = { ...hotel.principal, address: '198.51.100.9' };
		const operator = {
			userId: 'operator olivia',
			credential: 'portal-user 1',
			person: 'olivia@td.example',
			address: '203.0.113.1',
		};
		await record(
			{ actor: actorOf(agency.principal), action: 'card.store', subject, account },
			{ actor: actorOf(shop), action: 'card.relay', subject, account },
			{ actor: actorOf(desk.principal), action: 'card.delete', subject },
			{ actor: actorOf(hotel.principal), action: 'card.store', subject: 'token of the hotel' },
			{ actor: operator, action: 'account.block', subject: 'account agency' },
			{ actor: 'daemon', action: 'file.failed', subject: 'job 1', account: { within: desk.principal.accountId } },
			{ actor: 'daemon', action: 'portal-user.add', subject: 'portal-user 9', details: { account: 'desk' } },
			{ actor: 'unknown', action: 'login.failed', subject: 'account unknown' },
		);
		const ofCard = { about: { kind: 'token', id: TOKEN } } as const;
		t.deepEqual(await about(of(agency), ofCard), [
			`card.delete ${subject}`,
			`card.relay ${subject}`,
			`card.store ${subject}`,
		]);
		t.deepEqual(await about(of(hotel), ofCard), [`card.relay ${subject}`]);
		t.deepEqual(await about(of(desk), ofCard), [`card.delete ${subject}`]);
		const all = await of(agency).ask({});
		const kinds = (list: TrailAnswer) =>
			list.entries
				.map(({ action }) => action)
				.filter((action) => !action.startsWith('audit.') && !action.includes('create'));
		t.deepEqual(kinds(all), [
			...['portal-user.add', 'file.failed', 'account.block', 'card.delete', 'card.relay', 'card.store'],
		]);
		t.deepEqual(kinds(await of(hotel).ask({})), ['card.store', 'card.relay']);
		t.deepEqual(kinds(await of(desk).ask({})), ['card.delete']);
		const [byOperator, byShop] = ['account.block', 'card.relay'].map(
			(wanted) => all.entries.find(({ action }) => action === wanted)!,
		);
		t.like(byOperator, { actor: 'operator olivia', origin: {} });
		t.like(byShop, { actor: 'hotel', origin: {} });
		t.deepEqual([byOperator.origin, byShop.origin], [{}, {}]);
		const theirs = (await of(hotel).ask(ofCard)).entries.find(({ action }) => action === 'card.relay')!;
		t.is(theirs.origin.address, '198.51.100.9');
		t.deepEqual(await parts.audit.verify().then(({ isWhole }) => isWhole), true);
	});

	test(`whoever writes an account into an entry is found out (${dialect})`, async (t) => {
		const { record, parts, agency, hotel } = await open(t, dialect);
		await record({ actor: actorOf(agency.principal), action: 'card.store', subject: 'token of the agency' });
		const { seq } = await parts.database.knex('audit').where({ action: 'card.store' }).first('seq');
		for (const column of ['account_id', 'by_account_id']) {
			const change = (value: unknown) =>
				parts.database
					.knex('audit')
					.where({ seq })
					.update({ [column]: value });
			await change(hotel.principal.ownerId);
			t.like(await parts.audit.verify(), { isWhole: false, brokenAt: seq, reason: 'altered' }, column);
			await change(null);
			t.like(await parts.audit.verify(), { isWhole: false, brokenAt: seq }, column);
			await change(agency.principal.ownerId);
			t.true((await parts.audit.verify()).isWhole);
		}
	});

	test(`whoever changes the page of an entry, to hide it from questions about its card, is found out (${dialect})`, async (t) => {
		const { record, parts, agency } = await open(t, dialect);
		const actor = actorOf(agency.principal);
		await record({ actor, action: 'card.store', subject: `token ${TOKEN}`, page: PAGE });
		await record({ actor: 'daemon', action: 'card.store', subject: `token ${TOKEN}`, page: PAGE });
		for (const { seq } of await parts.database.knex('audit').where({ page_id: PAGE }).select('seq')) {
			for (const page of [PAGE + 7, null]) {
				const change = (page_id: number | null) => parts.database.knex('audit').where({ seq }).update({ page_id });
				await change(page);
				t.like(await parts.audit.verify(), { isWhole: false, brokenAt: seq, reason: 'altered' });
				await change(PAGE);
				t.true((await parts.audit.verify()).isWhole);
			}
		}
	});

	test(`things are found wherever an entry names them (${dialect})`, async (t) => {
		const { record, operator } = await open(t, dialect);
		const actor = { userId: 'agency', credential: 'api-key 7' };
		const person = { userId: 'agency', credential: 'portal-user 3', person: 'maria' };
		await record(
			{ actor, action: 'file.tokenize', subject: 'job 01a', details: { name: 'may.csv', filter: 'GBT' } },
			{ actor, action: 'file.relay', subject: 'stream 1', details: { fileName: 'may.csv', destination: 'bank' } },
			{ actor: 'operator olivia', action: 'destination.put', subject: 'account agency', details: { name: 'bank' } },
			{ actor: 'operator olivia', action: 'profile.put', subject: 'account agency', details: { name: 'bank' } },
			{ actor, action: 'card.relay', subject: 'token 1', details: { profile: 'bank' } },
			{ actor, action: 'card.inbound', subject: 'profile bank' },
			{ actor: person, action: 'api-key.rotate', subject: 'account agency', details: { old: 7, new: 8 } },
			{ actor: person, action: 'api-key.revoke', subject: 'account agency', details: { id: 8 } },
			{ actor: 'operator olivia', action: 'portal-user.block', subject: 'portal-user 3' },
			{
				actor: 'operator olivia',
				action: 'route.deliver',
				subject: 'route agency/nightly',
				details: { path: 'june.csv' },
			},
		);
		t.deepEqual(await about(operator, { about: { kind: 'route', id: 'agency/nightly' } }), [
			'route.deliver route agency/nightly',
		]);
		t.deepEqual(await about(operator, { about: { kind: 'file', name: 'may.csv' } }), [
			'file.relay stream 1',
			'file.tokenize job 01a',
		]);
		t.deepEqual(await about(operator, { about: { kind: 'destination', name: 'bank' } }), [
			'destination.put account agency',
			'file.relay stream 1',
		]);
		t.deepEqual(await about(operator, { about: { kind: 'profile', name: 'bank' } }), [
			'card.inbound profile bank',
			'card.relay token 1',
			'profile.put account agency',
		]);
		t.deepEqual(await about(operator, { about: { kind: 'api-key', id: 8 } }), [
			'api-key.revoke account agency',
			'api-key.rotate account agency',
		]);
		t.is((await about(operator, { about: { kind: 'api-key', id: 7 } })).length, 5);
		t.deepEqual(await about(operator, { about: { kind: 'person', ids: [3] } }), [
			'portal-user.block portal-user 3',
			'api-key.revoke account agency',
			'api-key.rotate account agency',
		]);
		t.deepEqual(await about(operator, { by: { kind: 'person', ids: [3] }, kinds: ['api-key.revoke'] }), [
			'api-key.revoke account agency',
		]);
		t.deepEqual(
			await about(operator, { by: { kind: 'operator', name: 'olivia' }, kinds: ['profile', 'portal-user'] }),
			['portal-user.block portal-user 3', 'profile.put account agency'],
		);
	});

	test(`pages go back and forth by position while the trail grows (${dialect})`, async (t) => {
		const { record, parts, operator } = await open(t, dialect);
		for (let i = 1; i <= 7; i++) {
			await record({ actor: 'daemon', action: i % 2 ? 'test.odd' : 'test.even', subject: `note ${i}` });
			parts.turn(DAY_MS);
		}
		const question = { kinds: ['test'] };
		const notes = async (page: { before?: number; after?: number }) => {
			const answer = await operator.ask(question, { ...page, limit: 3 });
			return { ...answer, notes: answer.entries.map(({ subject }) => Number(subject.slice(5))) };
		};
		const first = await notes({});
		t.like(first, { notes: [7, 6, 5], count: 7, isAtLeast: false, newer: undefined });
		const second = await notes({ before: first.older });
		t.deepEqual(second.notes, [4, 3, 2]);
		const third = await notes({ before: second.older });
		t.like(third, { notes: [1], older: undefined });
		await record({ actor: 'daemon', action: 'test.odd', subject: 'note 8' });
		const back = await notes({ after: third.newer });
		t.deepEqual(back.notes, [4, 3, 2]);
		const front = await notes({ after: back.newer });
		t.deepEqual(front.notes, [7, 6, 5]);
		t.deepEqual((await notes({ after: front.newer })).notes, [8]);
		t.deepEqual((await notes({ before: front.older })).notes, [4, 3, 2]);
		const start = parts.clock.now().getTime() - 5 * DAY_MS;
		const days = await operator.ask({ ...question, since: start, until: start + 2 * DAY_MS - 1 });
		t.deepEqual(
			days.entries.map(({ subject }) => subject),
			['note 4', 'note 3'],
		);
		const all = await Array.fromAsync(operator.readAll({ kinds: ['test.odd'] }));
		t.deepEqual(
			all.map(({ subject }) => subject),
			['note 8', 'note 7', 'note 5', 'note 3', 'note 1'],
		);
	});

	test(`asking is in the trail once a call, before the answer (${dialect})`, async (t) => {
		const { parts, operator, agency, of } = await open(t, dialect);
		const reads = () => parts.database.knex('audit').where({ action: 'audit.read' }).orderBy('seq');
		await operator.ask({ about: { kind: 'token', id: TOKEN }, since: Date.UTC(2026, 0, 1) }, { before: 9 });
		await Array.fromAsync(operator.readAll({}));
		await of(agency).ask({});
		const rows = await reads();
		t.deepEqual(
			rows.map(({ actor, subject, details }) => [actor, subject, JSON.parse(details)]),
			[
				['operator olivia', 'audit', { about: `token ${TOKEN}`, before: 9, since: '2026-01-01T00:00:00.000Z' }],
				['operator olivia', 'audit', {}],
				['agency', 'audit', { credential: `api-key ${agency.apiKey.id}` }],
			],
		);
		t.deepEqual(
			rows.map(({ account_id }) => account_id),
			[null, null, agency.principal.ownerId],
		);
	});

	test(`a question with a card number in it is refused and reaches neither trail nor database (${dialect})`, async (t) => {
		const { parts, operator } = await open(t, dialect);
		const statements: string[] = [];
		parts.database.knex.on('query', ({ bindings }: { bindings: unknown }) => statements.push(JSON.stringify(bindings)));
		for (const question of [
			{ about: { kind: 'token', id: '4111 1111 1111 1111' } },
			{ about: { kind: 'file', name: 'of 4111111111111111.csv' } },
			{ by: { kind: 'account', userId: '4111-1111-1111-1111' } },
			{ kinds: ['4111111111111111'] },
		] as const) {
			await t.throwsAsync(operator.ask(question), { name: 'ServiceError', message: /card number/ });
			await t.throwsAsync(operator.readAll(question).next(), { message: /^((?!4111).)*$/ });
		}
		t.deepEqual(statements, []);
		t.deepEqual(await parts.database.knex('audit').where({ action: 'audit.read' }), []);
	});

	test(`where all conditions fit many entries, an answer says how far it came and goes on from there (${dialect})`, async (t) => {
		const { parts, operator } = await open(t, dialect);
		const many = Array.from({ length: 12_000 }, (_, i): AuditEntry => {
			return {
				actor: { userId: i % 2 ? 'odd' : 'even' },
				action: i < 6_000 ? 'test.early' : 'test.late',
				subject: `note ${i}`,
			};
		});
		const last: AuditEntry = { actor: { userId: 'even' }, action: 'test.late', subject: 'the only one' };
		await parts.database.knex.transaction((transaction) => parts.audit.recordAll([...many, last], transaction));
		const odd = { by: { kind: 'account', userId: 'odd' }, kinds: ['test.early'] } as const;
		const first = await operator.ask(odd, { limit: 10 });
		t.like({ count: first.count, isAtLeast: first.isAtLeast }, { isAtLeast: true });
		let found = first.entries.length;
		let pages = 1;
		for (let { older } = first; older !== undefined; pages++) {
			const next = await operator.ask(odd, { before: older, limit: 1000 });
			found += next.entries.length;
			older = next.older;
		}
		t.is(found, 3_000);
		t.true(pages <= 10);
		const plain = await operator.ask({ kinds: ['test.late'] });
		t.like({ count: plain.count, isAtLeast: plain.isAtLeast }, { count: 6_001, isAtLeast: false });
	});
}

if (databases.includes('postgres')) {
	test('on PostgreSQL what stands in the details of entries is found by its index', async (t) => {
		const { knex } = await openTestDatabase(t, 'postgres');
		await knex.raw(`insert into audit (seq, at, actor, action, subject, details, previous_hash, key_id, hash)
			select n, n, 'agency', 'file.relay', 'job ' || n, format('{"credential":"api-key %1$s","destination":"bank-%1$s",' ||
				'"fileName":"file-%1$s","requestId":"call-%1$s"}', n), '', 1, '' from generate_series(1, 5000) n`);
		await knex.raw('analyze audit');
		const asked: { sql: string; bindings: readonly unknown[] }[] = [];
		knex.on('query', ({ sql, bindings }) => void asked.push({ sql, bindings }));
		const range = { first: 1, last: 5000 };
		const found: Record<string, TrailObject> = {
			audit_with_credential: { kind: 'api-key', id: 77 },
			audit_with_request: { kind: 'call', id: 'call-77' },
			audit_with_name: { kind: 'file', name: 'file-77' },
			audit_with_destination: { kind: 'destination', name: 'bank-77' },
		};
		for (const [index, object] of Object.entries(found)) {
			const place = placesOf(object).find(({ part }) => index.endsWith(part))!;
			asked.splice(0);
			const rows = await questionStore(knex, 'postgres').list([place], { range, order: 'desc', others: [], limit: 9 });
			t.deepEqual(
				rows.map(({ seq }) => seq),
				[77],
			);
			const [{ sql, bindings }] = asked;
			const plan: { rows: Record<string, string>[] } = await knex.raw(`explain ${sql}`, bindings as never);
			t.regex(plan.rows.map((row) => row['QUERY PLAN']).join('\n'), new RegExp(`${index} .*\n.*Index Cond`));
		}
	});
}
