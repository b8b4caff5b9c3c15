// Checks docs/payments-library.md: its example is typed as it stands into a shell, against the app.

import test from 'ava';
import { WALLET_OPERATIONS } from '../../src/work/payments/wallet/operation.ts';
import { WALLET_STATUSES } from '../../src/work/payments/wallet/wallet.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { readPage, runExamples } from '../helpers/page-examples.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const page = readPage('payments-library.md');

testNeeding('curl')('the example does what it shows', async (t) => {
	const parts = await openHttpApp(t);
	const { apiKey } = await parts.createCaller('agency');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as { port: number };
	t.is(page.examples.length, page.shellBlocks);
	const env = { PATH: process.env.PATH, BASE: `http://127.0.0.1:${port}`, API_KEY: apiKey };
	await runExamples(t, page.examples, env);
});

test('every operation and every status has a row', (t) => {
	for (const name of [...WALLET_OPERATIONS, ...WALLET_STATUSES]) t.true(page.text.includes(`\n| \`${name}\` |`), name);
});
