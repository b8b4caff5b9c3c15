// Tests the session calls of the payments library from pages of other origins, as a real browser makes them.

import type { ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { openPage, pageTest } from '../helpers/shared-browser.ts';
import { beginSession, openWalletApp, WALLET_TOKENIZE } from '../helpers/wallet-calls.ts';

/** Sends a card from a page of an origin, and returns the status of the answer or the error of the browser. */
async function sendFrom(t: ExecutionContext, origin: string, registered: readonly string[]) {
	const { parts, caller } = await openWalletApp(t);
	for (const each of registered) await parts.identity.origins.add('agency', each, 'operator test');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as { port: number };
	const { page } = await openPage(t);
	await page.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Shop</title>' }));
	await page.goto(`${origin}/`);
	const call = {
		url: `http://127.0.0.1:${port}${WALLET_TOKENIZE}`,
		method: 'POST',
		headers: { authorization: `Bearer ${await beginSession(caller)}`, 'content-type': 'application/json' },
		body: cardJson(),
	};
	return page.evaluate(async ({ url, ...init }) => {
		try {
			const answer = await fetch(url, init);
			return { status: answer.status, result: ((await answer.json()) as { status: string }).status };
		} catch (error) {
			return (error as Error).message;
		}
	}, call);
}

pageTest('a page of a registered origin carries a session out', async (t) => {
	t.deepEqual(await sendFrom(t, 'https://shop.example', ['https://shop.example']), {
		status: 200,
		result: 'completed',
	});
});

pageTest('the browser keeps a page of any other origin from it', async (t) => {
	t.is(await sendFrom(t, 'https://evil.example', ['https://shop.example']), 'Failed to fetch');
});
