// Tests forms within the pages of merchants in a real browser: their messages, two forms on a page, and who may show them.

import { formBrowser, merchantPage } from '../helpers/form-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';

pageTest('a page of a registered origin shows the form, and a page of any other does not', async (t) => {
	const { formUrl, openPage, parts } = await formBrowser(t);
	await parts.identity.origins.add('demo', 'https://registered.test', 'operator test');
	for (const origin of ['https://registered.test', 'https://other.test']) {
		// To the browser, the sites are on the internet and the form is on this machine. It asks its user before it connects the
		// two, so the test gives the permission.
		const { page } = await openPage({ permissions: ['local-network-access'] });
		const body = merchantPage({ card: await formUrl() });
		const failures: string[] = [];
		page.on('requestfailed', (request) => failures.push(request.failure()!.errorText));
		await page.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body }));
		await page.goto(`${origin}/`);
		// A frame that is blocked loses its name.
		const countForms = async () => (await page.frame({ name: 'card' })?.locator('#card-form').count()) ?? 0;
		await until('the frame is there or blocked', async () => failures.length > 0 || (await countForms()) === 1);
		const isShown = (await countForms()) === 1;
		t.is(isShown, origin === 'https://registered.test', `${origin}: ${failures}`);
		t.deepEqual(failures, isShown ? [] : ['net::ERR_BLOCKED_BY_RESPONSE']);
	}
});
