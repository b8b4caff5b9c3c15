// Takes the key service away from a running daemon for some minutes, and asks that nothing fails meanwhile.

import { setTimeout as sleep } from 'node:timers/promises';
import { cardJson, VISA } from '../../test/helpers/card-calls.ts';
import type { Installation, RunningDaemon } from '../../test/helpers/daemon.ts';
import { until } from '../../test/helpers/until.ts';
import { startLoad } from './load.ts';

const EVERY_MS = 60_000;
/** The load is light, because everything that it stores in an hour is asked for afterwards. */
const PAUSE_MS = 250;

/** Everything that a daemon could do meanwhile, counted. */
export interface Away {
	readonly minutes: number;
	readonly cards: number;
	readonly files: number;
	/** The accounts whose first keys were made meanwhile. */
	readonly newcomers: number;
	/** What failed. */
	readonly wrong: readonly string[];
}

/**
 * Runs a load while the service is away. Each minute an account that has no keys yet stores its first card, which is then
 * read again, because new keys are what could need the service.
 */
export async function watchAway(
	{ installation, daemon }: { readonly installation: Installation; readonly daemon: RunningDaemon },
	service: { goAway(): Promise<void>; comeBack(): Promise<void> },
	minutes: number,
	say: (text: string) => void,
): Promise<{ readonly away: Away; readonly acknowledged: ReturnType<typeof startLoad>['acknowledged'] }> {
	const wrong: string[] = [];
	const rounds = Math.max(1, Math.ceil((minutes * 60_000) / EVERY_MS));
	const keys: string[] = [];
	for (let nth = 0; nth < rounds; nth++) {
		const created = ['account', 'create', '--user-id', `newcomer-${nth}`, '--permissions', 'all'];
		keys.push((await installation.json(...created)).apiKey);
	}
	const load = startLoad(installation, () => daemon, { pauseMs: PAUSE_MS });
	await service.goAway();
	const begun = performance.now();
	await until('the daemon notices', async () => (await keyWarning(daemon)) !== undefined);
	for (const [nth, apiKey] of keys.entries()) {
		const before = { cards: load.acknowledged.tokens.length, files: load.acknowledged.files.length };
		const end = begun + Math.min((nth + 1) * EVERY_MS, minutes * 60_000);
		await storeFirst(daemon, apiKey).catch((error) => wrong.push(`minute ${nth + 1}: ${(error as Error).message}`));
		await sleep(Math.max(0, end - performance.now()));
		const cards = load.acknowledged.tokens.length - before.cards;
		const files = load.acknowledged.files.length - before.files;
		if (cards === 0 || files === 0) wrong.push(`minute ${nth + 1}: ${cards} cards and ${files} files`);
		if ((await keyWarning(daemon)) === undefined) wrong.push(`minute ${nth + 1}: the daemon does not warn`);
		say(`minute ${nth + 1}: ${cards} cards and ${files} files, ${wrong.length} failures so far`);
	}
	await load.end();
	for (const [status, count] of load.failed) wrong.push(`${count} calls failed: ${status}`);
	const lastedMs = performance.now() - begun;
	await service.comeBack();
	await until('the daemon notices', async () => (await keyWarning(daemon)) === undefined);
	const { tokens, files } = load.acknowledged;
	const counts = { cards: tokens.length, files: files.length, newcomers: keys.length };
	return { away: { minutes: lastedMs / 60_000, ...counts, wrong }, acknowledged: load.acknowledged };
}

async function keyWarning({ opsPort }: RunningDaemon): Promise<string | undefined> {
	const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	const { warnings } = (await answer.json()) as { warnings?: { keys?: string } };
	return answer.status === 200 ? warnings?.keys : `status ${answer.status}`;
}

async function storeFirst({ baseUrl }: RunningDaemon, apiKey: string): Promise<void> {
	const headers = { 'x-service-api-key': apiKey, 'content-type': 'application/json', accept: 'application/json' };
	const path = `${baseUrl}/api/payments/paycard`;
	const stored = await fetch(path, { method: 'POST', headers, body: cardJson() });
	if (stored.status !== 201) throw new Error(`a first card is answered with ${stored.status}: ${await stored.text()}`);
	const token = stored.headers.get('location')!.slice(-32);
	// The number itself comes out of files only.
	const read = await fetch(`${baseUrl}/api/files/detokenize?filter=SIMPLECSV`, {
		method: 'POST',
		headers: { 'x-service-api-key': apiKey, 'content-type': 'application/octet-stream' },
		body: `CardNumber\n${token}\n`,
	});
	const text = await read.text();
	if (read.status !== 200 || !text.includes(VISA)) throw new Error(`a first card is not read: ${read.status}`);
}
