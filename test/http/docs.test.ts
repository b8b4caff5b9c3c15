// Checks docs/http.md: its examples are typed as they stand into a shell, against the app.

import test from 'ava';
import { errorFormat, successFormat } from '../../src/doors/http/negotiation/negotiation.ts';
import { generateCallsPage, readCallsPage } from '../helpers/generate-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { readPage, runExamples } from '../helpers/page-examples.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const { text: page, examples, shellBlocks } = readPage('http.md');

testNeeding('curl')('every example does what it shows', async (t) => {
	const parts = await openHttpApp(t);
	// The examples use the time of the machine, so the clock of the app is set to it.
	parts.clock.turn(Date.now() - parts.clock.now().getTime());
	const { apiKey } = await parts.createCaller('agency');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as { port: number };
	const env = { PATH: process.env.PATH, BASE: `http://127.0.0.1:${port}`, API_KEY: apiKey };
	t.true(examples.length >= 4);
	// Runs each example alone, because readers type only what they need.
	for (const example of examples) await runExamples(t, [example], env);
});

test('every shell block has its output', (t) => {
	t.is(examples.length, shellBlocks);
});

test('the tables of calls are those of the definitions', async (t) => {
	t.true((await generateCallsPage(t)) === readCallsPage(), 'run npm run generate:calls');
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
