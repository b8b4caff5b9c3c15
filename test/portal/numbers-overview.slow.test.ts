// Tests the overview: its numbers are right, lead to what they count, and can be read by everybody.

import test from 'ava';
import fc from 'fast-check';
import { BUCKETS_MS, callKind } from '../../src/work/statistics/kinds.ts';
import { timeOf } from '../../src/work/statistics/overview.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { fillStatistics } from '../helpers/portal-numbers.ts';
import { pageTest } from '../helpers/shared-browser.ts';

test('an empty overview says how to begin', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { body } = await clerk.get('/portal');
	t.true(body.includes('Nothing has happened here yet'));
	t.true(body.includes('href="/portal/try"'));
	t.false((await (await parts.signIn('viewer')).get('/portal')).body.includes('>Send a file<'), 'a viewer may not');
});

test('numbers lead to what they count, and only of the own account', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const stranger = await parts.signIn('manager', { account: 'other' });
	await fillStatistics(parts.database, clerk.viewer.account!.id, parts.clock.now().getTime());
	for (const view of ['hours', 'days', 'months', 'nonsense', '"><script>']) {
		const { statusCode, body } = await clerk.get(`/portal?view=${encodeURIComponent(view)}`);
		t.is(statusCode, 200);
		t.true(body.includes('data-plot="cards"'));
		t.false(body.includes('"><script>'));
		t.regex(body, /href="\/portal\/cards\?since=\d{4}-\d\d-\d\d&amp;until=\d{4}-\d\d-\d\d"/);
		for (const narrowed of ['show=refused', 'show=failed', 'filter=GBT'])
			t.regex(
				body,
				new RegExp(`href="/portal/files\\?${narrowed}&amp;since=\\d{4}-\\d\\d-\\d\\d&amp;until=\\d{4}-\\d\\d-\\d\\d"`),
			);
		t.notRegex(
			body,
			/href="\/portal\/(?:cards|files)(?:\?(?:show=(?:refused|failed)|filter=\w+))?">[\d,]/,
			'no number leads to more than it counts',
		);
	}
	const tiles = /<dl class="tiles">.*?<\/dl>/s;
	t.false(tiles.exec((await clerk.get('/portal')).body)![0].includes('/portal/access'), 'a clerk may not see access');
	const developer = await parts.signIn('developer', { account: clerk.viewer.account!.userId });
	t.is(
		tiles.exec((await developer.get('/portal')).body)![0].split('href="/portal/access"').length,
		3,
		'units, allowance',
	);
	t.true((await stranger.get('/portal')).body.includes('Nothing has happened here yet'));
	const operator = await parts.signIn('operator');
	const { body } = await operator.get('/portal');
	t.true(body.includes('Overview of the installation'));
	t.true(body.includes('data-plot="cards"'));
	t.false(body.includes('href="/portal/cards'), 'operators see nothing of cards');
});

test('the time within which a share of calls was answered is one of its class', (t) => {
	const classes = fc.array(fc.nat(1000), { minLength: BUCKETS_MS.length + 1, maxLength: BUCKETS_MS.length + 1 });
	fc.assert(
		fc.property(classes, fc.double({ min: 0.01, max: 1, noNaN: true }), (counts, share) => {
			const total = counts.reduce((sum, count) => sum + count, 0);
			const time = timeOf(counts, share);
			if (total === 0) return t.is(time, null);
			const within = counts.filter((_, bucket) => (bucket === 0 ? 0 : BUCKETS_MS[bucket - 1]) <= time! + 1e-9);
			t.true(within.reduce((sum, count) => sum + count, 0) >= total * share - 1e-6);
		}),
	);
	t.is(callKind(5), 'call/0');
	t.is(callKind(5.1), 'call/1');
	t.is(callKind(1e9), `call/${BUCKETS_MS.length}`);
});

pageTest('in a browser the overview draws its plots, and has no violations in four languages', async (t) => {
	const portal = await portalBrowser(t);
	const first = await portal.parts.signIn('manager');
	await fillStatistics(portal.parts.database, first.viewer.account!.id, portal.parts.clock.now().getTime());
	for (const [index, language] of ['en', 'de', 'fr', 'es'].entries()) {
		const viewport = index % 2 === 0 ? { width: 390, height: 844 } : { width: 1280, height: 900 };
		const colorScheme = index < 2 ? 'light' : 'dark';
		const person = await portal.parts.signIn('manager', { language });
		const { page, show, complaints, hosts } = await portal.openFor(person, { viewport, colorScheme });
		await show('/portal');
		await page.locator('.plot canvas').first().waitFor();
		t.is(await page.locator('.plot canvas').count(), 5);
		t.deepEqual(await violationsOf(page), [], language);
		t.false(await isTooWide(page), language);
		for (const summary of await page.locator('summary').all()) await summary.click();
		t.deepEqual(await violationsOf(page), [], `${language}, tables open`);
		t.false(await isTooWide(page), `${language}, tables open`);
		t.deepEqual(complaints, []);
		t.deepEqual(hosts(), [new URL(portal.base).host]);
	}
});

pageTest('without JavaScript the tables have the numbers', async (t) => {
	const portal = await portalBrowser(t);
	const person = await portal.parts.signIn('clerk');
	await fillStatistics(portal.parts.database, person.viewer.account!.id, portal.parts.clock.now().getTime());
	const { page, show } = await portal.openFor(person, { javaScriptEnabled: false });
	await show('/portal?view=months');
	await page.locator('summary').first().click();
	t.is(await page.locator('table').first().locator('tbody tr').count(), 13, 'a sum and twelve months');
});
