// Walks every page of the portal: with the keyboard alone and with the rules of axe in every language, and looking whether
// anything moves while a page comes, and what is seen of one that takes its time.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { portalPages } from '../../src/doors/http/portal/pages/all-pages.ts';
import { partsOf } from '../../src/doors/http/portal/parts.ts';
import { isPortalLanguage, PORTAL_LANGUAGES, sayIn } from '../../src/doors/http/portal/texts.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { type PortalBrowser, portalBrowser } from '../helpers/portal-browser.ts';
import { type Onlooker, openScene, SCENE_INSTALLATION } from '../helpers/portal-scene.ts';
import { pageTest } from '../helpers/shared-browser.ts';

type Look = Parameters<PortalBrowser['openPage']>[0];

const PHONE = { width: 375, height: 667 };
const TABLET = { width: 768, height: 1024 };
const SMALL_DESKTOP = { width: 1024, height: 700 };
const DESKTOP = { width: 1280, height: 720 };
const LANGUAGES = Object.keys(PORTAL_LANGUAGES).filter(isPortalLanguage);
/**
 * What answers with something else than a page of its own: files, streams, parts, redirects, the second step of a login, and
 * the ways to a provider of sign-in and back.
 */
const NO_PAGE =
	/\/(logout|session|live|csv|output|report|download|sample|factor)$|^\/portal\/(upload|sso)\/|\/by\/:provider$/;

/** Opens the scene, and a page for each onlooker. */
async function openScenes(t: ExecutionContext<unknown>) {
	const portal = await portalBrowser(t, SCENE_INSTALLATION);
	const scene = await openScene(portal.parts, portal.base);
	const pagesFor = async (look: Look, walk: (page: Page, name: string) => Promise<void>, who?: Onlooker) => {
		for (const each of new Set(scene.pages.map((page) => page.who))) {
			if (who !== undefined && who !== each) continue;
			const opened = each === 'nobody' ? await portal.openPage(look) : await portal.openFor(scene.people[each], look);
			for (const { name, path } of scene.pages.filter((page) => page.who === each)) {
				const answer = await opened.page.goto(portal.base + path);
				if (answer?.status() !== 200) throw new Error(`${path}: ${answer?.status()}`);
				await walk(opened.page, name);
			}
			await opened.page.context().close();
		}
	};
	return { portal, scene, pagesFor };
}

/** Returns what a reader can act on, in the order of the page, and notes the order in which Tab reaches it. */
const WATCH = `(() => {
	const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
		.filter((each) => each.type !== 'hidden' && !each.disabled && each.checkVisibility({ visibilityProperty: true }));
	const walk = { reached: [], unseen: [], names: controls.map((each, index) => index + ' ' + each.outerHTML.slice(0, 80)) };
	addEventListener('focusin', ({ target }) => {
		const name = walk.names[controls.indexOf(target)];
		if (name !== undefined && walk.reached.at(-1) !== name) walk.reached.push(name);
		const { outlineStyle, outlineWidth } = getComputedStyle(target);
		if (outlineStyle === 'none' || outlineWidth === '0px') walk.unseen.push(target.outerHTML.slice(0, 80));
	});
	globalThis.walk = walk;
	return controls.length;
})()`;

/** Presses Tab until every control was reached, or often enough that a trap is certain. */
async function tabThrough(page: Page) {
	const count = Number(await page.evaluate(WATCH));
	// A field for a date has a stop for each of its parts.
	for (let left = count * 5 + 10; left > 0; left--) {
		await page.keyboard.press('Tab');
		if (left % 10 === 0 && Number(await page.evaluate('walk.reached.length')) >= count) break;
	}
	return (await page.evaluate('walk')) as { names: string[]; reached: string[]; unseen: string[] };
}

pageTest('the scene has every page of the portal', async (t) => {
	const { portal, scene } = await openScenes(t);
	const isShown = (pattern: RegExp) => scene.pages.some(({ path }) => pattern.test(path.split('?', 1)[0]));
	const missing = portalPages(partsOf(portal.parts))
		.filter(({ method, path }) => method === 'GET' && !NO_PAGE.test(path) && !path.startsWith('/portal/access/of/'))
		.map(({ path }) => path)
		.filter((path) => !isShown(new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)));
	t.deepEqual(missing, []);
});

pageTest('Enter and Space do what a click does, and Escape closes the menu, in every language', async (t) => {
	const { portal, scene } = await openScenes(t);
	for (const language of LANGUAGES) {
		const say = sayIn(language);
		const { page, show } = await portal.openFor(scene.people.manager, { viewport: PHONE, locale: language });
		const press = async (...keys: string[]) => {
			for (const key of keys) await page.keyboard.press(key);
		};
		await show('/portal/access/keys/new');
		await press('Tab', 'Enter');
		t.is(await page.evaluate('document.activeElement.id'), 'content', 'the first link skips what every page has');
		await press('Tab');
		const tick = page.locator('input[type=checkbox]').first();
		const wasTicked = await tick.isChecked();
		await press('Space');
		t.not(await tick.isChecked(), wasTicked);

		const menu = page.getByRole('button', { name: say('frame.menu') });
		const files = page.getByRole('link', { name: say('frame.sections.files'), exact: true });
		for (const key of ['Enter', 'Space']) {
			await menu.focus();
			await press(key);
			await files.waitFor();
			await press('Escape');
			await files.waitFor({ state: 'hidden' });
			t.true(await menu.evaluate((button) => button.matches(':focus')), 'the focus is where it was');
		}
		await press('Enter', 'Tab', 'Tab', 'Enter');
		await page.getByRole('heading', { name: say('frame.sections.files'), level: 1 }).waitFor();
		t.false(await files.isVisible(), 'the menu is closed on the next page');
		await page.context().close();
	}
});

for (const language of LANGUAGES)
	pageTest(`no page breaks a rule of axe or is too wide, and Tab reaches all of it, in ${language}`, async (t) => {
		const { pagesFor } = await openScenes(t);
		const look = { locale: language, colorScheme: language === 'de' ? ('dark' as const) : ('light' as const) };
		// A window shows the sections or a menu in their place, and Tab walks each of the two in two languages.
		const walked = language === 'en' || language === 'es' ? DESKTOP : PHONE;
		await pagesFor({ ...look, viewport: DESKTOP }, async (page, name) => {
			t.is(await page.locator('html').getAttribute('lang'), language);
			for (const viewport of [DESKTOP, SMALL_DESKTOP, TABLET, PHONE]) {
				await page.setViewportSize(viewport);
				t.false(await isTooWide(page), `${name} ${viewport.width}`);
			}
			t.deepEqual(await violationsOf(page), [], name);
			await page.setViewportSize(walked);
			const { names, reached, unseen } = await tabThrough(page);
			t.deepEqual(
				reached.slice(0, names.length),
				names,
				`${name} ${walked.width}: Tab alone goes in the order of the page`,
			);
			t.deepEqual(unseen, [], `${name} ${walked.width}: and is always seen`);
		});
	});

pageTest('nothing moves while a page comes', async (t) => {
	const { pagesFor } = await openScenes(t);
	const MOST = 0.02;
	for (const viewport of [PHONE, DESKTOP])
		await pagesFor({ viewport }, async (page, name) => {
			if (await page.locator('.plot').count()) await page.locator('.plot canvas').first().waitFor();
			const shift = (await page.evaluate(`new Promise((resolve) => {
				let sum = 0;
				new PerformanceObserver((list) => {
					for (const { value } of list.getEntries()) sum += value;
				}).observe({ type: 'layout-shift', buffered: true });
				setTimeout(() => resolve(sum), 100);
			})`)) as number;
			t.true(shift <= MOST, `${name} ${viewport.width}: ${shift}`);
		});
});

pageTest('of a page that takes its time its shape is seen and said, until it comes or does not', async (t) => {
	const { portal, scene } = await openScenes(t);
	const { page, show, complaints } = await portal.openFor(scene.people.manager, { viewport: DESKTOP });
	await show('/portal/files');
	const heading = page.getByRole('heading', { level: 1 });
	for (const [link, path, shape] of [
		['Overview', '/portal', 'overview'],
		['Cards', '/portal/cards', 'list'],
		['bookings-2026-11-20.csv', '/portal/jobs/*', 'object'],
	] as const) {
		await show('/portal/files');
		const came = Promise.withResolvers<boolean>();
		await page.route(`**${path}`, async (route) => {
			if (!(await came.promise)) await route.abort();
			else await route.continue();
		});
		await page.getByRole('link', { name: link, exact: true }).first().click();
		await page.locator(`.skeleton.of-${shape}`).waitFor();
		await page.getByRole('status').getByText('The page is coming.').waitFor({ state: 'attached' });
		t.false(await page.getByRole('heading', { level: 1, name: 'Files' }).isVisible(), shape);
		t.is(await page.locator('main').getAttribute('aria-busy'), 'true');
		t.deepEqual(await violationsOf(page), [], shape);
		const isThere = shape !== 'list';
		came.resolve(isThere);
		await page.locator('.skeleton').waitFor({ state: 'detached' });
		if (isThere) await page.getByRole('heading', { level: 1, name: link }).waitFor();
		else await page.getByText('The service cannot be reached. Nothing is lost').waitFor();
		if (!isThere) t.is(await heading.innerText(), 'Files', 'the former page is there again');
		await page.unrouteAll();
	}
	t.deepEqual(
		complaints.filter((text) => !text.includes('ERR_FAILED')),
		[],
	);
});

pageTest(
	'a list stays in sight until the answer to its filter comes, whether the filter is chosen or typed',
	async (t) => {
		const { portal, scene } = await openScenes(t);
		const { page, show, complaints } = await portal.openFor(scene.people.manager, { viewport: DESKTOP });
		/** A page that comes later than this has shown its shape by then. */
		const LATER_MS = 600;
		for (const [path, narrow, arrives] of [
			// Whatever is typed is posted, and the answer leads to the list. A browser follows that by itself, so that only what was
			// posted can be held up here.
			['/portal/cards', () => page.press('#reference', 'Enter'), /\?reference=none-such$/],
			['/portal/files', () => page.getByRole('button', { name: 'Show' }).click(), /[?&]name=none-such$/],
			['/portal/requests', () => page.getByRole('button', { name: 'Show' }).click(), /\?state=CardStored/],
		] as const) {
			await show(path);
			const row = page.locator('main tbody tr').first();
			await row.waitFor();
			const name = { '/portal/cards': '#reference', '/portal/files': '#name' }[path as string];
			if (name) await page.fill(name, 'none-such');
			else await page.selectOption('#state', 'CardStored');
			const [asked, came] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			await page.route(
				({ pathname }) => pathname === path,
				async (route) => {
					asked.resolve();
					await came.promise;
					await route.continue();
				},
			);
			await narrow();
			await asked.promise;
			await page.waitForTimeout(LATER_MS);
			t.true(await row.isVisible(), path);
			t.is(await page.locator('.skeleton').count(), 0, path);
			t.is(await page.locator('main').getAttribute('aria-busy'), 'true', 'and it is said that another is on its way');
			came.resolve();
			await page.waitForURL(arrives);
			await page.locator('main:not([aria-busy])').waitFor();
			await page.unrouteAll();
		}
		t.deepEqual(complaints, []);
	},
);

pageTest('on a phone the first file stands on the first screen', async (t) => {
	const { portal, scene } = await openScenes(t);
	for (const locale of LANGUAGES) {
		const { page, show } = await portal.openFor(scene.people.manager, { viewport: PHONE, locale });
		await show('/portal/files');
		const { y, height } = (await page.locator('#jobs tbody th').first().boundingBox())!;
		t.true(y + height <= PHONE.height, `${locale}: ${y + height}`);
	}
});

pageTest('colours follow the system or what was chosen in the menu, on every page from then on', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show, complaints } = await portal.open('clerk', { look: { colorScheme: 'light', viewport: DESKTOP } });
	const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
	const [LIGHT, DARK] = ['rgb(255, 255, 255)', 'rgb(18, 22, 29)'];
	await show('/portal');
	t.is(await ground(), LIGHT);
	await page.emulateMedia({ colorScheme: 'dark' });
	t.is(await ground(), DARK);
	await page.getByRole('button', { name: 'Light colours' }).click();
	await page.locator(':root[data-scheme="light"]').waitFor();
	t.is(await ground(), LIGHT);
	await page.getByRole('link', { name: 'Cards', exact: true }).click();
	await page.getByRole('heading', { name: 'Cards', level: 1 }).waitFor();
	t.is(await ground(), LIGHT);
	await page.emulateMedia({ colorScheme: 'light' });
	await page.getByRole('button', { name: 'Dark colours' }).click();
	await page.locator(':root[data-scheme="dark"]').waitFor();
	t.is(await ground(), DARK);
	t.true(page.url().endsWith('/portal/cards'));
	t.deepEqual(await violationsOf(page), []);
	await page.getByRole('button', { name: 'Colours of the system' }).click();
	await page.locator(':root:not([data-scheme])').waitFor();
	t.is(await ground(), LIGHT);
	t.deepEqual(complaints, []);
});

pageTest('on paper a page is what it says, without menus and forms, dark on white', async (t) => {
	const { portal, scene } = await openScenes(t);
	const { page, show } = await portal.openFor(scene.people.manager, { colorScheme: 'dark', viewport: TABLET });
	const { path } = scene.pages.find(({ name }) => name === 'job')!;
	await show(path);
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	for (const seen of ['h1', '#report', 'table', 'thead', '.banner'])
		t.true(await page.locator(seen).first().isVisible(), seen);
	for (const gone of ['nav', '.bar', 'form', 'footer', '.actions', 'button'])
		for (const each of await page.locator(gone).all()) t.false(await each.isVisible(), gone);
	t.is(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'light');
	t.is(await page.evaluate("getComputedStyle(document.querySelector('tbody')).display"), 'table-row-group');
});

pageTest('times are of the zone of the browser, or of the one that was chosen', async (t) => {
	const { portal, scene } = await openScenes(t);
	const look = { viewport: DESKTOP, timezoneId: 'Europe/Paris' };
	const { page, show, complaints } = await portal.openFor(scene.people.manager, look);
	const firstTime = async () =>
		(await page.locator('#jobs tbody time').first().textContent())!.replaceAll('\u202f', ' ');
	await show('/portal/files');
	t.is(await firstTime(), 'Nov 21, 2026, 1:42 PM GMT+1');
	t.regex(String(await page.locator('#jobs tbody time').first().getAttribute('title')), /12:42\sPM UTC/);
	await page.getByRole('link', { name: 'My settings' }).click();
	await page.selectOption('#zone', 'Asia/Tokyo');
	await page.getByRole('button', { name: 'Use this zone' }).click();
	await page.getByText('Times are shown in this zone now.').waitFor();
	await page.getByRole('link', { name: 'Files', exact: true }).click();
	await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
	t.is(await firstTime(), 'Nov 21, 2026, 9:42 PM GMT+9');
	// The periods of plots are days of UTC, wherever one reads them.
	await page.getByRole('link', { name: 'Overview', exact: true }).click();
	await page.locator('summary').first().click();
	t.is(await page.locator('table time').first().textContent(), 'Nov 21, 2026');
	t.deepEqual(complaints, []);
});
