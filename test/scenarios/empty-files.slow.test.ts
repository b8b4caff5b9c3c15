// An empty file is processed like any other: it comes out empty, with a report, whatever its format and its door.

import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { formats } from '../../formats/index.ts';
import { settledJobs } from '../helpers/daemon-checks.ts';
import { opensshSftp } from '../helpers/daemon-clients.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const shared = shareDaemon();
const WAYS = [
	['tokenize', 'tokenized'],
	['detokenize', 'detokenized'],
] as const;

async function call(path: string, init: RequestInit = {}): Promise<Response> {
	const { demo } = shared.installation;
	const headers = { 'X-service-API-Key': demo.apiKey, 'Content-Type': 'application/octet-stream' };
	return fetch(`${shared.daemon.baseUrl}${path}`, { ...init, headers });
}

const empty = test.macro({
	async exec(t, filter: string) {
		const file = join(shared.installation.folder, 'empty');
		await writeFile(file, '');
		const session = await openSession(t, shared.installation, shared.daemon);
		for (const [area, results] of WAYS) {
			const name = `empty-${area}`;
			const put = await opensshSftp(shared.door(), [`put ${file} /${area}/${filter}/${name}`]);
			t.is(put.code, 0, put.stderr);
			t.is((await session.arrival(`/${results}/${filter}/${name}`)).length, 0);
			const report = JSON.parse((await session.get(`/reports/${filter}/${name}.json`)).toString());
			t.like(report, { state: 'done', cards: 0, refused: 0, bytesTotal: 0, error: null, entries: [] });

			const streamed = await call(`/api/files/${area}?filter=${filter}`, { method: 'POST', body: '' });
			t.is(streamed.status, 200);
			t.is((await streamed.arrayBuffer()).byteLength, 0);
			const answered = await call(`/api/files/${area}?filter=${filter}&async=true`, { method: 'POST', body: '' });
			t.is(answered.status, 202);
			const { id } = (await answered.json()) as { id: string };
			await settledJobs(await shared.installation.parts());
			t.like(await (await call(`/api/jobs/${id}`)).json(), { state: 'done', bytesTotal: 0, error: null });
			const output = await call(`/api/jobs/${id}/output`);
			t.is((await output.arrayBuffer()).byteLength, 0);

			const out = join(shared.installation.folder, `${filter}-${area}`);
			const args = ['--user-id', shared.installation.demo.userId, '--filter', filter, file, out];
			t.like(await shared.installation.json('file', area, ...args), { cards: 0, bytesRead: 0, bytesWritten: 0 });
			t.is((await stat(out)).size, 0);
		}
	},
	title: (_, filter) => `an empty ${filter} file is done, through every door`,
});
for (const filter of formats.keys()) sshTest.serial(empty, filter);
