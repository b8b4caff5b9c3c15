import test from 'ava';
import { httpFailures } from '../../src/app/open-doors.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { reportDay } from '../../src/installation/files/today.ts';
import type { FailedLogin } from '../../src/trail/failed-logins.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { noteFetch } from '../../src/work/jobs/fetch-store.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER } from '../helpers/engine-double.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { openJobParts } from '../helpers/job-parts.ts';

const names = new Map([
	[7, 'agency'],
	[8, 'bureau'],
]);
const identity = {
	accounts: {
		get: async (userId: string) => ({ id: [...names].find(([, name]) => name === userId)![0] }),
		userIdsOf: async () => names,
	},
} as never;
const quiet = { clock: systemClock, logger: { warn() {} } };

for (const dialect of databases) {
	test(`${dialect}: a day is told by account: sent, failed, waiting, fetched`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { database, drops } = parts;
		const good = await parts.put('good.csv', `${NUMBER}${NUMBER}\n${MARKS.refused}\n`);
		await parts.put('bad.csv', `${MARKS.bad}\n`);
		await runAttempt(parts, (await parts.claim())!);
		await runAttempt(parts, (await parts.claim())!);
		await parts.put('later.csv', `${NUMBER}\n`);
		const old = await parts.put('old.csv', `${NUMBER}\n`, { accountId: 8 });
		await jobStore(database.knex).update(old.id, {}, { created_at: Date.now() - 3 * 24 * 3_600_000 });
		const folder = { accountId: 8 as AccountId, area: 'tokenize' as const, filter: 'GBT' };
		await drops.begin({ folder, name: 'half.csv', createdBy: 'bureau' });
		const asked = async (question = {}) => reportDay({ database, identity }, question, new Date());
		const [agency, bureau] = (await asked()).accounts;
		t.is(agency.notFetched, 1);
		await noteFetch(database.knex, { jobId: good.id, userId: 'alice', door: 'sftp' }, quiet);
		t.is(agency.account, 'agency');
		const counts = { files: 3, done: 1, failed: 1, open: 1, cards: 2, refused: 1, otherNumbers: 0 };
		t.like(agency.sent[0], { operation: 'tokenize', filter: 'GBT', ...counts });
		t.like(agency.failures[0], { name: 'bad.csv', reason: 'file-malformed' });
		t.like(agency.waiting, { 0: { what: 'queued', files: 1 } });
		t.deepEqual(bureau.sent, [], 'what came before is not of the day');
		t.deepEqual(bureau.waiting.map(({ what, files }) => `${what} ${files}`).sort(), ['queued 1', 'unfinished 1']);
		const [after] = (await asked({ account: 'agency' })).accounts;
		t.like(after.fetched[0], { by: 'alice', door: 'sftp', operation: 'tokenize', files: 1 });
		t.is(after.notFetched, 0);
		const [yesterday] = (await asked({ account: 'agency', day: 'yesterday' })).accounts;
		t.like(yesterday, { account: 'agency', sent: [], fetched: [], failures: [] });
	});
}

for (const dialect of databases) {
	test(`${dialect}: a day tells what callers had tokenized and detokenized over HTTP`, async (t) => {
		const { app, clock, createCaller, database, identity } = await openHttpApp(t, dialect);
		const caller = await createCaller('agency');
		const card = { Type: 'Visa', Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } };
		for (let n = 0; n < 3; n++) {
			t.is((await caller.inject('POST', '/api/payments/paycard', { payload: { BankCard: card } })).statusCode, 201);
		}
		const headers = { 'x-service-api-key': caller.apiKey, accept: 'application/json' };
		const url = '/api/files/tokenize?filter=SIMPLECSV';
		const payload = 'CardNumber,ExpirationDate\n4111111111111111,12/31\n4111111111111112,12/31\n';
		t.is((await app.inject({ method: 'POST', url, headers, payload })).statusCode, 200);
		const report = async (question = {}) => reportDay({ database, identity }, question, clock.now());
		const counts = [
			{ operation: 'tokenize', way: 'single cards', calls: 3, cards: 3, refused: 0 },
			{ operation: 'tokenize', way: 'streamed files', calls: 1, cards: 1, refused: 1 },
		];
		t.deepEqual(
			(await report()).accounts.map(({ account, overHttp }) => [account, overHttp]),
			[['agency', counts]],
		);
		t.deepEqual((await report({ account: 'agency' })).accounts[0].overHttp, counts);
		t.deepEqual((await report({ day: 'yesterday' })).accounts, []);
	});
}

test('a failed login over HTTP with a key that was ours is told of its account', async (t) => {
	const { identity, createCaller } = await openHttpApp(t);
	const { apiKey, account } = await createCaller('agency');
	const told: FailedLogin[] = [];
	const onTried = httpFailures(identity, { note: (login) => void told.push(login) });
	await identity.apiKeys.revoke(account, 'operator test');
	onTried('192.0.2.1', { kind: 'api-key', secret: apiKey });
	onTried('192.0.2.1', { kind: 'api-key', secret: `${apiKey.slice(0, -5)}AAAAA` });
	t.like(await told[0].describe(), { userId: 'agency', credential: 'api-key 1' });
	t.deepEqual(await told[1].describe(), { userId: undefined, credential: null });
});
