// Tests how the portal looks, as far as that can be read from its pages: one scale of sizes, aligned numbers, colours by
// choice, plots that begin with the first numbers, and what somebody sees who has nothing yet.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { deviceName } from '../../src/doors/http/portal/pages/people/device-name.ts';
import { sayIn } from '../../src/doors/http/portal/texts.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { fillStatistics } from '../helpers/portal-numbers.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { CSV, sendPiece } from './files.setup.ts';

const SHEETS = ['portal.css', 'portal-numbers.css'];
const SCALED = /^\s*(font-size|(?:margin|padding)(?:-\w+)?|gap):\s*([^;]+);$/;
const ON_SCALE =
	/^(?:0|auto|none|inherit|var\(--(?:gap|text)-\w+\)|calc\([^)]*(?:var\(--(?:gap|top)[^)]*\)[^)]*)\)|\s)+$/;

test('sizes of texts and distances are of one scale', (t) => {
	const beside = SHEETS.flatMap((name) => {
		const lines = readFileSync(new URL(`../../src/base/pages/assets/${name}`, import.meta.url), 'utf8').split('\n');
		return lines.filter((line) => {
			const [, , value] = SCALED.exec(line) ?? [];
			return value !== undefined && !ON_SCALE.test(value);
		});
	});
	t.deepEqual(beside, []);
});

test('the icons are a set that one can look over, and nothing that is said depends on them', async (t) => {
	const source = readFileSync(new URL('../../src/doors/http/portal/look/icons.ts', import.meta.url), 'utf8');
	const drawn = [...source.matchAll(/^\t\w+:\s+'M/gm)].length;
	t.true(drawn >= 13 && drawn <= 30, `${drawn} icons`);
	const parts = await openPortalApp(t);
	const { body } = await (await parts.signIn('manager')).get('/portal');
	const icons = [...body.matchAll(/<svg[^>]*>/g)].map(([tag]) => tag);
	t.true(icons.length > 10);
	for (const tag of icons) t.true(tag.includes('aria-hidden="true"'), tag);
});

test('columns of numbers are aligned, and short texts stay on one line', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	await sendPiece(parts, clerk, CSV);
	await runNextJob(parts);
	const { body } = await clerk.get('/portal/files');
	for (const heading of ['Size', 'Cards', 'Refused']) {
		t.true(body.includes(`<th scope="col" class="figure">${heading}</th>`), heading);
		t.regex(body, new RegExp(`<td data-head="${heading}" class="figure">`), heading);
	}
	t.true(body.includes('<th scope="col">Received</th>'));
	t.regex(body, /<td data-head="Received" class="when">/);
	t.regex(body, /<th scope="row" data-head="Name" class="short">/);
});

test('a caption that says the same as the heading is for those alone who do not see the table', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	t.true((await manager.get('/portal/people')).body.includes('<caption class="unseen">People</caption>'));
	await storeCard(manager.caller!);
	t.regex((await manager.get('/portal/cards')).body, /<caption>Cards, the newest first/);
});

test('colours that were chosen stay until those of the system are chosen again', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	t.regex((await clerk.get('/portal')).body, /<html lang="en" dir="ltr">/);
	const chosen = await clerk.post('/portal/scheme', { scheme: 'dark', back: '/portal/cards' });
	t.is(chosen.headers.location, '/portal/cards');
	const cookie = String([chosen.headers['set-cookie']].flat()[0]);
	t.regex(cookie, /^__Host-tokendrop-scheme=dark; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
	const { body } = await clerk.get('/portal', { cookie: `${clerk.cookie}; __Host-tokendrop-scheme=dark` });
	t.regex(body, /<html lang="en" dir="ltr" data-scheme="dark">/);
	t.regex(body, /<meta name="color-scheme" content="dark">/);
	t.regex(body, /value="dark"[^>]* aria-pressed="true"/);
	const back = await clerk.post('/portal/scheme', { scheme: 'system', back: '//evil.example' });
	t.is(back.headers.location, '/portal');
	t.regex(String([back.headers['set-cookie']].flat()[0]), /^__Host-tokendrop-scheme=; .*Max-Age=0/);
	t.is((await clerk.post('/portal/scheme', { scheme: '"><b>' })).statusCode, 400);
	const invented = await clerk.get('/portal', { cookie: `${clerk.cookie}; __Host-tokendrop-scheme="><b>` });
	t.regex(invented.body, /<html lang="en" dir="ltr">/);
});

test('plots begin with the first numbers, all at the same time, and the tables have every period', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const timesOf = (body: string) =>
		[...body.matchAll(/data-numbers="([^"]*)"/g)].map(
			([, numbers]) => JSON.parse(numbers.replaceAll('&quot;', '"')).times as number[],
		);
	const accountId = manager.viewer.account!.id;
	await fillStatistics(parts.database, accountId, parts.clock.now().getTime(), 3);
	const { body } = await manager.get('/portal');
	const [first, ...others] = timesOf(body);
	t.true(first.length >= 3 && first.length <= 4, `${first.length} days`);
	t.true(others.length > 2);
	for (const each of others) t.deepEqual(each, first);
	t.is(body.split('<table')[1].match(/<tr>/g)!.length, 1 + 1 + 30, 'the head, a sum and thirty days');
});

test('somebody without a file gets one to begin with in the sandbox, if they may send it', async (t) => {
	const parts = await openPortalApp(t);
	const [clerk, viewer] = [await parts.signIn('clerk'), await parts.signIn('viewer')];
	t.regex((await clerk.get('/portal/files')).body, /href="\/portal\/files\/sample"/);
	t.false((await viewer.get('/portal/files')).body.includes('/portal/files/sample'));
	t.is((await viewer.get('/portal/files/sample')).statusCode, 403);
	const sample = await clerk.get('/portal/files/sample');
	t.is(sample.headers['content-disposition'], 'attachment; filename="sample.csv"');
	const { job } = (await sendPiece(parts, clerk, sample.body, { name: 'sample.csv' })).json();
	t.is(await runNextJob(parts), 'done');
	const { cards, refused } = await parts.database.knex('jobs').where({ id: job }).first();
	t.deepEqual([Number(cards), Number(refused)], [2, 0]);
	const { body } = await clerk.get('/portal/files');
	t.false(body.includes('/portal/files/sample'), 'it is offered until something came');
	t.regex(body, /<option value="tokenize\/CSV" selected>/, 'the next file mostly goes where the latest one went');

	const production = await openPortalApp(t, 'sqlite', { settings: { environment: 'production' } });
	const manager = await production.signIn('manager');
	t.false((await manager.get('/portal/files')).body.includes('/portal/files/sample'));
});

test('an SSH key that is added for some addresses has them, and a wrong range is said at its field', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const keys = makeSshKeyLine('agency');
	const wrong = await manager.post('/portal/access/ssh', { keys, from: '10.0.0.0/99' });
	t.is(wrong.statusCode, 400);
	t.regex(wrong.body, /id="from-problem"/);
	t.is((await manager.post('/portal/access/ssh', { keys, from: ' 10.0.0.0/8 ' })).statusCode, 303);
	t.deepEqual(
		(await parts.database.knex('ssh_keys')).map(({ from_ranges }) => from_ranges),
		['10.0.0.0/8'],
	);
});

test('a device has the name that people use for it, and one that nobody knows says what it says', (t) => {
	const inEnglish = (agent: string) => deviceName(agent, sayIn('en'));
	const KIT = '(KHTML, like Gecko)';
	const CHROME = `AppleWebKit/537.36 ${KIT} Chrome/141.0.0.0`;
	for (const [agent, name] of [
		[`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome on Windows'],
		[`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/141.0.0.0`, 'Edge on Windows'],
		[`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome on ChromeOS'],
		[`Mozilla/5.0 (Linux; Android 15; SM-S921B) ${CHROME} Mobile Safari/537.36`, 'Chrome on Android'],
		['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox on Linux'],
		[
			`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 ${KIT} Version/18.5 Safari/605.1.15`,
			'Safari on macOS',
		],
		[
			`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 ${KIT} Version/18.5 Mobile/15E148 Safari/604.1`,
			'Safari on iPhone',
		],
		[
			`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 ${KIT} CriOS/141.0 Mobile/15E148 Safari/604.1`,
			'Chrome on iPhone',
		],
		['Firefox/143.0', 'Firefox'],
		['curl/8.14.1', 'curl/8.14.1'],
	])
		t.is(inEnglish(agent), name);
});

test('a time zone that was chosen stays until that of the browser is chosen again', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const zoneOf = (body: string) => /<main [^>]*data-zone="([^"]*)"/.exec(body)?.[1];
	t.is(zoneOf((await clerk.get('/portal')).body), '');
	const chosen = await clerk.post('/portal/me/zone', { zone: 'Asia/Tokyo' });
	t.is(chosen.headers.location, '/portal/me');
	const cookies = [chosen.headers['set-cookie']].flat().map(String);
	t.true(cookies.some((each) => each.startsWith('__Host-tokendrop-zone=Asia/Tokyo; ')));
	const withZone = (zone: string) => ({ cookie: `${clerk.cookie}; __Host-tokendrop-zone=${zone}` });
	t.is(zoneOf((await clerk.get('/portal', withZone('Asia/Tokyo'))).body), 'Asia/Tokyo');
	t.is(zoneOf((await clerk.get('/portal', withZone('"><b>'))).body), '');
	t.regex((await clerk.get('/portal/me', withZone('Asia/Tokyo'))).body, /<option value="Asia\/Tokyo" selected>/);
	const back = await clerk.post('/portal/me/zone', { zone: '' });
	t.true([back.headers['set-cookie']].flat().some((each) => String(each).startsWith('__Host-tokendrop-zone=; ')));
});
