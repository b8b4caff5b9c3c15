import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { RootKeyAwayError, RootKeyError } from '../../src/base/keys/root-key.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { buildOpsApp } from '../../src/doors/http/server/ops-app.ts';
import { readinessOf } from '../../src/doors/http/server/readiness.ts';
import { AWAY, checkMasterKey, REPLACED, watchMasterKey } from '../../src/installation/keys/master-key-watch.ts';

const metrics = async () => ({ contentType: 'text/plain', text: '' });

test('a daemon on a former master key is ready, and says what is to be done', async (t) => {
	const states = ['present', 'replaced', 'away', 'wrong'] as const;
	const answers = [];
	for (const state of states) {
		const check = async () => {
			if (state === 'away') throw new RootKeyAwayError('away');
			if (state === 'wrong') throw new RootKeyError('wrong');
			return state;
		};
		const app = buildOpsApp({ readiness: () => readinessOf([['keys', () => checkMasterKey({ check })]]), metrics });
		const { statusCode, body } = await app.inject('/readyz');
		answers.push([statusCode, JSON.parse(body)]);
		await app.close();
	}
	t.deepEqual(answers, [
		[200, { status: 'ok', keys: 'ok' }],
		[200, { status: 'degraded', keys: 'ok', warnings: { keys: REPLACED } }],
		[200, { status: 'degraded', keys: 'ok', warnings: { keys: AWAY } }],
		[503, { status: 'unavailable', keys: 'unreachable' }],
	]);
});

test('the log says once what has become of the master key, and again when that changes', async (t) => {
	const lines: string[] = [];
	const logger = openLogger({
		level: 'info',
		destination: { write: (line: string) => void lines.push(JSON.parse(line).msg) },
	});
	let state: 'present' | 'replaced' | 'away' | 'wrong' = 'present';
	let looks = 0;
	const check = async () => {
		looks++;
		if (state === 'away') throw new RootKeyAwayError('away');
		if (state === 'wrong') throw new RootKeyError('wrong');
		return state;
	};
	const watch = watchMasterKey({ keyRing: { check }, logger, everyMs: 5 });
	t.teardown(() => watch.close());
	const lookTwice = async () => {
		for (const until = looks + 3; looks < until; ) await sleep(5);
	};
	for (const next of ['present', 'replaced', 'away', 'wrong', 'present'] as const) {
		state = next;
		await lookTwice();
		t.is(watch.isAway(), next === 'away');
	}
	watch.close();
	const after = looks;
	await sleep(30);
	t.is(looks, after, 'nobody looks any more');
	t.deepEqual(lines, [REPLACED, AWAY, 'the master key cannot be had', 'the present master key is in use']);
});
