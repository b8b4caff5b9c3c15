// Tests files in the portal in a browser: they are dropped, interrupted, continued and watched, with hostile names and
// without JavaScript.

import type { Page } from 'playwright-core';
import { runNextJob } from '../helpers/http-jobs.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const CSV = 'name,cardnumber,expiry\nMARIE,4111111111111111,12/30\nJOHN,4111111111111112,12/30\n';
const HOSTILE = `"><img src=x onerror=alert(1)>'\`.csv`;

function fileOf(name: string, content: string | Buffer = CSV) {
	return { name, mimeType: 'text/csv', buffer: Buffer.from(content) };
}

/** Drops a file on the form, as a person drags it there. */
async function dropFile(page: Page, name: string, content: string): Promise<void> {
	const transfer = await page.evaluateHandle(
		`(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)})); return data; })()`,
	);
	await page.dispatchEvent('#upload', 'drop', { dataTransfer: transfer });
}

pageTest('a file that was dropped is sent, and its page moves by itself until it is done', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, complaints, hosts } = await portal.open('clerk');
	await show('/portal/files');
	await page.selectOption('#folder', 'tokenize/CSV');
	await dropFile(page, 'dropped.csv', CSV);
	await page.getByText('accepted: see what becomes of it').click();
	await page.getByText('waiting', { exact: true }).waitFor();
	await runNextJob(portal.parts);
	await page.getByText('•••• 1112').waitFor();
	t.is(await page.getByText('done, cards refused').count(), 1);
	await page.selectOption('#only', 'warned');
	await page.getByRole('button', { name: 'Show' }).click();
	await page.getByText('No entry of this kind.').waitFor();
	t.deepEqual(complaints, []);
	t.deepEqual(hosts(), [new URL(portal.base).host]);
});

pageTest('an upload whose session ends says so, and goes on after the next login', async (t) => {
	const portal = await portalBrowser(t);
	const person = await portal.parts.signIn('clerk');
	const { page, show } = await portal.openFor(person);
	await show('/portal/files');
	await page.selectOption('#folder', 'tokenize/CSV');
	const bytes = Buffer.concat([Buffer.from(CSV), Buffer.alloc(1_500_000, 0x0a)]);
	// Stores the beginning of an upload of this file that broke off after so many bytes.
	const kept = 1_000_000;
	const folder = { accountId: person.caller!.account.id, area: 'tokenize', filter: 'CSV' } as const;
	const { drops } = portal.parts;
	const broken = await drops.begin({ folder, name: 'large.csv', createdBy: person.caller!.account.userId });
	await broken.write(0, bytes.subarray(0, kept));
	await drops.pause(broken);
	const offsets: string[] = [];
	await page.route(/\/portal\/upload\//, async (route) => {
		const request = route.request();
		// The session ends after the script has asked where to go on.
		if (request.method() === 'POST') {
			offsets.push(new URL(request.url()).searchParams.get('offset') ?? '');
			if (offsets.length === 1) await person.end();
		}
		await route.continue();
	});
	await page.setInputFiles('#file', fileOf('large.csv', bytes));
	await page.getByRole('button', { name: 'Send', exact: true }).click();
	await page.getByText('Your session has ended. What came is kept').waitFor();

	await person.signInAgain();
	await page.getByRole('button', { name: 'Go on' }).click();
	await page.getByText('accepted: see what becomes of it').waitFor();
	const [job] = await portal.parts.database.knex('jobs');
	t.is(Number(job.bytes_total), bytes.length);
	// Only the rest was sent, and before it some bytes that prove that it is the same file.
	t.deepEqual(offsets, Array(2).fill(String(kept - 65_536)));
	t.is(await runNextJob(portal.parts), 'done');
});

pageTest('a name that holds a card number is refused, and stands in no address, link or line of the log', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show } = await portal.open('manager');
	const addresses: string[] = [];
	page.on('request', (request) => addresses.push(request.url()));
	page.on('response', (response) => addresses.push(response.headers().location ?? ''));
	await show('/portal/files');
	for (const name of ['4111111111111111.csv', '4111-1111-1111-1111 é.csv']) {
		await page.setInputFiles('#file', fileOf(name));
		await page.getByRole('button', { name: 'Send', exact: true }).click();
	}
	await page.locator('#uploads .bad').nth(1).waitFor();
	t.regex(await page.locator('#uploads .bad').first().innerText(), /must not hold card numbers/);
	t.true(addresses.some((address) => address.includes('/portal/upload/')));
	const links = await page
		.locator('a')
		.evaluateAll((all) => all.map((each) => (each as unknown as { href: string }).href));
	const said = [...addresses, ...links, portal.parts.logText()].join('\n');
	t.false(/4111.?1111/.test(said));
	t.deepEqual(await portal.parts.database.knex('drop_files'), []);
});

pageTest('a hostile name is shown and runs nothing', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, complaints } = await portal.open('manager');
	page.on('dialog', () => t.fail('a script ran'));
	await show('/portal/files');
	await page.selectOption('#folder', 'tokenize/CSV');
	await page.setInputFiles(
		'#file',
		fileOf(HOSTILE, `<script>alert(1)</script>,cardnumber\n<b>x</b>,4111111111111112\n`),
	);
	await page.getByRole('button', { name: 'Send', exact: true }).click();
	await page.getByText('accepted: see what becomes of it').waitFor();
	await runNextJob(portal.parts);
	for (const path of ['/portal/files', '/portal/files/tokenized/CSV', '/portal/files/reports/CSV']) {
		await show(path);
		t.true((await page.content()).includes('&lt;img src=x'), path);
		t.is(await page.locator('main img').count(), 0);
	}
	await show('/portal/files');
	await page.locator('main').getByText(HOSTILE).first().click();
	await page.waitForURL(/\/portal\/jobs\//);
	await page.locator('h1', { hasText: HOSTILE }).waitFor();
	t.is(await page.locator('h1').innerText(), HOSTILE);
	t.is(await page.locator('main img, main b, main script').count(), 0);
	t.deepEqual(complaints, []);
});

pageTest('everything works without JavaScript', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show } = await portal.open('manager', { look: { javaScriptEnabled: false } });
	await show('/portal/files');
	await page.selectOption('#folder', 'tokenize/CSV');
	await page.setInputFiles('#file', fileOf('plain.csv'));
	await page.getByRole('button', { name: 'Send', exact: true }).click();
	await page.getByText('Accepted: plain.csv').waitFor();
	await runNextJob(portal.parts);
	await page.reload();
	await page.getByText('•••• 1112').waitFor();
	t.is(await page.getByText('Accepted: plain.csv').count(), 0);
	await page.getByRole('link', { name: 'Delete' }).click();
	await page.getByRole('button', { name: /^Delete/ }).click();
	await page.getByText('Deleted.').waitFor();
});

pageTest('a file is tried and options are tried in the browser, and hostile text runs nothing', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, complaints } = await portal.open('manager');
	page.on('dialog', () => t.fail('a script ran'));
	await show('/portal/try');
	await page.selectOption('#filter', 'CSV');
	await page.setInputFiles('#file', fileOf('x.csv', '<img src=x onerror=alert(1)>,cardnumber\nx,4111111111111112\n'));
	await page.getByRole('button', { name: 'Try' }).click();
	await page.getByText('•••• 1112').waitFor();
	t.is(await page.locator('main img').count(), 0);
	t.deepEqual(await violationsOf(page), []);
	await show('/portal/folders/CSV');
	await page.fill('#options', '{"<img src=x onerror=alert(1)>": 1}');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('#options-problem').waitFor();
	t.is(await page.locator('main img').count(), 0);
	await page.fill('#options', '{"onRefused": "mask"}');
	await page.fill('#example', CSV);
	await page.getByRole('button', { name: 'Try on the example' }).click();
	await page.getByText('•••• 1112').waitFor();
	t.deepEqual(await violationsOf(page), []);
	t.false(await isTooWide(page));
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('The options are set.').waitFor();
	// A browser complains about a page with status 400 that it could not be loaded.
	t.deepEqual(
		complaints.filter((complaint) => !complaint.includes('status of 400')),
		[],
	);
});

pageTest('pages of files have no violations, in four languages, light and dark, on phone and desktop', async (t) => {
	const portal = await portalBrowser(t);
	const person = await portal.parts.signIn('manager');
	const sender = await portal.openFor(person);
	await sender.show('/portal/files');
	for (const name of ['may.csv', 'june.csv', 'july.csv']) {
		await sender.page.selectOption('#folder', 'tokenize/CSV');
		await sender.page.setInputFiles('#file', fileOf(name));
		await sender.page.getByRole('button', { name: 'Send', exact: true }).click();
		await sender.page.getByText('accepted: see').nth(['may.csv', 'june.csv', 'july.csv'].indexOf(name)).waitFor();
	}
	await runNextJob(portal.parts);
	await runNextJob(portal.parts);
	const [job] = await portal.parts.database.knex('jobs').orderBy('seq');
	const looks = [
		['en', 'light', 1280],
		['de', 'dark', 390],
		['fr', 'light', 390],
		['es', 'dark', 1280],
	] as const;
	for (const [language, colorScheme, width] of looks) {
		const { page, show, complaints } = await portal.openFor(person, {
			colorScheme,
			viewport: { width, height: 844 },
			locale: language,
		});
		const paths = [
			'/portal/files',
			`/portal/jobs/${job.id}`,
			'/portal/files/tokenized/CSV',
			'/portal/files/reports/GBT',
		];
		const more = [`/portal/jobs/${job.id}/delete`, '/portal/try', '/portal/folders', '/portal/folders/CSV'];
		for (const path of [...paths, ...more]) {
			await show(path);
			t.deepEqual(await violationsOf(page), [], `${language} ${path}`);
			t.false(await isTooWide(page), `${language} ${path}`);
		}
		t.deepEqual(complaints, []);
	}
});
