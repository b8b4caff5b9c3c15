// An upload is accepted in the very moment in which a job of its name ends.

import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { databases } from '../helpers/database.ts';
import { ledgersDouble } from '../helpers/engine-double.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

const FOLDER = { accountId: 7 as AccountId, area: 'tokenize' as const, filter: 'GBT' };

/** A pause that is longer than any step of a transaction takes. */
const PAUSE_MS = 300;

async function outputs(parts: JobParts): Promise<Record<string, string>> {
	const files = await parts.files('tokenized');
	return Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await parts.read(file)])));
}

/**
 * Opens an upload at a second daemon, which only has to be accepted. The embedded database has one daemon, so there the
 * upload goes through the same database object.
 */
async function openSecondDaemon(t: { teardown(release: () => unknown): void }, parts: JobParts) {
	const isAlone = parts.database.dialect === 'sqlite';
	const database = isAlone ? parts.database : await openDatabase({ url: parts.database.url });
	t.teardown(() => database.close());
	const drops = new Drops({ ...parts, database, daemonId: 'two' });
	const upload = await drops.begin({ folder: FOLDER, name: 'daily.csv', createdBy: 'bob' });
	await upload.write(0, Buffer.from('second'));
	return { upload, intake: openIntake({ database, drops }) };
}

async function runRest(parts: JobParts): Promise<void> {
	for (let job = await parts.claim(); job; job = await parts.claim()) await runAttempt(parts, job);
}

for (const dialect of databases) {
	test(`${dialect}: accepted while a job of its name publishes: that output has made room when the upload is answered`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { upload, intake } = await openSecondDaemon(t, parts);
		const first = await parts.put('other.csv', 'first');
		// The upload under way has this name in the folder already, so the job gets it in its row.
		await parts.database.knex('jobs').where({ id: first.id }).update({ name: 'daily.csv' });
		const publishing = Promise.withResolvers<void>();
		const { engine } = parts;
		const adopt: typeof engine.adopt = async (...given) => {
			await engine.adopt(...given);
			publishing.resolve();
			// The second daemon has its turn during this pause, before the commit.
			await sleep(PAUSE_MS);
		};
		const attempt = runAttempt({ ...parts, ledgers: ledgersDouble({ ...engine, adopt }) }, (await parts.claim())!);
		await publishing.promise;
		await intake.accept(upload);
		t.deepEqual(await outputs(parts), { [`daily.${first.id}.csv`]: 'first' });
		t.deepEqual(await attempt, { state: 'done' });
		await runRest(parts);
		t.deepEqual(await outputs(parts), { [`daily.${first.id}.csv`]: 'first', 'daily.csv': 'second' });
	});

	test(`${dialect}: a job that publishes while an upload of its name is accepted does not get the name`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { upload, intake } = await openSecondDaemon(t, parts);
		const first = await parts.put('other.csv', 'first');
		await parts.database.knex('jobs').where({ id: first.id }).update({ name: 'daily.csv' });
		const job = (await parts.claim())!;
		const accepting = Promise.withResolvers<void>();
		const alongside = async (_: JobRow) => {
			accepting.resolve();
			await sleep(PAUSE_MS);
		};
		const accepted = intake.accept(upload, { alongside });
		await accepting.promise;
		t.deepEqual(await runAttempt(parts, job), { state: 'done' });
		await accepted;
		t.deepEqual(await outputs(parts), { [`daily.${first.id}.csv`]: 'first' });
		await runRest(parts);
		t.deepEqual(await outputs(parts), { [`daily.${first.id}.csv`]: 'first', 'daily.csv': 'second' });
	});

	test(`${dialect}: renaming, accepting and publishing at once lose no output and end with the last file's under the name`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const accepted: JobRow[] = [];
		for (let round = 0; round < 12; round++) {
			const job = await parts.claim();
			const [output] = (await parts.files('tokenized')).filter(({ name }) => name === 'daily.csv');
			const renaming = async () => output && parts.drops.rename(output, `mine-${round}.csv`, undefined);
			const accepting = async () => accepted.push(await parts.put('daily.csv', `content ${round}`));
			const running = async () => job && (await runAttempt(parts, job));
			await Promise.all([accepting(), running(), renaming()]);
		}
		await runRest(parts);
		const all = await outputs(parts);
		t.deepEqual(Object.values(all).sort(), accepted.map((_, round) => `content ${round}`).sort());
		t.is(all['daily.csv'], 'content 11');
	});
}
