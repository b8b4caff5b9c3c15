// Walks everyday tasks in a browser from the first page after signing in, and counts the clicks and fields that each takes.

import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import type { PortalRole } from '../../src/people/portal-users/rights.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { type OpenedPortal, type PortalBrowser, portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { SMALL_KEY } from './access.setup.ts';
import { CSV, sendPiece } from './files.setup.ts';

const MOST_STEPS = 5;
const BROKEN = 'nothing here is a table\n"';

/** Counts what somebody clicks and fills in. */
function counted(page: Page) {
	let steps = 0;
	const step = async (act: Promise<unknown>) => {
		steps++;
		await act;
	};
	return {
		steps: () => steps,
		fill: (field: string, text: string) => step(page.fill(field, text)),
		press: (field: string, key: string) => step(page.press(field, key)),
		click: (name: string | RegExp) => step(page.getByRole('link', { name }).first().click()),
		push: (name: string) => step(page.getByRole('button', { name, exact: true }).first().click()),
		choose: (name: string, content: string) =>
			step(page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(content) })),
	};
}

interface Task extends OpenedPortal, ReturnType<typeof counted> {
	readonly t: ExecutionContext<unknown>;
	readonly portal: PortalBrowser;
}

/** Declares a task that somebody does: `prepare` makes what they find, and `walk` takes the steps from the first page. */
function task(
	title: string,
	role: PortalRole,
	walk: (task: Task) => Promise<void>,
	prepare: (task: Omit<Task, keyof ReturnType<typeof counted>>) => Promise<void> = async () => {},
): void {
	pageTest(`${title}, in at most five steps`, async (t) => {
		const portal = await portalBrowser(t);
		const opened = { ...(await portal.open(role)), portal, t };
		await prepare(opened);
		await opened.show('/portal');
		const steps = counted(opened.page);
		await walk({ ...opened, ...steps });
		t.log(`${steps.steps()} steps`);
		t.true(steps.steps() <= MOST_STEPS, `${steps.steps()} steps`);
		t.deepEqual(opened.complaints, []);
	});
}

/** Sends a file that fails. */
async function fail({ portal, person, t }: Pick<Task, 'portal' | 'person' | 't'>) {
	await sendPiece(portal.parts, person, BROKEN, { name: 'bad.csv' });
	t.is(await runNextJob(portal.parts), 'failed');
}

task('a first file is sent, and its output is fetched', 'clerk', async ({ t, portal, page, click, push, choose }) => {
	await click('Files');
	await choose('bookings.csv', CSV);
	await push('Send');
	await click('accepted: see what becomes of it');
	await page.getByText('waiting', { exact: true }).waitFor();
	t.is(await runNextJob(portal.parts), 'done');
	const fetching = page.waitForEvent('download');
	await click('Download the output');
	const output = readFileSync((await (await fetching).path())!, 'utf8');
	t.regex(output, /^name,cardnumber,expiry\nMARIE,[0-9a-f]{32},12\/30\n/);
});

task(
	"yesterday's file that failed is found, with why and what to do",
	'clerk',
	async ({ page, click }) => {
		await page.getByText('Files failed').waitFor();
		await page.locator('.tiles div', { hasText: 'Files failed' }).waitFor();
		await click('Files');
		await click('bad.csv');
		await page.getByText('Mend the file').waitFor();
	},
	async (opened) => {
		await fail(opened);
		opened.portal.parts.clock.turn(10 * 60_000);
	},
);

task(
	'why a file was refused is answered from its name',
	'clerk',
	async ({ page, fill, press, click }) => {
		await fill('#find', 'bad');
		await press('#find', 'Enter');
		await click('bad.csv');
		await page.getByText('Mend the file').waitFor();
	},
	fail,
);

task(
	'a corrected file is sent again',
	'clerk',
	async ({ t, portal, page, click, push, choose }) => {
		await click('Files');
		await click('bad.csv');
		await click('Send the corrected file');
		t.is(await page.locator('#folder').inputValue(), 'tokenize/CSV');
		await choose('bad.csv', CSV);
		await push('Send');
		await page.getByText('accepted: see what becomes of it').waitFor();
		t.is(await runNextJob(portal.parts), 'done');
	},
	fail,
);

task('a colleague is added', 'manager', async ({ t, portal, page, click, fill, push }) => {
	await click('People');
	await fill('#name', 'ben');
	await push('Invite');
	await page.getByRole('heading', { name: 'Link for ben' }).waitFor();
	const users = await portal.parts.database.knex('portal_users').where('name', 'like', '%ben');
	t.deepEqual(
		users.map(({ role }) => role),
		['clerk'],
	);
});

task(
	'the SSH key of an agency is added, for its addresses only',
	'manager',
	async ({ t, portal, page, click, fill, push }) => {
		await click('Access');
		await click('Add SSH keys');
		await fill('#keys', makeSshKeyLine('nightly@agency.example'));
		await fill('#from', '198.51.100.0/24');
		await push('Add SSH keys');
		await page.getByText('The keys may sign in now.').waitFor();
		await page.getByRole('cell', { name: '198.51.100.0/24' }).waitFor();
		const [key] = await portal.parts.database.knex('ssh_keys');
		t.is(key.from_ranges, '198.51.100.0/24');
	},
);

task('a token is found by the reference of its card', 'clerk', async ({ page, person, fill, press, click }) => {
	const token = await storeCard(person.caller!, '?ref=Booking-77');
	await fill('#find', 'Booking-77');
	await press('#find', 'Enter');
	await click(/411111…1111/);
	await page.getByText(token).first().waitFor();
});

task(
	'who saw a card is answered from its reference',
	'manager',
	async ({ page, fill, press, click }) => {
		await fill('#find', 'Booking-77');
		await press('#find', 'Enter');
		await click(/411111…1111/);
		await click('Who saw this card?');
		await page.getByText('card.store').waitFor();
		await page.getByText('1 entry fits.').waitFor();
	},
	async ({ person }) => void (await storeCard(person.caller!, '?ref=Booking-77')),
);

task(
	'an API key is replaced',
	'manager',
	async ({ t, portal, page, click, push }) => {
		await click('Access');
		const [{ hint }] = await portal.parts.database.knex('api_keys').orderBy('id', 'desc');
		await click(`…${hint}`);
		await push('Replace the key');
		await page.locator('#new-key').waitFor();
		t.is((await portal.parts.database.knex('api_keys')).length, 3);
	},
	async ({ person }) => void (await person.post('/portal/access/keys', SMALL_KEY)),
);

/** Types the code that an app shows for the key on the page. */
async function codeOn({ page, portal }: Pick<Task, 'page' | 'portal'>): Promise<string> {
	const key = (await page.locator('p code').first().textContent())!.replaceAll(' ', '');
	const totp = new TOTP({ secret: Secret.fromBase32(key) });
	return totp.generate({ timestamp: portal.parts.clock.now().getTime() });
}

task(
	'the app of the second factor is changed',
	'manager',
	async ({ t, portal, page, click, push, fill }) => {
		const [before] = await portal.parts.database.knex('portal_totp');
		await click('My settings');
		await push('Remove the app');
		await push('Set up an app');
		await fill('#code', await codeOn({ page, portal }));
		await push('Confirm');
		await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
		const [after, ...others] = await portal.parts.database.knex('portal_totp');
		t.notDeepEqual(after, before);
		t.deepEqual(others, []);
	},
	async ({ page, portal, show }) => {
		await show('/portal/me');
		await page.getByRole('button', { name: 'Set up an app' }).click();
		await page.locator('#code').waitFor();
		await page.fill('#code', await codeOn({ page, portal }));
		await page.getByRole('button', { name: 'Confirm' }).click();
		await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
		// A code works once, also for another app of the same user.
		portal.parts.clock.turn(60_000);
	},
);
