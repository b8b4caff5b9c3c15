// Tests the pages about cards in a real browser: hostile texts, live trials, four languages, light and dark.

import { openProviders } from '../gateway/servers/gateways.ts';
import { storeCard, VISA } from '../helpers/card-calls.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import type { SignedIn } from '../helpers/portal-app.ts';
import { type PortalBrowser, portalBrowser } from '../helpers/portal-browser.ts';
import { PROFILE } from '../helpers/portal-scene.ts';
import { pay } from '../helpers/provider-payments.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const XSS = `"'><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
const EXAMPLE = `{
  "reservation": "R-1",
  "card": {"number": "${VISA}", "month": "12"}
}`;

/** Fills an account with what its pages show. All texts would be markup if they were not escaped. */
async function fill(portal: PortalBrowser, manager: SignedIn, text: string) {
	const { parts } = portal;
	const caller = manager.caller!;
	const token = await storeCard(caller, `?ref=${encodeURIComponent(text)}`, { NameOnCard: text, OwnerID: text });
	const { ownerId: accountId, userId } = manager.viewer.principal!;
	const request = await parts.cardRequests.create(
		manager.viewer.principal!,
		{ recipient: { name: text, email: 'marie@example.com', phone: text }, reference: text },
		{ baseUrl: portal.base },
	);
	const profile = PROFILE.replace('Reservations of a hotel', JSON.stringify(text));
	await parts.profiles.put(accountId, profile);
	const destination = { name: 'bank', host: 'sftp.example', port: 22, userName: text, folder: text, hostKeys: [] };
	const document = { destination, secrets: { password: 'secret' } };
	await parts.destinations.put({ accountId, userId }, document, 'operator test');
	const CARD = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	await pay(caller, { Card: CARD, MyRef: text, PaymentGateway: { Name: 'Sandbox' } });
	await parts.database.knex('gateway_attempts').update({
		gateway_result_description: text,
		description: text,
		gateway_result_code: text,
		state: 'unknown',
	});
	const { id: payment } = await parts.database.knex('gateway_attempts').first();
	await parts.gateway.credentials.put({ accountId, id: 'shop-1', actor: 'operator test' }, 'Sandbox', {});
	return [
		...['/portal/cards', '/portal/cards?last4=1111', `/portal/cards/${token}`, `/portal/cards/${token}/delete`],
		...['/portal/requests', '/portal/requests/new', `/portal/requests/${request.id}`],
		...['/portal/payments', `/portal/payments/${payment}`],
		...['/portal/parties', '/portal/parties/profiles/Pms', '/portal/parties/new-profile'],
		...['/portal/parties/destinations/bank', '/portal/parties/credentials/shop-1'],
	];
}

pageTest('texts of others never become markup, and no page shows a number', async (t) => {
	const { settings } = await openProviders(t);
	const portal = await portalBrowser(t, { gateway: settings });
	const opened = await portal.open('manager');
	const paths = await fill(portal, opened.person, XSS);
	paths.push(`/portal/cards?reference=${encodeURIComponent(XSS)}&user=${encodeURIComponent(XSS)}`);
	paths.push(`/portal/parties/new-profile?from=${encodeURIComponent(XSS)}`);
	for (const path of paths) {
		await opened.show(path);
		t.false(['broken'].includes(await opened.page.title()), path);
		t.is(await opened.page.locator('img').count(), 0, path);
		t.false((await opened.page.content()).includes(VISA), path);
	}
	t.deepEqual(opened.complaints, []);
});

pageTest('the pages have no violations in four languages, light and dark, phone and desktop', async (t) => {
	const { settings } = await openProviders(t);
	const portal = await portalBrowser(t, { gateway: settings });
	const first = await portal.open('manager');
	const paths = await fill(portal, first.person, 'booking-7');
	const looks = [
		['en', 'light', 1280],
		['de', 'dark', 390],
		['fr', 'light', 390],
		['es', 'dark', 1280],
	] as const;
	for (const [language, colorScheme, width] of looks) {
		const look = { colorScheme, viewport: { width, height: 800 } };
		const { page, show, complaints } = await portal.open('manager', { language, look });
		for (const path of paths) {
			await show(path);
			t.deepEqual(await violationsOf(page), [], `${language} ${colorScheme} ${path}`);
			t.false(await isTooWide(page), `${language} ${width} ${path}`);
		}
		t.deepEqual(complaints, []);
	}
});

pageTest('a trial fills in beside the editor, and a problem leads to its line', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, complaints } = await portal.open('developer');
	await show('/portal/parties/new-profile');
	await page.locator('#text').fill(PROFILE);
	await page.locator('#example').fill(EXAMPLE);
	await page.locator('#try').click();
	await page.locator('#marked mark').first().waitFor();
	t.is(await page.locator('#marked mark').count(), 2);
	t.regex((await page.locator('#marked').textContent()) ?? '', /411111\*{6}1111/);
	t.regex((await page.locator('#trial').textContent()) ?? '', /matches nothing/);
	t.is(await page.locator('#example').inputValue(), EXAMPLE, 'what was typed stays');
	t.true(page.url().endsWith('/new-profile'), 'the page was not left');
	t.deepEqual(await violationsOf(page), []);

	await page.locator('#text').fill(PROFILE.replace('  - number', '  - nmuber'));
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('#problems a').first().click();
	const selected = await page.evaluate('text.value.slice(text.selectionStart, text.selectionEnd)');
	t.regex(String(selected), /nmuber/);
	t.deepEqual(await violationsOf(page), []);
	t.deepEqual(
		complaints.filter((each) => !each.includes('status of 400')),
		[],
	);
});

pageTest('a request is made without JavaScript, and a card searched', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, person } = await portal.open('clerk', { look: { javaScriptEnabled: false } });
	await storeCard(person.caller!, '?ref=booking-7');
	await show('/portal/requests/new');
	await page.locator('#CreatorReference').fill('booking-8');
	await page.locator('main form button').click();
	t.regex((await page.locator('#link').textContent()) ?? '', /\/cardrequest\/cr_/);
	await show('/portal/cards');
	await page.locator('#last4').fill('1111');
	await page.locator('form.search button').click();
	t.true(page.url().includes('last4=1111'));
	t.is(await page.locator('tbody tr').count(), 1);
});
