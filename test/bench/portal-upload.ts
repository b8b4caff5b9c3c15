// Uploads through the portal in a browser, beside the same file over sFTP into the same daemon.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/clock.ts';
import { openBrowser } from '../helpers/browser.ts';
import { findBrowserPath } from '../helpers/browser-path.ts';
import { type Installation, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { freePort } from '../helpers/free-port.ts';
import { openPortalSession } from '../helpers/portal-session.ts';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { outputs, type Server, send } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const RUNS = runs(5);
const BYTES = cutBytes(256 * 1024 * 1024);
const WHAT = `upload of ${tellBytes(BYTES)} in a browser`;
const GOAL = { must: 0.8, aim: 1 };
const TARGET = `${GOAL.must} times sFTP (${GOAL.aim})`;

/** Sends one file in turns over both ways, until it is accepted. */
export async function portalUploadRows(folder: string): Promise<BenchRow[]> {
	const missing = [...findMissingPrograms('sftp'), ...(findBrowserPath() === undefined ? ['chromium'] : [])];
	if (missing.length > 0) return [missingRow(WHAT, missing, TARGET)];
	const releases: (() => unknown)[] = [];
	const t = { teardown: (release: () => unknown) => void releases.push(release) };
	try {
		const { installation, daemon } = await startInstallation(t, {
			// The command that adds a user has to know where the portal is.
			variables: { ...BENCH_WORKERS, TOKENDROP_HTTP_PORT: String(await freePort()) },
		});
		const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
		const door = { port: daemon.sftpPort, folder: installation.folder, userName, password };
		const server: Server = { door, inbox: '/tokenize/SIMPLECSV', outbox: '/tokenized/SIMPLECSV', pid: daemon.pid };
		const browser = await openBrowser(t);
		const { page } = await browser.openPage();
		await signIn(page, installation, daemon, userName);
		// Without a card, so that the job afterwards is short.
		const { path, bytes } = generate('NOCARD', join(folder, 'large.csv'), BYTES);
		const rates = { browser: [] as number[], sftp: [] as number[] };
		for (let n = 0; n < RUNS; n++) {
			const seconds = await send(server, [`put ${path} ${server.inbox}/sftp${n}.csv`], []);
			rates.sftp.push(bytes / 1e6 / seconds);
			await outputs(installation, `sftp${n}.csv`);
			rates.browser.push(bytes / 1e6 / (await uploadOnce(page, `${daemon.baseUrl}/portal/files`, path)));
			await outputs(installation, 'large%.csv', n + 1);
		}
		rmSync(path);
		const [mine, theirs] = [median(rates.browser), median(rates.sftp)];
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
		];
	} finally {
		for (const release of releases.reverse()) await release();
	}
}

/** Gives the browser the session of a new clerk. */
async function signIn(page: Page, installation: Installation, { baseUrl }: RunningDaemon, account: string) {
	const name = 'clerk@bench.example';
	await installation.json('portal-user', 'add', name, '--user-id', account, '--role', 'clerk');
	const { database, keyRing } = await installation.rooms();
	const user = await database.knex('portal_users').where({ name }).first('id');
	const header = await openPortalSession({ database, keyRing, clock: systemClock }, Number(user.id));
	const [cookie, value] = header.split('=', 2);
	await page.context().addCookies([{ name: cookie, value, url: baseUrl }]);
}

/** Returns the seconds until the service has accepted the file. */
async function uploadOnce(page: Page, url: string, path: string): Promise<number> {
	await page.goto(url);
	await page.selectOption('#folder', 'tokenize/SIMPLECSV');
	await page.setInputFiles('#file', path);
	const started = performance.now();
	await page.click('#upload button');
	await page.waitForSelector('#uploads a', { timeout: 300_000 });
	return (performance.now() - started) / 1000;
}
