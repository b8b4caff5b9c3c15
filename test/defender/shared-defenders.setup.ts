// What shared-defenders.test.ts and shared-defenders.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { type Defender, defaultDefenderSettings } from '../../src/base/defender/defender.ts';
import { scoreStore } from '../../src/base/defender/score-store.ts';
import { openSharedDefenders, type SharedDefendersOptions } from '../../src/base/defender/shared-defenders.ts';
import { failedLoginSettings } from '../../src/doors/http/access/login-limiter.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

export const ADDRESS = '192.0.2.1';
const HOUR_MS = 3_600_000;
export const doors = { sftp: defaultDefenderSettings, http: failedLoginSettings };

/** Makes a database on which a test opens as many defenders as it likes, which exchange reports when they are told to. */
export async function start(t: ExecutionContext, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const clock = turnableClock();
	const log: string[] = [];
	const note = (_: unknown, text?: string) => void log.push(text ?? String(_));
	const logger = { info: note, warn: note } as unknown as SharedDefendersOptions['logger'];
	const queries: string[] = [];
	database.knex.on('query', ({ sql }: { sql: string }) => queries.push(sql));
	return {
		...{ database, clock, log, queries, store: scoreStore(database.knex) },
		async open(more: Partial<SharedDefendersOptions> = {}) {
			const opened = await openSharedDefenders({ database, clock, logger, doors, beatMs: HOUR_MS, ...more });
			t.teardown(() => opened.close());
			return opened;
		},
	};
}

export function fail(defender: Defender, times: number, address = ADDRESS): void {
	for (let turn = 0; turn < times; turn += 1) defender.report(address, 'login-failed');
}
