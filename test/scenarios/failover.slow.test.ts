// The primary of PostgreSQL is lost while cards are stored, and its standby takes its place.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { RunningDaemon } from '../helpers/daemon.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import {
	type Failover,
	gapAfter,
	lostOf,
	moreStored,
	startFailover,
	storeCards,
	storeOne,
} from '../helpers/failover.ts';
import { patient } from '../helpers/patience.ts';
import { serialTestOnLinux } from '../helpers/test-on-linux.ts';
import { until } from '../helpers/until.ts';

const MOST_GAP_MS = patient(5_000);
/** A server without synchronous replication sends what it has committed to its standby within this time. */
const MOST_BEHIND_MS = patient(1_000);

/** Loses the primary under load, promotes the standby, and returns what the callers were answered. */
async function failOver(t: ExecutionContext, failover: Failover, lose: () => unknown) {
	const { pair } = failover;
	const load = storeCards(failover);
	await moreStored(load.answers, 100);
	const lostAt = performance.now();
	await lose();
	await pair.promote();
	const promotedAt = performance.now();
	await moreStored(load.answers, 100);
	await load.stop();
	const gap = gapAfter(load.answers, promotedAt);
	const counted = Object.entries(Object.groupBy(load.answers, ({ status }) => status));
	t.log(
		`${Math.round(promotedAt - lostAt)} ms until promoted, then ${Math.round(gap)} ms without service; ` +
			counted.map(([status, found]) => `${found?.length} × ${status}`).join(', '),
	);
	t.true(gap < MOST_GAP_MS, `${gap} ms`);
	return load.answers;
}

for (const isSynchronous of [false, true]) {
	const how = isSynchronous ? 'with' : 'without';
	serialTestOnLinux(`the primary is lost under load, ${how} synchronous replication`, async (t) => {
		const failover = await startFailover(t, {}, (pair) => isSynchronous && pair.replicateSynchronously());
		const { pair, installation, daemon } = failover;
		const session = await openSession(t, installation, daemon);
		const sending = sendFiles(session);
		let [losesAt, lostAt] = [0, 0];
		const answers = await failOver(t, failover, async () => {
			losesAt = performance.now();
			await pair.primary.losePower();
			lostAt = performance.now();
		});
		const { accepted, refusals } = await sending.stop();
		t.log(`${accepted.length} files accepted, ${refusals.length} refused`);
		t.deepEqual(new Set(refusals), new Set(refusals.length > 0 ? ['temporarily unavailable, try again'] : []));
		const output = async (name: string) => `${await session.arrival(`/tokenized/SIMPLECSV/${name}`)}`;
		// What a server has committed last is lost with it, as the last cards are, if no standby had to confirm it.
		const mayBeLost = ({ at }: { at: number }) => !isSynchronous && at > losesAt - MOST_BEHIND_MS && at < lostAt;
		for (const { name } of accepted.filter((each) => !mayBeLost(each))) t.notRegex(await output(name), /\d{13}/, name);
		const arrived = new Set(await session.names('/tokenized/SIMPLECSV'));
		for (const { name } of accepted.filter(mayBeLost))
			if (arrived.has(name)) t.notRegex(await output(name), /\d{13}/, name);
		t.log(`${accepted.filter(({ name }) => !arrived.has(name)).length} accepted files lost`);
		for (const { status, retryAfter } of answers) {
			// 504 says that the card may have been stored, because the answer to its commit was lost.
			t.true([201, 503, 504].includes(status), `${status}`);
			t.is(retryAfter !== null, status === 503);
		}
		const lost = await lostOf(failover, answers);
		t.log(`${lost.length} of ${answers.filter(({ token }) => token).length} acknowledged tokens lost`);
		if (isSynchronous) t.deepEqual(lost, []);
		const verified = await installation.command('audit', 'verify');
		t.is(verified.code, 0, verified.stdout);
		const { port } = pair.standby;
		t.deepEqual((await readyz(daemon)).details, { database: `primary 127.0.0.1:${port}` });
		const { findings } = await installation.json('doctor');
		const hosts = findings.find(({ part }: { part: string }) => part === 'hosts of the database');
		t.is(hosts.state, 'warning');
		t.regex(
			hosts.says,
			new RegExp(`127\\.0\\.0\\.1:${pair.primary.port}: .*ECONNREFUSED.*, 127\\.0\\.0\\.1:${port}: primary`),
		);
		if (isSynchronous) {
			// A server that has taken over this setting waits for a standby of its own at every commit.
			await pair.standby.ask(`alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()');
			// Commits wait as soon as one process of the server has read the setting, and others may read it a moment later.
			const says = /^primary .*, whose commits wait for a standby although none is connected$/;
			await until('commits wait, and readiness says why', async () => {
				const { status, details } = await readyz(daemon);
				return status === 'unavailable' && says.test(details?.database ?? '');
			});
			await pair.standby.ask('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
			await until('the daemon is ready again', async () => (await readyz(daemon)).database === 'ok');
		}
		t.is(await daemon.stop(), 0, daemon.log());
	});
}

/** Sends one file after the other until `stop` is called. A file that was not accepted is sent again, as a client would do. */
function sendFiles(session: Session) {
	const accepted: { name: string; at: number }[] = [];
	const refusals: string[] = [];
	let isStopped = false;
	const send = async () => {
		while (!isStopped) {
			const name = `${accepted.length}.csv`;
			try {
				await session.put(`/tokenize/SIMPLECSV/${name}`, Buffer.from('CardNumber\n4111111111111111\n'));
				accepted.push({ name, at: performance.now() });
			} catch (error) {
				refusals.push((error as Error).message);
			}
			await sleep(20);
		}
	};
	const sent = send();
	return {
		async stop() {
			isStopped = true;
			await sent;
			return { accepted, refusals };
		},
	};
}

async function readyz({ opsPort }: RunningDaemon) {
	const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	return (await answer.json()) as { status: string; database: string; details?: { database?: string } };
}

serialTestOnLinux('the former primary comes back as a standby, and takes its place again without a loss', async (t) => {
	const failover = await startFailover(t, {}, (pair) => pair.replicateSynchronously());
	const { pair, daemon } = failover;
	const { port } = pair.primary;
	const first = await failOver(t, failover, () => pair.primary.losePower());
	await pair.rejoin();
	t.is(pair.standby.port, port);
	await pair.replicateSynchronously();
	const second = await failOver(t, failover, () => pair.primary.losePower());
	t.is((await readyz(daemon)).details?.database, `primary 127.0.0.1:${port}`);
	t.deepEqual(await lostOf(failover, [...first, ...second]), []);
	t.is(await daemon.stop(), 0, daemon.log());
});

serialTestOnLinux('a primary that is frozen, so that no connection to it ends, is left within seconds', async (t) => {
	const failover = await startFailover(t);
	const { pair, daemon } = failover;
	await failOver(t, failover, async () => {
		await pair.caughtUp();
		pair.primary.freeze();
	});
	t.is((await readyz(daemon)).database, 'ok');
	t.is(await daemon.stop(), 0, daemon.log());
});

serialTestOnLinux(
	'a card whose commit was lost with its answer is a 504, and with a key it is stored once',
	async (t) => {
		const failover = await startFailover(t, {}, (pair) => pair.replicateSynchronously());
		const { pair, installation, daemon } = failover;
		await storeOne(failover);
		const countCards = async () => Number((await pair.primary.ask('select sum(live) as n from pages'))[0].n);
		t.is(await countCards(), 1);
		// A commit of a card waits until the test lets it go on, and the standby is lost in between.
		const gate = new pg.Client({ connectionString: pair.primary.url });
		await gate.connect();
		t.teardown(() => gate.end());
		await pair.primary.ask(
			`create function wait() returns trigger language plpgsql as
				$$ begin perform pg_advisory_lock_shared(7); perform pg_advisory_unlock_shared(7); return null; end $$`,
			`create constraint trigger waits after insert on pages deferrable initially deferred for each row execute function wait()`,
		);
		const commitsInVain = async (headers: Record<string, string> = {}) => {
			await gate.query('select pg_advisory_lock(7)');
			const storing = storeOne(failover, headers);
			const pid = await until('the card is committed', async () => {
				const waiting = `select pid from pg_stat_activity where query = 'commit' and wait_event = 'advisory'`;
				return (await pair.primary.ask(waiting))[0]?.pid;
			});
			await pair.standby.freezeReceiver();
			await gate.query('select pg_advisory_unlock(7)');
			// The primary has committed by itself, and waits for the standby before it answers. Whoever ends this waiting
			// loses the answer.
			await until('the answer to a commit is lost', async () => {
				const ended = `select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and wait_event = 'SyncRep'`;
				return (await pair.primary.ask(ended)).length > 0;
			});
			pair.standby.thaw();
			return storing;
		};
		const open = await commitsInVain();
		t.deepEqual([open.status, open.retryAfter], [504, null]);
		t.is(await countCards(), 2, 'the card of the call with an unknown outcome is there');
		const key = { 'idempotency-key': 'once' };
		const again = await commitsInVain(key);
		t.is(again.status, 503);
		t.regex(`${again.retryAfter}`, /^\d+$/);
		const repeated = await storeOne(failover, key);
		t.is(repeated.status, 201);
		t.is(await countCards(), 3, 'the repeated call finds what the first one has stored');
		t.deepEqual(await lostOf(failover, [repeated]), []);
		t.is((await installation.command('audit', 'verify')).code, 0);
		t.is(await daemon.stop(), 0, daemon.log());
	},
);

serialTestOnLinux('what a standby had not received is lost, and audit verify tells so', async (t) => {
	const failover = await startFailover(t, { TOKENDROP_AUDIT_HEAD_SECONDS: '1' });
	const { pair, installation, daemon } = failover;
	const before = storeCards(failover);
	await moreStored(before.answers, 20);
	await before.stop();
	await pair.caughtUp();
	await pair.partStandby();
	const load = storeCards(failover);
	await moreStored(load.answers, 60);
	await load.stop();
	const noted = Number((await pair.primary.ask('select max(seq) as seq from audit'))[0].seq);
	await until('the end of the trail is noted outside of the database', async () => {
		const lines = (await readFile(join(installation.dataDir, 'audit-heads.jsonl'), 'utf8')).trim().split('\n');
		return JSON.parse(lines.at(-1)!).entries >= noted;
	});
	await pair.primary.losePower();
	await pair.promote();
	const after = storeCards(failover);
	await moreStored(after.answers, 100);
	await after.stop();
	t.deepEqual([...new Set(after.answers.map(({ status }) => status))], [201]);

	const lost = await lostOf(failover, load.answers);
	t.log(`${lost.length} of ${load.answers.length} acknowledged tokens lost`);
	t.true(lost.length > 0, 'the standby had not received all');
	t.deepEqual(await lostOf(failover, [...before.answers, ...after.answers]), []);
	const verified = await installation.command('audit', 'verify');
	t.is(verified.code, 1);
	const { problems } = JSON.parse(verified.stdout);
	const told = problems.filter((problem: string) => /^line \d+ of .*audit-heads\.jsonl: /.test(problem));
	t.regex(told.join('\n'), /: entry \d+ is another one than at 2|: the trail had \d+ entries at 2/);
	t.is(await daemon.stop(), 0, daemon.log());
});
