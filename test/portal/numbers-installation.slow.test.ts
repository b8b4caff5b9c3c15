// Those tests of numbers-installation.test.ts that take long.

import test from 'ava';
import { scoreStore } from '../../src/base/defender/score-store.ts';
import { daemonStore } from '../../src/installation/daemons/daemon-store.ts';
import { scheduleStore } from '../../src/work/jobs/schedule-store.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { fillStatistics } from '../helpers/portal-numbers.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const PATHS = ['', '/accounts', '/daemons', '/keys', '/audit', '/bans'].map((end) => `/portal/installation${end}`);
const HOSTILE = '"><img src=x onerror=alert(1)>';

/** Makes an installation in which both good and bad things have happened. */
async function fill(parts: PortalApp): Promise<void> {
	const { database, clock } = parts;
	const now = clock.now().getTime();
	const agency = await parts.createCaller('hotel-group', { permissions: ['Tokenize'] });
	await storeCard(agency);
	await fillStatistics(database, agency.account.id, now, 3);
	const fire = { task: 'retention', firesAt: now - 60_000, now: now - 60_000 };
	await scheduleStore(database.knex).claim({ ...fire, daemonId: 'one' });
	const daemon = { id: `one:${HOSTILE}`, version: '0.1.0', knows: '0014-daemons.expand' };
	await daemonStore(database.knex).sign({ ...daemon, started_at: now - 60_000, seen_at: now });
	await scheduleStore(database.knex).finish({ ...fire, outcome: 'failed' });
	const report = { address: '192.0.2.7', points: 9, sinceMs: now, bannedUntilMs: now + 600_000 };
	await scoreStore(database.knex).add('sftp', [report], { nowMs: now, windowMs: 60_000 });
}

for (const dialect of databases) {
	test(`${dialect}: every page of the installation is shown to operators, and to nobody else`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		await fill(parts);
		const operator = await parts.signIn('operator');
		const manager = await parts.signIn('manager');
		for (const path of PATHS) {
			const { statusCode, body } = await operator.get(path);
			t.is(statusCode, 200, `${path}: ${body.slice(0, 300)}`);
			t.false(body.includes('<img src=x'));
			t.is((await manager.get(path)).statusCode, 403, path);
			t.is((await parts.app.inject({ url: path })).statusCode, 303, path);
		}
		const { body } = await operator.get('/portal/installation');
		t.true(body.includes('Not all is well'));
		t.true(body.includes('retention failed within a day, so what they do may be overdue'));
		t.false(body.includes('it was never verified as a whole'), 'a short trail is verified by each view');
		const accounts = (await operator.get('/portal/installation/accounts')).body;
		t.regex(accounts, /hotel-group/);
		t.true((await operator.get('/portal/installation/daemons')).body.includes('one:&quot;&gt;&lt;img'));
		const trail = (await operator.get('/portal/installation/audit')).body;
		t.true(trail.includes('fit together'));
		t.true(trail.includes('card.store'));
		const entry = { actor: 'test', action: 'test.long', subject: 'trail' };
		await Promise.all(Array.from({ length: 501 }, () => parts.audit.record(entry)));
		parts.clock.turn(60_000);
		t.true((await operator.get('/portal/installation')).body.includes('it was never verified as a whole'));
	});

	test(`${dialect}: a ban is lifted by those whose role may, and that is in the trail`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		await fill(parts);
		const path = '/portal/installation/bans';
		const looking = await parts.signIn('operator', { operatorRole: 'view' });
		t.false((await looking.get(path)).body.includes('Let in again'));
		t.is((await looking.post(path, { address: '192.0.2.7' })).statusCode, 403);
		t.is((await (await parts.signIn('manager')).post(path, { address: '192.0.2.7' })).statusCode, 403);
		const operator = await parts.signIn('operator');
		t.true((await operator.get(path)).body.includes('192.0.2.7'));
		t.is((await operator.post(path, { address: '192.0.2.7' })).statusCode, 303);
		t.true((await operator.get(path)).body.includes('No address is shut out.'));
		t.is((await operator.post(path, { address: HOSTILE })).statusCode, 303);
		const entries = await parts.database.knex('audit').where({ action: 'ban.lift' });
		t.deepEqual(
			entries.map(({ actor, subject }) => [actor, subject]),
			[[operator.viewer.actor.userId, 'address 192.0.2.7']],
		);
	});
}

pageTest('in a browser the pages of operators have no violations, in four languages', async (t) => {
	const portal = await portalBrowser(t);
	await fill(portal.parts);
	for (const [index, language] of ['en', 'de', 'fr', 'es'].entries()) {
		const viewport = index % 2 === 0 ? { width: 1280, height: 900 } : { width: 390, height: 844 };
		const colorScheme = index < 2 ? 'light' : 'dark';
		const person = await portal.parts.signIn('operator', { language });
		const { page, show, complaints } = await portal.openFor(person, { viewport, colorScheme });
		for (const path of PATHS) {
			await show(path);
			t.deepEqual(await violationsOf(page), [], `${path} ${language}`);
			t.false(await isTooWide(page), `${path} ${language}`);
		}
		t.deepEqual(complaints, []);
	}
});

pageTest('the trail fits its window whatever the words of its entries, as keys end them anywhere', async (t) => {
	const portal = await portalBrowser(t);
	const person = await portal.parts.signIn('operator', { language: 'de' });
	// A key is written in letters, digits and hyphens, and a hyphen may stand in its middle.
	const key = `token:${'W'.repeat(18)}-${'M'.repeat(24)}`;
	const entry = {
		actor: 'mara.lindgren@hotel.test',
		action: 'event-endpoint.remove',
		subject: `operator ${'m'.repeat(24)}`,
	};
	await portal.parts.audit.record({ ...entry, details: { key } });
	const { page, show } = await portal.openFor(person);
	await show('/portal/installation/audit');
	for (const width of [1280, 1100, 1024]) {
		await page.setViewportSize({ width, height: 700 });
		t.false(await isTooWide(page), `${width}`);
	}
});
