// Tests the page at /docs in a real browser, served by a real daemon.

import test, { type ExecutionContext } from 'ava';
import type { OpenedPage } from '../../helpers/browser.ts';
import { getBrowserPath } from '../../helpers/browser-path.ts';
import { type Installation, type RunningDaemon, startInstallation } from '../../helpers/daemon.ts';
import type { OpenApiDocument } from '../../helpers/openapi-document.ts';
import { openPage, pageTest } from '../../helpers/shared-browser.ts';

let daemon: RunningDaemon;
let installation: Installation;
const releases: (() => unknown)[] = [];

test.before(async () => {
	const t = { teardown: (release: () => unknown) => void releases.unshift(release) };
	({ daemon, installation } = await startInstallation(t));
});
test.after.always(async () => {
	for (const release of releases) await release();
});

const STORE = '#operations-tokens-storeACard';

/** Stores a card as a reader of the page does, whose operation is already opened. */
async function storeFrom(t: ExecutionContext, { page, complaints }: OpenedPage) {
	await page.getByRole('button', { name: 'Authorize' }).first().click();
	const form = page.locator('.auth-container').filter({ hasText: 'x-service-api-key' });
	await form.locator('input').fill(installation.demo.apiKey);
	await form.getByRole('button', { name: 'Apply credentials' }).click();
	await page.locator('.btn-done').first().click();
	await page.locator(`${STORE} .try-out__btn`).click();
	const sent = page.waitForRequest((request) => request.method() === 'POST');
	await page.locator(`${STORE} .execute`).click();
	t.is((await sent).headers().accept, 'application/json');
	const answer = page.locator(`${STORE} .live-responses-table .response`);
	await answer.waitFor();
	const text = await answer.innerText();
	t.regex(text, /^201\b/);
	t.true(text.includes('411111******1111'));
	const [, token] = /location: \S+\/([0-9a-f]{32})/.exec(text) ?? [];
	const metadata = await fetch(`${daemon.baseUrl}/api/payments/paycard/${token}/meta`, {
		headers: { 'x-service-api-key': installation.demo.apiKey },
	});
	t.like(await metadata.json(), { UserID: 'demo', LastDigits: '1111' });
	t.deepEqual(complaints, []);
	t.false(daemon.log().includes('4111111111111111'));
}

pageTest(
	'the page lists every operation under its tag, without asking anybody else, and stores a card with the key of its reader',
	async (t) => {
		const document = (await (await fetch(`${daemon.baseUrl}/openapi.json`)).json()) as OpenApiDocument & {
			readonly webhooks: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>;
		};
		const webhooks = Object.values(document.webhooks).map(({ post }) => post);
		const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
		const shown = await openPage(t);
		const { page, complaints, hosts } = shown;
		await page.goto(`${daemon.baseUrl}/docs`);
		await page.locator('.opblock').first().waitFor();
		t.is(await page.title(), 'Tokendrop');
		t.deepEqual(
			await page.locator('.opblock-tag').evaluateAll((tags) => tags.map((tag) => tag.getAttribute('data-tag'))),
			document.tags!.map(({ name }) => name),
		);
		t.deepEqual(
			(await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))).sort(),
			[
				...operations.map(({ tags, operationId }) => `operations-${tags![0].replaceAll(' ', '_')}-${operationId}`),
				...webhooks.map(({ operationId }) => `operations-webhooks-${operationId}`),
			].sort(),
		);
		await page.locator(`${STORE} .opblock-summary-control`).click();
		const opened = page.locator(`${STORE} .opblock-body`);
		await opened.waitFor();
		// The page draws the examples a moment after the rest.
		for (const part of [
			'"Number": "4111111111111111"',
			'411111******1111',
			'Needs the permission Tokenize',
			'Idempotency-Key',
		]) {
			await t.notThrowsAsync(opened.filter({ hasText: part }).waitFor(), part);
		}
		t.deepEqual(complaints, []);
		// Uses the page that is already open, because a page takes seconds to draw.
		await storeFrom(t, shown);
		t.deepEqual(hosts(), [new URL(daemon.baseUrl).host]);
	},
);

pageTest('calls go where the page came from, whatever the installation calls itself', async (t) => {
	const shown = await openPage(t);
	await shown.page.goto(`http://localhost:${new URL(daemon.baseUrl).port}/docs`);
	await shown.page.locator(`${STORE} .opblock-summary-control`).click();
	await storeFrom(t, shown);
});

pageTest('without a browser there is a sentence that says what to install', (t) => {
	t.throws(() => getBrowserPath({ PATH: '/nowhere' }), { message: /apt-get install chromium/ });
	t.is(getBrowserPath({ PATH: '/nowhere', TOKENDROP_TEST_BROWSER: '/opt/browser' }), '/opt/browser');
});
