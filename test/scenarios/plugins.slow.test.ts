// A plugin that an operator has allowed is a format like our own, through every door of a daemon.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import { openInstallation } from '../helpers/daemon.ts';
import { settledJobs } from '../helpers/daemon-checks.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { openPortalSession } from '../helpers/portal-session.ts';

const EXAMPLES = new URL('../../examples/formats/', import.meta.url);
const PLUGIN = fileURLToPath(new URL('galileo-mir.mjs', EXAMPLES));
const SAMPLE = readFileSync(new URL('samples/galileo-mir/two-records.mir', EXAMPLES));

test('files of an allowed plugin go over sFTP, HTTP and the portal, and fail once it is removed', async (t) => {
	const installation = await openInstallation(t);
	const first = await installation.start();
	await first.stop();
	await installation.json('format', 'allow', PLUGIN);
	const daemon = await installation.start();
	const { demo } = installation;

	const session = await openSession(t, installation, daemon);
	t.true((await session.names('/tokenize')).includes('GALILEOMIR'));
	await session.put('/tokenize/GALILEOMIR/may.mir', SAMPLE);
	const there = await session.arrival('/tokenized/GALILEOMIR/may.mir');
	t.regex(there.toString('latin1'), /CAX{12}4444 {4}1139AP12345 {2}TKN-[0-9A-F]{32}\r/);
	await session.put('/detokenize/GALILEOMIR/may.mir', there);
	t.deepEqual(await session.arrival('/detokenized/GALILEOMIR/may.mir'), SAMPLE);

	const headers = { 'X-service-API-Key': demo.apiKey, 'Content-Type': 'application/octet-stream' };
	const call = (area: string, body: Buffer<ArrayBuffer>) =>
		fetch(`${daemon.baseUrl}/api/files/${area}?filter=GALILEOMIR`, { method: 'POST', headers, body });
	const streamed = await call('tokenize', Buffer.from(SAMPLE));
	t.is(streamed.status, 200);
	const back = await call('detokenize', Buffer.from(await streamed.arrayBuffer()));
	t.deepEqual(Buffer.from(await back.arrayBuffer()), SAMPLE);

	const parts = await installation.parts();
	installation.variables.TOKENDROP_BASE_URL = daemon.baseUrl;
	await installation.json('portal-user', 'add', 'anna', '--user-id', demo.userId, '--role', 'clerk');
	const { id } = await parts.database.knex('portal_users').where({ name: 'anna' }).first();
	const cookie = await openPortalSession({ ...parts, clock: systemClock }, id);
	const page = await fetch(`${daemon.baseUrl}/portal/files/tokenized/GALILEOMIR`, { headers: { cookie } });
	t.is(page.status, 200);
	t.regex(await page.text(), /may\.mir/);

	await installation.json('format', 'remove', 'GALILEOMIR');
	await session.put('/tokenize/GALILEOMIR/june.mir', SAMPLE);
	const report = JSON.parse((await session.arrival('/reports/GALILEOMIR/june.mir.json')).toString());
	t.is(report.state, 'failed');
	t.regex(report.error.message, /GALILEOMIR is not used: it is no longer allowed/);
	const jobs = await settledJobs(parts);
	t.deepEqual(
		jobs.map(({ error_code }) => error_code).filter((code) => code !== null),
		['plugin-failed'],
	);
	for (const number of ['5555555555554444', '378282246310005']) t.false(installation.said().includes(number));
});
