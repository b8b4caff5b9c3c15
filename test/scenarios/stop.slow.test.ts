// SIGTERM comes while callers wait for third parties that say nothing: the stop takes no longer than the time it was given.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { JSON_PROFILE, openThirdParty, silence, type ThirdParty } from '../helpers/third-party.ts';

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

/** Starts a daemon with a profile and a card, and a relay to a third party that does not answer. */
async function openHangingRelay(t: ExecutionContext, party: ThirdParty, drainSeconds: number) {
	const { installation, daemon } = await startInstallation(t, {
		variables: {
			TOKENDROP_SHUTDOWN_DRAIN_SECONDS: String(drainSeconds),
			TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
		},
	});
	const { apiKey, userId } = installation.demo;
	const file = join(installation.folder, 'profile.yaml');
	writeFileSync(file, JSON_PROFILE);
	await installation.json('profile', 'put', '--user-id', userId, '--file', file);
	const post = (path: string, body: string) =>
		fetch(`${daemon.baseUrl}${path}`, { method: 'POST', body, headers: { ...JSON_TYPE, 'x-service-api-key': apiKey } });
	const stored = await post('/api/payments/paycard', cardJson());
	const token = String(stored.headers.get('location')).slice(-32);
	const query = new URLSearchParams({ profileName: 'Partner', targetUri: party.url, cardToken: token });
	const calling = post(`/api/payments/paycard/relay?${query}`, '{"card":{"number":""}}');
	calling.catch(() => {});
	while (party.seen.length === 0) await sleep(20);
	return { daemon, calling };
}

test.serial('a relay that hangs holds a stop no longer than drainSeconds, and its caller is told', async (t) => {
	const party = await openThirdParty(t, silence);
	const { daemon, calling } = await openHangingRelay(t, party, 1);
	const started = performance.now();
	const stopped = daemon.stop();
	const answer = await calling;
	t.is(answer.status, 504);
	t.is(((await answer.json()) as { message: string }).message, 'Request timed out');
	t.is(await stopped, 0);
	const seconds = (performance.now() - started) / 1000;
	t.true(seconds >= 0.9 && seconds < 6, `${seconds} s`);
	t.false(daemon.log().includes('stopping takes too long'));
});

test.serial('a relay that ends in time is answered before the daemon stops', async (t) => {
	const party = await openThirdParty(t, (_seen, response) => {
		setTimeout(() => response.end('booked'), 1500);
		return undefined;
	});
	const { daemon, calling } = await openHangingRelay(t, party, 20);
	const started = performance.now();
	const stopped = daemon.stop();
	const answer = await calling;
	t.deepEqual([answer.status, await answer.text()], [200, 'booked']);
	t.is(await stopped, 0);
	const seconds = (performance.now() - started) / 1000;
	t.true(seconds < 10, `${seconds} s: nobody waits for the rest of the time`);
});
