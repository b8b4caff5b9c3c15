// docs/http.md tells the truth: its examples are typed as they stand into a shell, against the app.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import test from 'ava';
import { errorFormat, successFormat } from '../../src/http/negotiation.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';

const page = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```sh\n(.*?)^```\n```text\n(.*?)^```$/gms)].map(([, script, output]) => ({
	script,
	output,
}));

/** `…` stands for anything within its line. */
function matcher(expected: string): RegExp {
	const escaped = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
	return new RegExp(`^${escaped.join('.*')}$`);
}

test('every example does what it shows', async (t) => {
	const rooms = await openHttpRooms(t);
	// The examples ask the machine what time it is.
	rooms.clock.turn(Date.now() - rooms.clock.now().getTime());
	const { apiKey } = await rooms.createCaller('agency');
	await rooms.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = rooms.app.server.address() as { port: number };
	const env = { PATH: process.env.PATH, BASE: `http://127.0.0.1:${port}`, API_KEY: apiKey };
	t.true(examples.length >= 4);
	for (const { script, output } of examples) {
		const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], { env, cwd: makeFolder(t) });
		t.regex(stdout, matcher(output), script);
	}
});

test('every shell block has its output', (t) => {
	t.is(examples.length, page.match(/^```sh$/gm)!.length);
});

test('the table of formats says what is negotiated', (t) => {
	const rows = page.split('\n').filter((line) => /^\| .* \| (JSON|XML) \| (JSON|XML) \|$/.test(line));
	t.true(rows.length >= 6);
	for (const row of rows) {
		const [values, success, error] = row
			.slice(2, -2)
			.split(' | ')
			.map((cell) => cell.trim());
		const accepts = values.startsWith('none') ? [undefined] : [];
		for (const accept of [...accepts, ...[...values.matchAll(/`([^`]+)`/g)].map(([, value]) => value)]) {
			t.is(successFormat(accept), success.toLowerCase() as 'json', accept);
			t.is(errorFormat(accept), error.toLowerCase() as 'json', accept);
		}
	}
});
