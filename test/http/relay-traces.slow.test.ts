// Tests what a relay leaves behind in the allowance, in the trail and in what is kept for a repeated call, and that no card
// is left anywhere.

import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openMetrics } from '../../src/app/watches/metrics/metrics.ts';
import { VISA } from '../helpers/card-calls.ts';
import type { HttpAppOptions } from '../helpers/http-app.ts';
import { findLeaks, sweepFolder, sweepTables } from '../helpers/secrecy.ts';
import { type Answering, isRefused, openPartnership, silence, usedUnits } from '../helpers/third-party.ts';

const WITH_CVV = { payload: '{"card":{"number":"","cvv":"","holder":""}}' };

test('shapes §11: a relay costs one unit, whatever the third party says', async (t) => {
	const { relay, party, store, parts } = await openPartnership(t, { account: { allowanceLimit: 100 } });
	const cardToken = await store();
	const before = await usedUnits(parts);
	for (const status of [200, 404, 422, 500]) {
		party.answers({ status });
		t.is((await relay({ cardToken })).statusCode, status);
	}
	t.is(await usedUnits(parts), before + 4);
	await relay({ cardToken, profileName: 'Nobody' });
	await relay({ cardToken: '0'.repeat(32) });
	await relay({ cardToken }, { payload: '{}' });
	t.is(await usedUnits(parts), before + 4, 'refused calls cost nothing');
});

test('spec §7.4, §8: beyond the allowance a relay is refused before anything leaves', async (t) => {
	const { relay, party, store } = await openPartnership(t, { account: { allowanceLimit: 2 } });
	const cardToken = await store();
	t.is((await relay({ cardToken })).statusCode, 200);
	const answer = await relay({ cardToken });
	const moreInfo = 'You are not authorized to access this resource. Please contact customer support.';
	isRefused(t, answer, 403, { code: -1003, message: null, moreInfo });
	t.is(party.seen.length, 1);
});

for (const status of [200, 404, 503]) {
	test(`shapes §1: the same Idempotency-Key brings a ${status} of the third party again and asks it once`, async (t) => {
		const headers = { 'x-their': ['a', 'b'], 'content-type': 'text/weird' };
		const { relay, party, store, parts } = await openPartnership(t, {
			answer: { status, headers, body: 'booked' },
			account: { allowanceLimit: 100 },
		});
		const call = { headers: { 'idempotency-key': 'order-1' } };
		const cardToken = await store();
		const before = await usedUnits(parts);
		const [first, again] = [await relay({ cardToken }, call), await relay({ cardToken }, call)];
		for (const { statusCode, headers: got, body } of [first, again]) {
			t.deepEqual([statusCode, body, got['content-type']], [status, 'booked', 'text/weird']);
			t.is(String(got['x-their']), 'a,b');
		}
		t.is(party.seen.length, 1);
		t.is(await usedUnits(parts), before + 1);
		const other = await relay({ cardToken }, { ...call, payload: '{"card":{"number":"1"}}' });
		t.is(other.statusCode, 400);
		t.true(other.json().moreInfo.startsWith('Idempotency-Key: '));
	});
}

test('spec §7.4: a call with an Idempotency-Key that timed out is not made again: its outcome is unknown', async (t) => {
	const { relay, party, store } = await openPartnership(t, { answer: silence });
	const call = { headers: { 'idempotency-key': 'order-2' } };
	const cardToken = await store();
	for (let calls = 0; calls < 2; calls++) t.is((await relay({ cardToken, timeout: 1500 }, call)).statusCode, 504);
	t.is(party.seen.length, 1);
	const away = { cardToken, targetUri: 'http://127.0.0.1:9/' };
	const again = { headers: { 'idempotency-key': 'order-3' } };
	t.is((await relay(away, again)).statusCode, 502);
	t.is((await relay(away, again)).statusCode, 502, 'what never left may be tried again');
});

test('spec §7.4: nor is one whose answer is of no use, since the third party has acted', async (t) => {
	const { relay, capture, party, store } = await openPartnership(t);
	const cardToken = await store();
	const useless: Answering[] = [
		(_, response) => void response.socket?.destroy(),
		(_, response) => void response.socket?.end('garbage\r\n\r\n'),
		(_, response) => void response.writeHead(200, { 'content-length': 9 }).write('{}', () => response.destroy()),
		{ headers: { 'content-encoding': 'gzip' }, body: 'not packed' },
		{ headers: { 'content-type': 'text/plain' }, body: 'card 4111 1111 1111 1111' },
	];
	for (const [nth, answering] of useless.entries()) {
		party.answers(answering);
		const call = { headers: { 'idempotency-key': `order-${nth}` } };
		const ask = () => (nth === useless.length - 1 ? capture({}, call) : relay({ cardToken }, call));
		for (let calls = 0; calls < 2; calls++) t.is((await ask()).statusCode, 502);
		t.is(party.seen.length, nth + 1);
	}
});

test('the trail has the card before it leaves, and verifies', async (t) => {
	const { relay, party, store, parts } = await openPartnership(t, {
		answer: silence,
		account: { cvvRetention: true },
	});
	const cardToken = await store({ CVV: '306' });
	const calling = relay({ cardToken, timeout: 2000 }, WITH_CVV);
	while (party.seen.length === 0) await sleep(5);
	const rows = await parts.database.knex('audit').where('action', 'card.relay');
	t.is(rows.length, 1, 'while the third party has not said anything');
	const [{ actor, subject, details }] = rows;
	t.deepEqual([actor, subject], ['merchant', `token ${cardToken}`]);
	const { host, profile, withCvv, requestId } = JSON.parse(details);
	t.deepEqual([host, profile, withCvv], [new URL(party.url).host, 'Partner', true]);
	const answer = await calling;
	t.is(answer.statusCode, 504);
	t.is(requestId, answer.headers['x-request-id']);
	t.true((await parts.audit.verify()).isWhole);
});

/** Opens the figures as the daemon has them, and returns them with the observers that fill them. */
function openFigures() {
	const metrics = openMetrics({
		sftpSessions: () => 0,
		sftpHeldBytes: () => 0,
		runningJobs: () => 0,
		queuedJobs: async () => 0,
		eliminationLimits: async () => 0,
		cardsRetired: async () => 0,
		keyDaysLeft: async () => new Map(),
		freeBytes: async () => 0,
	});
	const onAnswered: HttpAppOptions['onAnswered'] = (seen) => metrics.observeRequest(seen);
	const onCalled: HttpAppOptions['onCalled'] = (seen) => metrics.observeTargetCall(seen);
	return { text: () => metrics.registry.metrics(), observers: { onAnswered, onCalled } };
}

test('spec §5.1: neither log nor figures have queries, tokens or paths of the target', async (t) => {
	const { text, observers } = openFigures();
	const { relay, party, store, parts } = await openPartnership(t, observers);
	const cardToken = await store();
	await relay({ cardToken, targetUri: `${party.url}/secret-path?secret-query=1` });
	await relay({ cardToken, targetUri: 'http://127.0.0.1:9/secret-path?secret-query=1' });
	const figures = await text();
	for (const said of [parts.logText(), figures]) {
		t.false(said.includes('secret-'));
		t.false(said.includes(cardToken));
	}
	t.regex(parts.logText(), /"route":"\/api\/payments\/paycard\/relay","status":200/);
	t.regex(figures, /target_call_seconds_count\{kind="relay",target="127.0.0.1",outcome="2xx"\} 1/);
	t.regex(figures, /target_call_seconds_count\{kind="relay",target="127.0.0.1",outcome="unreachable"\} 1/);
});

test('no number and no CVV in log, database, figures or answers, whatever happens', async (t) => {
	const holder = 'HOLDER OF NOTHING';
	const { text, observers } = openFigures();
	const account = { cvvRetention: true };
	const { relay, capture, party, store, parts } = await openPartnership(t, { account, ...observers });
	const amex = '378282246310005';
	const answers: string[] = [];
	const note = async (calling: ReturnType<typeof relay>) => {
		const { headers, body } = await calling;
		answers.push(JSON.stringify(headers), body);
	};
	const fresh = () => store({ CVV: '8361', Number: amex, Type: 'AMEX', NameOnCard: holder });
	const numbers = { numbers: [VISA, amex], passages: [] };
	// Matches the CVV only as a value of its own, because ids, ports and tokens may contain any four digits by chance.
	const cvv = /(?<![\w.-])8361(?![\w-])/;
	// The answer repeats the number and not the CVV, because nobody could tell a CVV from other short numbers in an answer.
	party.answers({ body: `card ${amex} or ${amex.replace(/(.{4})(.{6})(.{5})/, '$1-$2-$3')}` });
	await note(relay({ cardToken: await fresh() }, WITH_CVV));
	await note(relay({ cardToken: await fresh() }, { ...WITH_CVV, headers: { 'idempotency-key': 'k' } }));
	await note(relay({ cardToken: await fresh() }, { payload: `{"card":{"number":"${VISA}","cvv":"8361"` }));
	await note(relay({ cardToken: await fresh(), targetUri: 'http://127.0.0.1:9/' }, WITH_CVV));
	party.answers(silence);
	await note(relay({ cardToken: await fresh(), timeout: 500 }, WITH_CVV));
	party.answers({ body: `{"card":{"number":"${VISA}","month":"04","year":"2030","cvv":"8361"}}` });
	await note(capture());
	party.answers({ body: `{"card":{"number":"${VISA}","month":"04","year":"2030","cvv":"8361"` });
	await note(capture());
	const places = { log: parts.logText(), answers: answers.join('\n'), figures: await text() };
	for (const [where, said] of Object.entries(places)) {
		t.deepEqual(findLeaks(where, Buffer.from(said), numbers), []);
		t.notRegex(said, cvv, where);
	}
	const { leaks, rows } = await sweepTables(parts.database, numbers);
	// Searches the files of the database too, because its journal may still hold what its tables no longer have.
	const folder = dirname(parts.database.url.replace('sqlite:', ''));
	t.deepEqual(sweepFolder(folder, numbers).leaks, []);
	t.deepEqual(leaks, []);
	t.true(rows > 20);
	const audit = JSON.stringify(await parts.database.knex('audit').select('action', 'subject', 'details'));
	t.notRegex(audit, cvv);
	t.true(
		party.seen.some(({ text }) => cvv.test(text) && text.includes(amex)),
		'it did go out',
	);
});
