// Tests which ends of runs count towards the three refused logins in a row that stop a route.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { LoginRefusedError } from '../../src/base/outbound/sftp/sftp-failures.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { openRoutes } from '../../src/work/routes/routes.ts';
import { askForRun } from '../../src/work/routes/runs/begin-runs.ts';
import { endRun } from '../../src/work/routes/runs/end-run.ts';
import { HostRestsError } from '../../src/work/routes/runs/run-errors.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { openBegunDatabase } from '../helpers/begun-database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const OWNER = { accountId: 7 as AccountId, ownerId: 7 as AccountId, userId: 'agency' };
const REFUSED = () => new LoginRefusedError('the password was not accepted', undefined);
const DOWN = () => new ServiceError('target-unreachable', { field: 'host', problem: 'the connection was refused' });

test('a host that is down does not end a row of refused logins, and a login that is taken does', async (t) => {
	const clock = turnableClock(new Date('2026-06-01T02:00:00Z'));
	const { database, keyRing } = await openBegunDatabase(t, 'sqlite', clock);
	const audit = await openAudit({ database, keyRing, clock });
	const destinations = { list: async () => [] };
	const routes = openRoutes({ database, keyRing, audit, clock, formats, folders: [], destinations });
	const ends = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
	await routes.put(OWNER, await routes.read(OWNER, JSON.stringify({ name: 'r', ...ends })), 'operator test');
	const daemonId = 'one';
	const end = async (error?: unknown) => {
		const { row, route } = await routes.get(OWNER.accountId, 'r');
		const run = await askForRun({ database, clock }, row, 'hand');
		await runStore(database.knex).take(run, { daemonId, leaseUntil: clock.now().getTime() + 60_000 });
		const about = { id: run.id, daemonId, routeId: row.id, route, options: undefined, ...OWNER };
		const context = { ...about, subject: 'route agency/r', actor: 'route r', signal: new AbortController().signal };
		const teller = { async tell() {} };
		await endRun({ database, audit, clock, teller }, context, { run, row, end: { error, readyAt: undefined } });
		clock.turn(1_000);
		return (await routes.get(OWNER.accountId, 'r')).listed.state;
	};
	t.is(await end(REFUSED()), 'failing');
	t.is(await end(REFUSED()), 'failing');
	t.is(await end(), 'waiting', 'a login was taken');
	t.is(await end(REFUSED()), 'failing');
	t.is(await end(DOWN()), 'failing');
	t.is(await end(REFUSED()), 'failing');
	t.is(await end(new HostRestsError(clock.now().getTime())), 'failing');
	t.is(await end(REFUSED()), 'stopped');
});
