// The allowance of a trial account comes to its end: reports say so before and after.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startInstallation } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

interface Answer {
	readonly id: string;
	readonly state: string;
	readonly notices: readonly string[];
	readonly error: { readonly reason: string; readonly message: string };
}

const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
const ROWS = (count: number) => HEAD + '4111111111111111,12,2029,Visa\n'.repeat(count);

testNeeding('OpenSSH (openssh-client)')(
	'a file that uses up most of an allowance has a notice, one after it a report that says what to do',
	async (t) => {
		const { daemon, installation } = await startInstallation(t);
		const { apiKey } = await installation.json('account', 'create', '--user-id', 'trial', '--allowance', '10');
		const headers = { 'x-service-api-key': apiKey, accept: 'application/json' };
		const read = async (url: string, init: RequestInit = { headers }) =>
			(await (await fetch(url, init)).json()) as Answer;
		const reportOf = async (rows: number, name: string) => {
			const url = `${daemon.baseUrl}/api/files/tokenize?filter=SIMPLECSV&async=true&name=${name}`;
			const { id } = await read(url, { method: 'POST', headers, body: ROWS(rows) });
			const job = () => read(`${daemon.baseUrl}/api/jobs/${id}`);
			await until(`${name} is over`, async () => /done|failed/.test((await job()).state));
			return read(`${daemon.baseUrl}/api/jobs/${id}/report`);
		};
		t.deepEqual((await reportOf(7, 'first.csv')).notices, []);
		const second = await reportOf(3, 'second.csv');
		t.is(second.state, 'done');
		t.regex(second.notices.join(), /nearly used up: 10 of 10 units, 0 left\. Ask .* \(account unblock\)/);
		// The file is sent over sFTP, because over HTTP it would be refused before there is a job.
		const local = join(makeFolder(t), 'third.csv');
		writeFileSync(local, ROWS(1));
		const door = { ...demoDoor(installation, daemon), userName: 'trial', password: String(apiKey) };
		t.is((await opensshSftp(door, [`put ${local} /tokenize/SIMPLECSV/third.csv`])).code, 0);
		const latest = async () => ((await read(`${daemon.baseUrl}/api/jobs?num=1`)) as unknown as Answer[])[0];
		await until('third.csv has failed', async () => (await latest()).state === 'failed');
		const third = await read(`${daemon.baseUrl}/api/jobs/${(await latest()).id}/report`);
		t.is(third.state, 'failed');
		t.is(third.error.reason, 'allowance-exceeded');
		t.regex(third.error.message, /allowance of the account .* is used up: 10 of 10 units, 0 left\. Ask/);
		await until('the log warns', async () => daemon.log().includes('an allowance is nearly used up'));
	},
);
