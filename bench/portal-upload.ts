// Measures uploads through the portal in a browser, beside the same file over sFTP into the same daemon, and beside what
// either side does without the other: the browser sends to a server that keeps nothing, and curl sends to the daemon.

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { systemClock } from '../src/base/clock.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { findBrowserPath, getBrowserPath } from '../test/helpers/browser-path.ts';
import { type Installation, type RunningDaemon, startInstallation } from '../test/helpers/daemon.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { openPortalSession } from '../test/helpers/portal-session.ts';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { outputs, type Server, send } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const RUNS = runs(5);
const BYTES = cutBytes(256 * 1024 * 1024);
const WHAT = `upload of ${tellBytes(BYTES)} in a browser`;
/** This row measures the service alone, because curl needs little of the processor, and a browser needs much. */
const ALONE = 'the same file, sent by curl to the address that the browser uses';
/** This row measures the browser alone: no service can take a file from it faster than this. */
const BROWSER_ALONE = 'the same file, sent by the browser to a server that drops every byte';
const GOAL = { must: 0.8, aim: 1 };
/** While a file is sent, this many pages are visited. */
const PAGES = ['/portal', '/portal/cards', '/portal/requests', '/portal/folders', '/portal/me'];
const WALKING = `the same upload while ${PAGES.length} pages are visited`;
const WALKING_GOAL = { must: 0.9, aim: 1 };
const TARGET = `${GOAL.must} times sFTP (${GOAL.aim})`;

/** Sends one file several times in each of these ways, in turns, and returns rows of the rates. */
export async function portalUploadRows(folder: string): Promise<BenchRow[]> {
	const missing = [...findMissingPrograms('sftp'), ...(findBrowserPath() === undefined ? ['chromium'] : [])];
	if (missing.length > 0) return [missingRow(WHAT, missing, TARGET)];
	await using t = new Teardowns();
	const { installation, daemon } = await startInstallation(t, {
		// The command that adds a user has to know where the portal is.
		variables: { ...BENCH_WORKERS, TOKENDROP_HTTP_PORT: String(await freePort()) },
	});
	const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
	const door = { port: daemon.sftpPort, folder: installation.folder, userName, password };
	const server: Server = { door, inbox: '/tokenize/SIMPLECSV', outbox: '/tokenized/SIMPLECSV', pid: daemon.pid };
	const browser = await openBrowser(t, getBrowserPath());
	const { page } = await browser.openPage();
	const cookie = await signIn(page, installation, daemon, userName);
	// The file has no card, so that the job that follows each upload is short.
	const { path, bytes } = generate('NOCARD', join(folder, 'large.csv'), BYTES);
	const rates = {
		browser: [] as number[],
		walking: [] as number[],
		dropped: [] as number[],
		sftp: [] as number[],
		curl: [] as number[],
	};
	const dropping = await openDroppingServer(t);
	const hasCurl = findMissingPrograms('curl').length === 0;
	for (let n = 0; n < RUNS; n++) {
		const seconds = await send(server, [`put ${path} ${server.inbox}/sftp${n}.csv`], []);
		rates.sftp.push(bytes / 1e6 / seconds);
		await outputs(installation, `sftp${n}.csv`);
		rates.browser.push(bytes / 1e6 / (await uploadOnce(page, `${daemon.baseUrl}/portal/files`, path)));
		await outputs(installation, 'large%.csv', 2 * n + 1);
		rates.walking.push(bytes / 1e6 / (await uploadOnce(page, `${daemon.baseUrl}/portal/files`, path, PAGES)));
		await outputs(installation, 'large%.csv', 2 * n + 2);
		rates.dropped.push(bytes / 1e6 / (await sendToBeDropped(page, dropping, path)));
		if (!hasCurl) continue;
		rates.curl.push(bytes / 1e6 / (await sendByCurl({ daemon, cookie, path, bytes, name: `curl${n}.csv` })));
		await outputs(installation, `curl${n}.csv`);
	}
	rmSync(path);
	const [mine, walking, theirs, dropped] = [rates.browser, rates.walking, rates.sftp, rates.dropped].map(median);
	const alone: BenchRow = hasCurl
		? {
				...{ what: ALONE, target: '', result: `${median(rates.curl).toFixed(0)} MB/s` },
				figures: [figure('portal/upload/curl', 'MB/s', rates.curl, { larger: 'neither' })],
			}
		: missingRow(ALONE, ['curl']);
	return [
		{
			...{ what: WHAT, target: TARGET },
			result: `${mine.toFixed(0)} MB/s, sFTP ${theirs.toFixed(0)}: ${(mine / theirs).toFixed(2)}`,
			figures: [
				figure('portal/upload/browser', 'MB/s', rates.browser),
				figure('portal/upload/sFTP', 'MB/s', rates.sftp, { larger: 'neither' }),
				figure('portal/upload/times', 'times', mine / theirs, GOAL),
			],
		},
		{
			...{ what: WALKING, target: `${WALKING_GOAL.must} times sFTP (${WALKING_GOAL.aim})` },
			result: `${walking.toFixed(0)} MB/s, sFTP ${theirs.toFixed(0)}: ${(walking / theirs).toFixed(2)}`,
			figures: [
				figure('portal/upload/walking', 'MB/s', rates.walking),
				figure('portal/upload/walking times', 'times', walking / theirs, WALKING_GOAL),
			],
		},
		{
			...{ what: BROWSER_ALONE, target: '' },
			result: `${dropped.toFixed(0)} MB/s: ${(dropped / theirs).toFixed(2)} of sFTP`,
			figures: [figure('portal/upload/browser alone', 'MB/s', rates.dropped, { larger: 'neither' })],
		},
		alone,
	];
}

/** Gives the browser the session of a new clerk, and returns its cookie. */
async function signIn(
	page: Page,
	installation: Installation,
	{ baseUrl }: RunningDaemon,
	account: string,
): Promise<string> {
	const name = 'clerk@bench.example';
	await installation.json('portal-user', 'add', name, '--user-id', account, '--role', 'clerk');
	const { database, keyRing } = await installation.parts();
	const user = await database.knex('portal_users').where({ name }).first('id');
	const header = await openPortalSession({ database, keyRing, clock: systemClock }, Number(user.id));
	const [cookie, value] = header.split('=', 2);
	await page.context().addCookies([{ name: cookie, value, url: baseUrl }]);
	return `${cookie}=${value}`;
}

/**
 * Uploads the file on the page of the portal, and returns the seconds until the service has accepted it.
 * @throws Error if that was before all of `visited` were shown
 */
async function uploadOnce(page: Page, url: string, path: string, visited: readonly string[] = []): Promise<number> {
	await page.goto(url);
	await page.selectOption('#folder', 'tokenize/SIMPLECSV');
	await page.setInputFiles('#file', path);
	// `waitForSelector` would look twice a second only, and an upload takes one.
	const accepted = page.evaluate(`new Promise((resolve) => {
		const look = () => document.querySelector('#uploads a') && resolve(globalThis.shown ?? 0);
		new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
	})`);
	const started = performance.now();
	await page.click('#upload button');
	const walked = page.evaluate(`(async () => {
		for (const path of ${JSON.stringify(visited)}) {
			document.querySelector('nav a[href="' + path + '"]').click();
			while (!document.querySelector('nav a[aria-current][href="' + path + '"]'))
				await new Promise((resolve) => setTimeout(resolve, 5));
			globalThis.shown = (globalThis.shown ?? 0) + 1;
		}
	})()`);
	const shown = await accepted;
	const seconds = (performance.now() - started) / 1000;
	await walked;
	if (shown !== visited.length) throw new Error(`only ${shown} pages were shown while the file was sent`);
	return seconds;
}

/** Serves a page that sends a file as the script of the portal does, and drops every byte. Returns the address. */
async function openDroppingServer(t: { teardown(release: () => unknown): void }): Promise<string> {
	const server = createServer((request, answer) => {
		request.resume().once('end', () => answer.setHeader('content-type', 'text/html').end(DROPPING_PAGE));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const DROPPING_PAGE = `<!doctype html><title>Drops</title><input type="file" id="file"><script>
	function sendFile() {
		return new Promise((resolve, reject) => {
			const request = new XMLHttpRequest();
			request.open('POST', '/');
			request.onload = resolve;
			request.onerror = reject;
			request.send(document.getElementById('file').files[0]);
		});
	}
</script>`;

/** Sends the file from the served page, and returns the seconds until the server has taken, and dropped, all of it. */
async function sendToBeDropped(page: Page, url: string, path: string): Promise<number> {
	await page.goto(url);
	await page.setInputFiles('#file', path);
	const started = performance.now();
	await page.evaluate('sendFile().then(() => undefined)');
	return (performance.now() - started) / 1000;
}

/** Sends the file as the script of the portal does, in one piece. Returns the seconds until the service has accepted it. */
async function sendByCurl(given: {
	readonly daemon: RunningDaemon;
	readonly cookie: string;
	readonly path: string;
	readonly bytes: number;
	readonly name: string;
}): Promise<number> {
	const { daemon, cookie, path, bytes, name } = given;
	const url = `${daemon.baseUrl}/portal/upload/tokenize/SIMPLECSV`;
	const sent = { cookie, accept: 'application/json', 'x-file-name': name };
	const { csrf } = (await (await fetch(url, { headers: sent })).json()) as { csrf: string };
	const headers = { ...sent, origin: daemon.baseUrl, 'x-csrf-token': csrf, 'content-type': 'application/octet-stream' };
	const words = Object.entries({ ...headers, expect: '' }).flatMap(([header, value]) => ['-H', `${header}: ${value}`]);
	const started = performance.now();
	const target = `${url}?offset=0&size=${bytes}`;
	const { stdout } = await promisify(execFile)('curl', ['-sS', '-X', 'POST', ...words, '-T', path, target]);
	if (!('job' in JSON.parse(stdout))) throw new Error(`curl: ${stdout}`);
	return (performance.now() - started) / 1000;
}
