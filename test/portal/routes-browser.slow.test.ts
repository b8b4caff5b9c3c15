// A clerk makes a nightly route in a browser, from an empty form, and is told by the check what is missing. What is clicked
// and filled in is counted, because the whole has to take less than five minutes.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../src/base/openpgp/keys.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';

/** Somebody who reads the label of a field and its hint, and types a few words, needs no longer than this for a step. */
const SECONDS_A_STEP = 12;
const MINUTES = 5;

pageTest(
	'a clerk makes a nightly route from an empty form, whose check tells what is missing, in under five minutes',
	async (t) => {
		const folder = makeFolder(t);
		for (const each of ['out', 'in']) mkdirSync(join(folder, each));
		const portal = await portalBrowser(t, { folders: [folder], settings: { baseUrl: 'http://vault.example' } });
		const { page, person, show, complaints } = await portal.open('clerk', { look: { timezoneId: 'Europe/Berlin' } });
		const owner = { accountId: person.viewer.account!.id, userId: 'agency' };
		const keys = openPgpKeys(portal.parts);
		await keys.put(owner, 'own', await createKey('agency own'), 'operator test');
		await keys.put(owner, 'bank', { ...(await createKey('bank')), secretKey: undefined }, 'operator test');
		const before = portal.parts.clock.now().getTime() / 1_000 - 3_600;
		for (const name of ['may.csv', 'may.csv.done', 'june.csv']) {
			writeFileSync(join(folder, 'out', name), 'x');
			utimesSync(join(folder, 'out', name), before, before);
		}

		let clicks = 0;
		let fields = 0;
		const click = async (role: 'button' | 'link', name: string) => {
			clicks++;
			await page.getByRole(role, { name, exact: true }).first().click();
		};
		const fill = async (label: string, text: string, within: string) => {
			fields++;
			await page.getByRole('group', { name: within, exact: true }).getByLabel(label, { exact: true }).fill(text);
		};
		const choose = async (label: string, value: string) => {
			fields++;
			await page.getByLabel(label, { exact: true }).selectOption(value);
		};

		await show('/portal');
		await click('link', 'Routes');
		await page.getByText('There is no route yet').waitFor();
		await click('link', 'New route');
		await page.getByText('Fill in what you know').waitFor();
		// The time zone is that of the reader, as soon as the script of the page has run.
		await until('the zone of the reader', async () => (await page.locator('#zone').inputValue()) === 'Europe/Berlin');
		await click('button', 'Check');
		await page.getByText('5 fields are not right yet:').waitFor();
		const missing = await page.locator('#missing li').allInnerTexts();
		t.true(missing.includes('do.filter: is required: the format of the files, such as GBT'), missing.join('\n'));
		fields++;
		await page.getByLabel('Name', { exact: true }).fill('nightly');
		await choose('Files are fetched from', `folder ${folder}`);
		await fill('Folder there', 'out', 'From');
		await fill('Names', '*.csv', 'From');
		await fill('Done-file', '{name}.done', 'From');
		await choose('Format', 'SIMPLECSV');
		await choose('Decrypt with', 'own');
		await choose('Encrypt for', 'bank');
		await choose('Files are delivered to', `folder ${folder}`);
		await fill('Folder there', 'in', 'To');
		await fill('Name there', '{name}.pgp', 'To');
		await fill('Done-file there', '{name}.ok', 'To');
		await fill('Time', '2:30', 'When');
		await click('button', 'Check');
		await page.getByText('1 field is not right yet:').waitFor();
		await fill('Time', '02:30', 'When');
		await click('button', 'Check');
		await page.getByText('All is well: both ends were reached.').waitFor();
		await page.getByText('Files that would be taken: 1.').waitFor();
		await click('button', 'Save');
		await page.getByText('The route is saved.').waitFor();
		await page.getByText('30 2 * * * (Europe/Berlin)').waitFor();
		await page.getByText(/2:30 AM GMT[+]\d/).waitFor();
		const { route } = await portal.parts.routes.get(owner.accountId, 'nightly');
		t.like(route.do, { decrypt: { with: 'own' }, encrypt: { for: ['bank'] } });

		t.log(`${clicks} clicks and ${fields} fields`);
		t.true((clicks + fields) * SECONDS_A_STEP < MINUTES * 60, `${clicks} clicks and ${fields} fields`);
		// A form that is refused has the status 400, which a browser logs.
		t.deepEqual(
			complaints.filter((each) => !each.includes('status of 400')),
			[],
		);
	},
);

pageTest('the list of routes follows what happens, with times of the reader', async (t) => {
	const portal = await portalBrowser(t);
	const { page, person, show, complaints } = await portal.open('clerk', { look: { timezoneId: 'Asia/Tokyo' } });
	await show('/portal/routes');
	const fields = { operation: 'none', from: 'drop /tokenized/CSV', to: 'drop /tokenized/GBT' };
	await person.post('/portal/new-route', {
		...fields,
		name: 'nightly',
		when: 'daily',
		time: '02:30',
		zone: 'Asia/Tokyo',
	});
	await page.getByRole('link', { name: 'nightly' }).waitFor();
	await page.getByText(/2:30 AM GMT\+9/).waitFor();
	await person.post('/portal/routes/nightly/pause');
	await page.getByText('paused', { exact: true }).waitFor();
	t.deepEqual(complaints, []);
});
