// Checks what the trail says of the settings of a daemon when it starts.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { auditedRun } from '../../src/app/watches/audited-run.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { Logger } from '../../src/base/log/log.ts';
import { changedSettings, loadSettings, settingsByKey } from '../../src/base/settings/settings.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { dialects } from '../helpers/database.ts';
import { makeFolder, openFileParts } from '../helpers/file-parts.ts';

const PASSWORD = 'correct-horse';

async function openRuns(t: ExecutionContext, dialect: Dialect) {
	const { database, keyRing } = await openFileParts(t, dialect);
	const audit = await openAudit({ database, keyRing });
	const dataDir = makeFolder(t);
	const warnings: unknown[] = [];
	const logger = { warn: (details: unknown) => void warnings.push(details) } as Pick<Logger, 'warn'>;
	return {
		dataDir,
		warnings,
		start(env: Record<string, string> = {}) {
			const settings = loadSettings({ env: { TOKENDROP_DATA_DIR: dataDir, ...env } });
			const run = { dataDir, shown: settingsByKey(settings), changed: changedSettings(settings), logger };
			return auditedRun(audit, 'test', run);
		},
		async changes(): Promise<Record<string, string>[]> {
			const rows = await database.knex('audit').where({ action: 'settings.changed' }).orderBy('seq');
			return rows.map(({ details }) => JSON.parse(details));
		},
	};
}

const SESSIONS = { TOKENDROP_SFTP_MAX_SESSIONS: '99', TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '9' };
const KEYS = 'sftp.maxSessions, sftp.maxSessionsPerAccount';

for (const dialect of dialects) {
	test(`${dialect}: a start names the settings that are not those of the last one, and is silent where none is`, async (t) => {
		const runs = await openRuns(t, dialect);
		const steps = [{}, {}, SESSIONS, SESSIONS, {}];
		const told = [0, 0, 1, 1, 2];
		for (const [at, env] of steps.entries()) {
			await (await runs.start(env)).close();
			t.is((await runs.changes()).length, told[at], `start ${at + 1}`);
		}
		const [there, back] = await runs.changes();
		t.is(there.keys, KEYS);
		t.regex(there['sftp.maxSessions'], /^\d+ -> 99$/);
		t.regex(back['sftp.maxSessions'], /^99 -> \d+$/);
		t.deepEqual([back.digest, back.digestBefore], [there.digestBefore, there.digest]);
		t.regex(there.digest, /^[a-p]{64}$/);
	});

	test(`${dialect}: two daemons of one data directory with different settings are not told at every start`, async (t) => {
		const runs = await openRuns(t, dialect);
		let one = await runs.start();
		let two = await runs.start(SESSIONS);
		for (let turn = 0; turn < 2; turn++) {
			await one.close();
			one = await runs.start();
			await two.close();
			two = await runs.start(SESSIONS);
		}
		// Both daemons are stopped, and then started in the other order.
		await one.close();
		await two.close();
		two = await runs.start(SESSIONS);
		one = await runs.start();
		t.deepEqual(await runs.changes(), []);
		await one.close();
		one = await runs.start({ TOKENDROP_SFTP_MAX_HANDLES: '17' });
		const changes = await runs.changes();
		t.deepEqual(
			changes.map(({ keys }) => keys),
			['sftp.maxHandles'],
			'compared with its own, not with that of the other one',
		);
		await one.close();
		await two.close();
	});

	test(`${dialect}: daemons that start at the same time take a file each`, async (t) => {
		const runs = await openRuns(t, dialect);
		const started = await Promise.all([{}, SESSIONS, {}].map((env) => runs.start(env)));
		const names = readdirSync(join(runs.dataDir, 'last-settings')).filter((name) => name.endsWith('.json'));
		t.deepEqual(names.sort(), ['1.json', '2.json', '3.json']);
		for (const run of started) await run.close();
		t.deepEqual(await runs.changes(), []);
	});

	test(`${dialect}: no secret is written, neither into the entry nor beside it`, async (t) => {
		const runs = await openRuns(t, dialect);
		const key = 'ab'.repeat(32);
		const env = {
			TOKENDROP_DATABASE_URL: `postgres://me:${PASSWORD}@localhost/one`,
			TOKENDROP_KEYS_PROVIDER: 'env',
			TOKENDROP_MASTER_KEY: key,
		};
		await (await runs.start()).close();
		await (await runs.start(env)).close();
		const [change] = await runs.changes();
		t.true(change.keys.includes('databaseUrl') && change.keys.includes('keys.masterKey'), change.keys);
		const folder = join(runs.dataDir, 'last-settings');
		const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
		for (const text of [JSON.stringify(change), ...files]) {
			t.false(text.includes(PASSWORD));
			t.false(text.includes(key));
		}
	});

	test(`${dialect}: a data directory in which nothing can be locked stops no start, and the log says so`, async (t) => {
		const runs = await openRuns(t, dialect);
		writeFileSync(join(runs.dataDir, 'last-settings'), 'in the way');
		await (await runs.start()).close();
		t.is(runs.warnings.length, 1);
		t.deepEqual(await runs.changes(), []);
	});

	test(`${dialect}: a spoilt file stops no start`, async (t) => {
		const runs = await openRuns(t, dialect);
		await (await runs.start()).close();
		writeFileSync(join(runs.dataDir, 'last-settings', '1.json'), '{');
		await (await runs.start(SESSIONS)).close();
		t.deepEqual(await runs.changes(), []);
		await (await runs.start()).close();
		t.is((await runs.changes()).length, 1);
	});
}
