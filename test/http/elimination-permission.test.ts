import test from 'ava';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { BATCH, card, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { onBoth } from '../helpers/caller-stories.ts';
import { postCard, storeCard, tokenOf, VISA } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const ELIMINATING = '?eliminateCardDuplication=true';

onBoth(
	'shapes §9: a new key of a sub-user or property may not eliminate duplicates unless it is given that',
	async (t, parts) => {
		const made = async (userId: string, more: object) =>
			(await parts.identity.createAccount({ userId, ...more }, 'operator test')).apiKey.permissions.has(
				'EliminateDuplicates',
			);
		t.true(await made('acme', {}));
		t.false(await made('clerk', { kind: 'sub-user', parent: 'acme' }));
		t.false(await made('hotel', { kind: 'property', parent: 'acme' }));
	},
);

test('a call that asks for elimination without the permission is refused, and stores nothing', async (t) => {
	const parts = await openHttpApp(t);
	const clerk = await parts.createCaller('demo', { permissions: ['Tokenize', 'Capture', 'QueryTokens'] });
	const batch = { payload: ndjson([card()]), headers: { ...NDJSON, accept: 'application/json' } };
	for (const answer of [
		await postCard(clerk, ELIMINATING),
		await clerk.inject('POST', `${BATCH}${ELIMINATING}`, batch),
	]) {
		t.is(answer.statusCode, 403);
		t.is(answer.json().message, 'Permission EliminateDuplicates is required');
	}
	t.is((await parts.database.knex('pages')).length, 0);
	t.is((await postCard(clerk)).statusCode, 201);
});

test('a file brought without the permission gets new tokens, whatever the options of the folder say', async (t) => {
	const parts = await openHttpApp(t);
	const files = ['FileTokenize', 'Tokenize'] as const;
	const demo = await parts.createCaller('demo', { permissions: [...files, 'EliminateDuplicates'] });
	const made = await parts.identity.apiKeys.create(demo.account, 'operator test', new Set(files));
	const narrow = { 'x-service-api-key': made.secret.reveal() };
	const scope = { accountId: demo.account.id, filter: 'SIMPLECSV' };
	await putFormatOptions(parts, scope, { eliminateCardDuplication: true }, () => {});
	const token = await storeCard(demo, '', { ExpirationDate: { Month: '12', Year: '2030' } });
	const payload = `CardNumber,ExpirationDate\n${VISA},12/30\n`;
	const send = (more: object, query = '') =>
		demo.inject('POST', `/api/files/tokenize?filter=SIMPLECSV${query}`, {
			...{ payload, headers: { 'content-type': 'application/octet-stream', ...more } },
		});
	t.true((await send({})).body.includes(token));
	t.false((await send(narrow)).body.includes(token));
	const job = await send({ ...narrow, accept: 'application/json' }, '&async=true&name=a.csv');
	t.is(job.statusCode, 202);
	const [{ options }] = await parts.database.knex('jobs');
	t.deepEqual(JSON.parse(options), { eliminateCardDuplication: false });
	t.is(tokenOf(await postCard(demo, ELIMINATING, { ExpirationDate: { Month: '12', Year: '2030' } })), token);
});
