// Tests what an attacker would try at the portal, in a real browser: forms and frames of other sites, cookies that were
// planted, addresses of things of others, calls that no button makes, and two people who change the same thing.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { recordEvents } from '../../src/base/outbox/record-events.ts';
import { portalPages } from '../../src/doors/http/portal/pages/all-pages.ts';
import { partsOf } from '../../src/doors/http/portal/parts.ts';
import { ACCOUNT_ROLES, ROLE_RIGHTS } from '../../src/people/portal-users/rights.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { openMerchant } from '../helpers/form-browser.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { tokenOn } from '../helpers/portal-app.ts';
import { type PortalBrowser, portalBrowser } from '../helpers/portal-browser.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const GOOD = 'nine lives, one cat';
const SECRET_NAME = 'VictimsOwn';
/** The property that the victim names `Hotel`. */
const HOTEL = `${SECRET_NAME}~Hotel`;
const PROFILE = `name: ${SECRET_NAME}
direction: tokenize
body: json
targetUri: https://pms.example/api
cards:
  - number: $.number
`;

/** Serves pages of an attacker and returns their origin as another port of the same host, and under another host name. */
async function serveAttacker(t: ExecutionContext, pages: Readonly<Record<string, string>>) {
	const sameSite = await openMerchant(t, pages);
	return { sameSite, crossSite: sameSite.replace('127.0.0.1', 'localhost') };
}

/** Sends a form from the page, with everything that its scripts could send, and returns the status of the answer. */
async function sendFrom(page: Page, path: string, form: Readonly<Record<string, string>> = {}): Promise<number> {
	const token = tokenOn(await page.content());
	const body = new URLSearchParams({ _csrf: token, ...form }).toString();
	const call = { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
	return page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(call)}).then(({ status }) => status)`);
}

/**
 * Returns the rows of an account in each table as text, without the log of its calls, which is written later, and without
 * the trail, which notes every refusal.
 */
async function rowsOf({ parts }: PortalBrowser, accountId: number): Promise<Record<string, string>> {
	const { knex } = parts.database;
	const tables: { name: string }[] = await knex('sqlite_master').where({ type: 'table' }).select('name');
	const found: Record<string, string> = {};
	for (const { name } of tables) {
		const columns = Object.keys(await knex(name).columnInfo());
		if (name !== 'call_log' && name !== 'audit' && columns.includes('account_id'))
			found[name] = JSON.stringify(await knex(name).where({ account_id: accountId }));
	}
	return found;
}

pageTest('a form or script of another site changes nothing, and its visitor stays signed in', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, person } = await portal.open('manager');
	const accountId = person.caller!.account.id;
	await show('/portal/access');
	const before = await rowsOf(portal, accountId);
	const targets = [
		'access/keys',
		'access/origins',
		'access/disable',
		'people',
		'me/password',
		'me/sessions/end',
		'logout',
	];
	const pageAgainst = (target: string) => `<form method="post" action="${portal.base}/portal/${target}">
			<input name="name" value="evil"><input name="origin" value="https://evil.example"></form>
			<script>
				fetch('${portal.base}/portal/${target}', { method: 'POST', mode: 'no-cors', credentials: 'include',
					body: new URLSearchParams({ name: 'evil', origin: 'https://evil.example' }) })
					.finally(() => document.forms[0].submit());
			</script>`;
	const pages = Object.fromEntries(targets.map((target) => [`/${target}`, pageAgainst(target)]));
	const attacker = await serveAttacker(t, pages);
	for (const site of [attacker.sameSite, attacker.crossSite]) {
		for (const target of targets) {
			const answered = page.waitForResponse(
				(response) => response.request().isNavigationRequest() && response.url().includes('/portal/'),
			);
			// Ignores the error, because the form of the page is sent while the page is still loading.
			await page.goto(`${site}/${target}`).catch(() => {});
			const response = await answered;
			// The browser sends no cookie from a page of another site, so its visitor is asked to log in.
			if (response.status() === 303)
				t.regex((await response.headerValue('location')) ?? '', /^\/portal(\/login\b|$)/, `${site} ${target}`);
			else t.is(response.status(), 403, `${site} ${target}`);
			t.true(response.status() === 403 || site === attacker.crossSite);
			await page.waitForURL((url) => url.href.startsWith(portal.base));
		}
	}
	t.deepEqual(await rowsOf(portal, accountId), before);
	await show('/portal/me');
	t.true(page.url().endsWith('/portal/me'), 'the session goes on');
});

pageTest('no page of the portal is shown within a page of another site', async (t) => {
	const portal = await portalBrowser(t);
	const { page, complaints } = await portal.open('manager');
	const paths = ['/portal', '/portal/files', '/portal/access', '/portal/me', '/portal/login'];
	const frames = paths.map((path) => `<iframe src="${portal.base}${path}"></iframe>`);
	const attacker = await serveAttacker(t, { '/': frames.join('') });
	for (const site of [attacker.sameSite, attacker.crossSite]) {
		await page.goto(site);
		await page.waitForLoadState('networkidle');
		const shown = page.frames().filter((frame) => frame !== page.mainFrame());
		t.is(shown.length, paths.length);
		for (const frame of shown) t.true(frame.url().startsWith('chrome-error:'), `${site} shows ${frame.url()}`);
	}
	t.is(complaints.filter((text) => /frame-ancestors|X-Frame-Options/i.test(text)).length, 2 * paths.length);
});

pageTest(
	'a cookie that was planted before the login opens nothing after it, and the login leads to this site',
	async (t) => {
		const portal = await portalBrowser(t);
		const attacker = await portal.parts.signIn('viewer', { account: 'attacker' });
		const { account } = (await portal.parts.signIn('viewer')).caller!;
		const { users, links, login } = portal.parts.portal;
		const user = await users.add({ name: 'anna', of: { accountId: account.id, role: 'clerk' } }, 'test');
		const secret = (await links.make(user.id, 'test')).url.reveal().split('/').at(-1)!;
		await login.byLink(secret, GOOD, { address: '192.0.2.7', agent: 'test' });
		for (const planted of [attacker.cookie.split('=')[1], 'ps_planted']) {
			const { page } = await portal.openPage();
			await page.context().addCookies([{ name: 'tokendrop', value: planted, url: portal.base }]);
			await page.goto(`${portal.base}/portal/me`);
			// If the planted cookie has signed the visitor in as somebody else, the visitor signs out first.
			if (!page.url().includes('/login')) {
				await page.click('nav form button');
				await page.waitForURL(/\/login/);
			}
			await page.goto(`${portal.base}/portal/login?next=${encodeURIComponent('//evil.example/')}`);
			await page.fill('#name', 'anna');
			await page.fill('#password', GOOD);
			await page.click('main form button');
			await page.waitForURL(`${portal.base}/portal`);
			const cookies = await page.context().cookies(portal.base);
			t.is(cookies.length, 1);
			t.not(cookies[0].value, planted);
			t.like(cookies[0], { httpOnly: true, sameSite: 'Lax' });
			await page.goto(`${portal.base}/portal/me`);
			t.true((await page.content()).includes('anna'));
			// The attacker still has the planted cookie, and it does not open the account of the visitor.
			const other = await portal.openPage();
			await other.page.context().addCookies([{ name: 'tokendrop', value: planted, url: portal.base }]);
			await other.page.goto(`${portal.base}/portal/me`);
			t.false((await other.page.content()).includes('anna'));
		}
	},
);

pageTest('the address of anything of another account answers as if there were nothing', async (t) => {
	const portal = await portalBrowser(t);
	const { parts } = portal;
	const victim = await parts.signIn('manager', { account: SECRET_NAME, name: `${SECRET_NAME}-user` });
	await sendMultipart(parts, victim, '/portal/upload', {
		fields: { folder: 'tokenize/CSV' },
		files: { [`${SECRET_NAME}.csv`]: 'name,cardnumber,expiry\nM,4111111111111111,12/30\n' },
	});
	t.is(await runNextJob(parts), 'done');
	const token = await storeCard(victim.caller!, `?ref=${SECRET_NAME}`);
	const made = await victim.post('/portal/requests/new', { RecipientName: 'Marie', CreatorReference: SECRET_NAME });
	await victim.post('/portal/parties/profiles/save', { name: '', version: '0', text: PROFILE });
	const destination = { name: SECRET_NAME, host: 'sftp.example', userName: 'u', password: 'hunter2-secret' };
	await victim.post('/portal/parties/destinations/save', destination);
	await victim.post('/portal/parties/credentials/save', { gateway: 'Sandbox', id: SECRET_NAME });
	await victim.post('/portal/access/accounts', { userId: 'Hotel', kind: 'property' });
	const route = { operation: 'none', from: 'drop /tokenized/CSV', to: 'drop /tokenized/GBT', when: 'hand' };
	await victim.post('/portal/new-route', { ...route, name: SECRET_NAME });
	await victim.post('/portal/new-event-endpoint', { name: SECRET_NAME, url: 'https://hooks.example/' });
	const told = { type: 'job.done', accountId: victim.caller!.account.id, about: 'job 1', data: { name: SECRET_NAME } };
	await parts.database.knex.transaction((transaction) => recordEvents(transaction, [told as never], Date.now()));
	const { id: event } = await parts.database.knex('events').first('id');
	const access = (await victim.get('/portal/access')).body;
	const idOf = (section: string): string => {
		if (section === 'requests') return /href="\/portal\/requests\/(\w{26})"/.exec(made.body)![1];
		if (section === 'access') return /href="\/portal\/access\/(?:of\/[^/"]+\/)?keys\/(\w+)"/.exec(access)![1];
		if (section === 'events') return event;
		if (section === 'people') return String(victim.viewer.user.id);
		return section === 'parties' ? SECRET_NAME : '1';
	};
	const [job] = await parts.database.knex('jobs').pluck('id');
	const values: Record<string, string> = {
		user: HOTEL,
		token,
		name: SECRET_NAME,
		area: 'tokenized',
		filter: 'CSV',
	};
	const paths = portalPages(partsOf(parts))
		.filter(({ path }) => path.includes(':') && !/:secret|installation|presets|folders\/|sso\//.test(path))
		.map(({ method, path }) => {
			const [, , section] = path.split('/');
			const id = section === 'jobs' ? job : idOf(section);
			const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'id' ? id : values[name]));
			return { method, path: path.includes(':filter') ? `${filled}?name=${SECRET_NAME}.csv` : filled };
		});
	t.true(paths.length > 40, `${paths.length}`);
	for (const { path } of paths.filter(
		({ method, path: each }) => method === 'GET' && !/payments|upload|of\/[\w~]+\/keys\/\d/.test(each),
	))
		t.true((await victim.get(path)).statusCode < 400, `${path} is there for its owner`);

	const { page, show } = await portal.open('manager');
	const before = await rowsOf(portal, victim.caller!.account.id);
	await show('/portal');
	// Every account has the same folders, so these addresses are found and show the caller's own files.
	const isFolder = (path: string) => path.startsWith('/portal/files/') && !/download|remove/.test(path);
	for (const { path } of paths.filter((each) => each.method === 'POST' && !each.path.includes('/upload/')))
		t.is(await sendFrom(page, path, { name: `${SECRET_NAME}.csv` }), isFolder(path) ? 200 : 404, path);
	for (const { path } of paths.filter((each) => each.method === 'GET')) {
		// The list of a folder as a file is none that a browser shows.
		if (isFolder(path) && path.includes('/csv?')) {
			const list = await page.request.get(portal.base + path);
			t.is(list.status(), 200, path);
			t.false((await list.text()).includes(SECRET_NAME), path);
			continue;
		}
		const response = await page.goto(portal.base + path);
		t.is(response!.status(), isFolder(path) ? 200 : 404, path);
		t.false((await page.locator('main').allTextContents()).join().includes('Marie'), path);
	}
	t.deepEqual(await rowsOf(portal, victim.caller!.account.id), before);
});

pageTest('a role has no button and no address for what it may not do', async (t) => {
	const portal = await portalBrowser(t);
	const pages = portalPages(partsOf(portal.parts));
	const known = pages.filter(({ right }) => right !== 'anyone' && right !== 'signed-in');
	const rightFor = (method: string, path: string) =>
		known.find((each) => each.method === method && new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
			?.right;
	for (const role of ACCOUNT_ROLES) {
		const { page, show } = await portal.open(role);
		const rights = ROLE_RIGHTS[role];
		const forbidden = known.filter(({ right }) => !rights.has(right as never));
		const allowed = known.filter(
			({ method, path, right }) =>
				method === 'GET' && !path.includes(':') && !/\/(csv|sample)$/.test(path) && rights.has(right as never),
		);
		for (const { path } of allowed) {
			await show(path);
			const offered = await page.evaluate<{ method: string; path: string }[]>(
				`[...document.querySelectorAll('form, a[href], button[formaction]')].map((each) => ({
					method: each.localName === 'a' ? 'GET' : (each.form ?? each).method.toUpperCase(),
					path: new URL(each.href || each.formAction || each.action, location.href).pathname }))`,
			);
			t.true(offered.length > 3, path);
			for (const each of offered) {
				const right = rightFor(each.method, each.path);
				t.true(right === undefined || rights.has(right as never), `${role} at ${path}: ${each.method} ${each.path}`);
			}
		}
		await show('/portal');
		for (const { method, path } of forbidden) {
			const filled = path.replaceAll(/:(\w+)/g, '1');
			const status =
				method === 'POST'
					? await sendFrom(page, filled)
					: await page.evaluate<number>(`fetch(${JSON.stringify(filled)}).then(({ status }) => status)`);
			t.is(status, 403, `${role}: ${method} ${path}`);
		}
	}
});

pageTest('of two managers who change a profile the second is told, sees both texts, and loses neither', async (t) => {
	const portal = await portalBrowser(t);
	const [one, two] = [await portal.open('manager'), await portal.open('manager')];
	const path = `/portal/parties/profiles/${SECRET_NAME}`;
	await one.person.post('/portal/parties/profiles/save', { name: '', version: '0', text: PROFILE });
	for (const { show } of [one, two]) await show(path);
	const save = async ({ page }: typeof one, target: string) => {
		await page.locator('#text').fill(PROFILE.replace('pms.example', target));
		await page.getByRole('button', { name: 'Save' }).click();
	};
	await save(one, 'first.example');
	await one.page.getByText('Saved.').waitFor();
	await one.page.waitForURL(`${portal.base}${path}`);
	await save(two, 'second.example');
	await two.page.getByText('Somebody else has saved this profile').waitFor();
	const told = await two.page.content();
	t.true(told.includes('first.example') && told.includes('second.example'));
	const { ownerId } = one.person.viewer.principal!;
	t.is((await portal.parts.profiles.find(ownerId, SECRET_NAME))?.targetUri, 'https://first.example/api');
	// The second person now knows both texts, and may save over the first one.
	await save(two, 'both.example');
	await two.page.getByText('Saved.').waitFor();
	await two.page.waitForURL(`${portal.base}${path}`);
	t.is((await portal.parts.profiles.find(ownerId, SECRET_NAME))?.targetUri, 'https://both.example/api');
});
