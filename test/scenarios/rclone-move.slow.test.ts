// Moves many files with rclone, which sends a file over one of its connections and asks for it over another.

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listNewestJobs } from '../../src/work/jobs/job-page-store.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { openSlowNetwork } from '../helpers/clients/slow-network.ts';
import { rcloneRun } from '../helpers/daemon-clients.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const shared = shareDaemon();
const FILES = 200;
const ROUNDS = 3;

testNeeding('rclone')('rclone moves two hundred files three times and sends none of them twice', async (t) => {
	// On this network the job of a file ends long before rclone asks for the file.
	const at = { ...shared.door(), port: await openSlowNetwork(t, shared.door().port, 5) };
	const { database } = await shared.installation.parts();
	const local = join(at.folder, 'out');
	const sent = new Set<string>();
	await mkdir(local);
	for (let round = 1; round <= ROUNDS; round++) {
		for (let nth = 0; nth < FILES; nth++) {
			const name = `round-${round}-${nth}.csv`;
			await writeFile(
				join(local, name),
				`CardNumber,ExpirationMonth,ExpirationYear,NameOnCard\n4111111111111111,12,2029,GUEST ${nth}\n`,
			);
			sent.add(name);
		}
		const moved = await rcloneRun(
			at,
			'move',
			() => local,
			(remote) => `${remote}/tokenize/SIMPLECSV`,
		);
		t.is(moved.code, 0, moved.stderr);
		t.deepEqual(await readdir(local), []);
	}
	const jobs = await listNewestJobs(database, { limit: 10 * FILES });
	t.deepEqual(jobs.map(({ name }) => name).sort(), [...sent].sort());
	await until('all files are processed', async () => {
		const { queued, running } = await jobStore(database.knex).countByState();
		return queued + running === 0;
	});
	const { done } = await jobStore(database.knex).countByState();
	t.is(done, ROUNDS * FILES);
});
