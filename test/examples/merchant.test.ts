// Somebody buys a book in the example shop, in a real browser and with a real daemon.

import test, { type ExecutionContext } from 'ava';
import { openShop } from '../../examples/merchant/shop.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { openPage, pageTest } from '../helpers/shared-browser.ts';

async function openAll(t: ExecutionContext) {
	const { daemon, installation } = await startInstallation(t);
	const { apiKey } = installation.demo;
	const formKey = await installation.json('api-key', 'create', '--user-id', 'demo', '--permissions', 'Tokenize');
	const shop = openShop({ vaultUrl: daemon.baseUrl, apiKey, formKey: formKey.apiKey });
	await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
	t.teardown(() => {
		shop.closeAllConnections();
		shop.close();
	});
	const opened = await openPage(t);
	await opened.page.goto(`http://localhost:${(shop.address() as { port: number }).port}/`);
	return { ...opened, daemon, apiKey };
}

pageTest('somebody buys a book: once with a card that is declined, then with a good one', async (t) => {
	const { page, complaints, hosts, daemon, apiKey } = await openAll(t);
	const form = page.frameLocator('iframe[title="Card details"]');
	const buyWith = async (number: string) => {
		await page.getByRole('button', { name: 'Buy' }).click();
		await form.getByLabel('Card number').fill(number);
		await form.getByLabel('Expiry date').fill('12 / 30');
		await form.getByLabel(/Security code/).fill('123');
		await form.getByLabel('Name on card').fill('MARIE DUPONT');
		await form.getByRole('button', { name: 'Submit' }).click();
		const result = page.locator('#result:not(:empty)');
		await result.waitFor();
		return result.innerText();
	};
	t.is(await buyWith('4000 0000 0000 0002'), 'Your bank has declined the card.');
	t.is(await page.locator('iframe').count(), 0);
	t.is(await buyWith('4111 1111 1111 1111'), 'Thank you. The book is on its way.');
	const listed = await fetch(`${daemon.baseUrl}/api/paymentGateway/transactions`, {
		headers: { 'x-service-api-key': apiKey, accept: 'application/json' },
	});
	const payments = (await listed.json()) as { State: string; Amount: number }[];
	t.deepEqual(
		payments.map(({ State, Amount }) => `${State} ${Amount}`),
		['declined 18.5', 'approved 18.5'],
	);
	t.is(hosts().length, 2, 'the shop and the vault');
	t.deepEqual(complaints, []);
	t.false(daemon.log().includes('4111111111111111'));
});

test('the shop charges no token that is none, and no order twice', async (t) => {
	const shop = openShop({ vaultUrl: 'http://127.0.0.1:1', apiKey: 'x', formKey: 'x' });
	await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
	t.teardown(() => void shop.close());
	const base = `http://127.0.0.1:${(shop.address() as { port: number }).port}`;
	const post = async (path: string, body: string) => (await fetch(base + path, { method: 'POST', body })).status;
	t.is(await post('/orders', '{}'), 502, 'no vault');
	t.is(await post('/orders/none/payment', JSON.stringify({ token: 'f'.repeat(32) })), 400);
	t.is(await post('/orders/none/payment', 'x'.repeat(5000)), 502);
	t.is(await post('/elsewhere', ''), 404);
});
