import test from 'ava';
import { reportDay } from '../../src/assembly/today.ts';
import { systemClock } from '../../src/clock.ts';
import type { AccountId } from '../../src/database/ids.ts';
import { runAttempt } from '../../src/jobs/attempt.ts';
import { noteFetch } from '../../src/jobs/fetch-store.ts';
import { jobStore } from '../../src/jobs/job-store.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER } from '../helpers/engine-double.ts';
import { openJobRooms } from '../helpers/job-rooms.ts';

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
		const rooms = await openJobRooms(t, dialect);
		const { database, drops } = rooms;
		const good = await rooms.put('good.csv', `${NUMBER}${NUMBER}\n${MARKS.refused}\n`);
		await rooms.put('bad.csv', `${MARKS.bad}\n`);
		await runAttempt(rooms, (await rooms.claim())!);
		await runAttempt(rooms, (await rooms.claim())!);
		await rooms.put('later.csv', `${NUMBER}\n`);
		const old = await rooms.put('old.csv', `${NUMBER}\n`, { accountId: 8 });
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
