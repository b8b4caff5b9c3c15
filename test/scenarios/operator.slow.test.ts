// Checks what an operator is told of files that came over sFTP: in lists, in the log, in the trail.

import test from 'ava';
import { openSession } from '../helpers/daemon-session.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { until } from '../helpers/until.ts';

const shared = shareDaemon();
const GOOD = Buffer.from('CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n');
const BAD = Buffer.from('CardNumber,NameOnCard\n4111111111111111,"never closed\n');

test('it is known who fetched an output, and a failed file is in list, log and trail with account, name and reason', async (t) => {
	const { installation, daemon } = shared;
	const session = await openSession(t, installation, daemon);
	await session.put('/tokenize/SIMPLECSV/good.csv', GOOD);
	await session.put('/tokenize/SIMPLECSV/bad.csv', BAD);
	await session.arrival('/tokenized/SIMPLECSV/good.csv');
	const failed = async () => installation.json('job', 'list', '--state', 'failed', '--day', 'today', '--name', 'bad');
	await until('the bad file has failed', async () => (await failed()).length === 1);
	const { userId } = installation.demo;
	const [bad] = await failed();
	t.like(bad, { account: userId, name: 'bad.csv', error: { reason: 'file-malformed' } });

	const [good] = await installation.json('job', 'list', '--account', userId, '--state', 'done');
	const { fetched } = await installation.json('job', 'show', good.id);
	t.like(fetched[0], { by: userId, door: 'sftp', times: 1 });
	const [today] = (await installation.json('today')).accounts;
	t.like(today, { account: userId, notFetched: 0 });
	t.like(today.fetched[0], { by: userId, door: 'sftp', operation: 'tokenize', files: 1 });

	// The line is written after the job has changed, so the test waits for it.
	const told = await until('the log says so', () =>
		daemon
			.log()
			.split('\n')
			.filter((line) => line.includes(bad.id))
			.map((line) => JSON.parse(line))
			.find(({ msg }) => msg === 'attempt failed'),
	);
	t.like(told, { level: 'warn', account: userId, file: 'bad.csv', reason: 'file-malformed', state: 'failed' });
	const { database } = await installation.parts();
	const entry = await database.knex('audit').where({ action: 'file.failed' }).first();
	t.is(entry.subject, `job ${bad.id}`);
	t.like(JSON.parse(entry.details), { name: 'bad.csv', reason: 'file-malformed' });
	const swapped = await database.knex('audit').where({ action: 'file.tokenize' }).first();
	t.like(JSON.parse(swapped.details), { name: 'good.csv', cards: 1 });
	t.is((await installation.command('doctor')).code, 0);
});
