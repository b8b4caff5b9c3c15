// Tests CVVs that are sent to third parties: each is used once unless a policy says otherwise, counted before it leaves,
// and never given back.

import test from 'ava';
import { openTrailQuestions } from '../../src/trail/questions/questions.ts';
import { LiveTokens } from '../../src/vault/tokens/live-tokens.ts';
import { JSON_PROFILE } from '../helpers/third-party.ts';
import { CVV, openCvv, WITH_CVV } from './relay-cvv.setup.ts';

test('spec §2.4: an account without CVV retention has none to send', async (t) => {
	const { relay, store, cvvs } = await openCvv(t, { account: {} });
	await relay({ cardToken: await store({ CVV }) }, WITH_CVV);
	t.deepEqual(cvvs(), ['']);
});

test('shapes §3: a body without a place for a CVV costs none, nor does one that is refused', async (t) => {
	const { relay, store, cvvs, exists, party } = await openCvv(t);
	const cardToken = await store({ CVV });
	await relay({ cardToken }, { payload: '{"card":{"number":""}}' });
	await relay({ cardToken, profileName: 'Text' }, { payload: '{"card":"{{cardNumber}}"}' });
	t.is((await relay({ cardToken }, { payload: '{"other":{"cvv":""}}' })).statusCode, 400);
	t.is((await relay({ cardToken, httpMethod: 'TRACE' }, WITH_CVV)).statusCode, 400);
	t.is((await relay({ cardToken, targetUri: 'ftp://x/' }, WITH_CVV)).statusCode, 400);
	t.is((await relay({ cardToken: `${cardToken},${'0'.repeat(32)}` }, WITH_CVV)).statusCode, 400);
	t.true(await exists(cardToken));
	t.is(party.seen.length, 2);
	await relay({ cardToken }, WITH_CVV);
	t.is(cvvs().at(-1), CVV);
});

test('shapes §3: a host that is not allowed or has no address costs no use, and nothing is said to have left', async (t) => {
	const refusing = await openCvv(t, { relay: { allowPrivate: false } });
	const cardToken = await refusing.store({ CVV });
	t.is((await refusing.relay({ cardToken }, WITH_CVV)).statusCode, 400);
	t.true(await refusing.exists(cardToken));
	const nowhere = await refusing.relay({ cardToken, targetUri: 'http://nowhere.invalid/' }, WITH_CVV);
	t.is(nowhere.statusCode, 502);
	t.true(await refusing.exists(cardToken));
	t.is((await refusing.parts.database.knex('audit').where('action', 'card.relay')).length, 0);
});

test('what was relayed of a card is found by its token, which names its page in the audit trail', async (t) => {
	const { relay, store, parts } = await openCvv(t);
	const [first, second] = [await store({}), await store({ Number: '5555555555554444' })];
	await relay({ cardToken: second }, { payload: '{"card":{"number":""}}' });
	const rows = await parts.database.knex('audit').whereNotNull('page_id').select('action', 'subject', 'page_id');
	const tokens = new LiveTokens(parts);
	for (const { subject, page_id } of rows) t.deepEqual(await tokens.pagesOf(subject.slice(6)), [page_id], subject);
	const questions = openTrailQuestions({ ...parts, pagesOf: (token) => tokens.pagesOf(token) });
	const about = async (id: string) => {
		const { entries } = await questions.ofInstallation('operator test').ask({ about: { kind: 'token', id } });
		return entries.map(({ action }) => action);
	};
	t.deepEqual([await about(first), await about(second)], [['card.store'], ['card.relay', 'card.store']]);
});

test('shapes §3: of several tokens only those whose place has room for a CVV give theirs', async (t) => {
	const { relay, store, party, exists } = await openCvv(t);
	const [first, second] = [await store({ CVV }), await store({ CVV: '1234', Number: '378282246310005', Type: 'AMEX' })];
	const payload = '{"cards":[{"number":""},{"number":"","cvv":""}]}';
	await relay({ profileName: 'Several', cardToken: `${first},${second}` }, { payload });
	t.is(JSON.parse(party.only().text).cards[1].cvv, '1234');
	t.deepEqual([await exists(first), await exists(second)], [true, false]);
	await relay({ profileName: 'Text', cardToken: `${first},${second}` }, { payload: '{{cvv:1}}{{cardType:2}}' });
	t.is(party.seen.at(-1)!.text, `${CVV}AMEX`);
	t.false(await exists(first));
});

test('shapes §3: once its date has come a CVV does not go out', async (t) => {
	const { relay, store, cvvs, parts } = await openCvv(t);
	const cardToken = await store({ CVV });
	parts.clock.turn(8 * 86_400_000);
	await relay({ cardToken }, WITH_CVV);
	t.deepEqual(cvvs(), ['']);
});

test('shapes §3: a CVV can stand in an address that may hold a card', async (t) => {
	const inUri = JSON_PROFILE.replace('name: Partner', 'name: InUri\ncardInUri: true');
	const { relay, store, party, exists } = await openCvv(t, { profiles: [inUri] });
	const cardToken = await store({ CVV });
	const targetUri = `${party.url}/?c={{cvv}}`;
	await relay({ cardToken, targetUri, profileName: 'InUri' }, { payload: '{"card":{"number":""}}' });
	t.is(party.only().url, `/?c=${CVV}`);
	t.false(await exists(cardToken));
});
