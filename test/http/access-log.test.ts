import test from 'ava';
import { openMetrics } from '../../src/app/watches/metrics/metrics.ts';
import { MAX_FAILURES } from '../../src/doors/http/access/login-limiter.ts';
import { REFUSED_LINES_A_MINUTE } from '../../src/doors/http/server/refused-lines.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

interface Line {
	readonly msg: string;
	readonly requestId: string;
	readonly method: string;
	readonly route: string;
	readonly status: number;
	readonly address: string;
	readonly user?: string;
}

function requestLines(parts: { logText(): string }): Line[] {
	const lines = parts.logText().trim().split('\n');
	return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'http request');
}

test('one line per request says what was called, by whom and how it ended', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const token = 'ab'.repeat(16);
	const answered = await caller.inject('GET', `/probe/token/${token}?ref=x`, { remoteAddress: '192.0.2.7' });
	await parts.app.inject({ method: 'GET', url: '/probe' });
	await parts.app.inject({ method: 'GET', url: '/nothing/here' });
	const requests = requestLines(parts);
	t.is(requests.length, 3);
	t.like(requests[0], {
		requestId: answered.headers['x-request-id'] as string,
		method: 'GET',
		route: '/probe/token/:cardToken',
		status: 200,
		address: '192.0.2.7',
		user: 'agency',
	});
	t.like(requests[1], { route: '/probe', status: 401, user: undefined });
	t.like(requests[2], { status: 404 });
	t.false(parts.logText().includes('nothing/here'));
});

test('requests that reach no route and logins that are refused leave one line each', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const long = 'ab'.repeat(200);
	const strays = [
		{ method: 'GET', url: '/nothing/here?sessionToken=sentinel', status: 404 },
		{ method: 'DELETE', url: '/probe?sessionToken=sentinel', status: 405 },
		{ method: 'GET', url: '/%zz/sentinel?sessionToken=sentinel', status: 404 },
		{ method: 'GET', url: `/probe/token/${long}?sessionToken=sentinel`, status: 404 },
		{ method: 'GET', url: '/probe?sessionToken=sentinel', status: 401 },
		{ method: 'POST', url: '/api/payments/paycard?accessToken=sentinel', status: 401 },
	] as const;
	const ids: unknown[] = [];
	for (const { method, url, status } of strays) {
		const response = await parts.app.inject({ method, url });
		t.deepEqual([response.statusCode, response.payload], [status, ''], url);
		ids.push(response.headers['x-request-id']);
	}
	for (let n = 0; n < MAX_FAILURES; n++) await parts.app.inject('/probe');
	t.is((await parts.app.inject('/probe')).statusCode, 429);
	t.is((await caller.inject('GET', '/probe')).statusCode, 200);
	const lines = requestLines(parts);
	t.deepEqual(
		lines.slice(0, ids.length).map(({ requestId }) => requestId),
		ids,
	);
	t.deepEqual(
		lines.slice(0, strays.length).map(({ method, status, user }) => ({ method, status, user })),
		strays.map(({ method, status }) => ({ method, status, user: undefined })),
	);
	t.is(lines.length, REFUSED_LINES_A_MINUTE + 1, 'the rest is counted');
	t.is(lines.at(-1)?.status, 200);
	for (const secret of ['sentinel', long, 'nothing/here']) t.false(parts.logText().includes(secret));
});

test('no credential, token, query or body is in the log, at level trace, however the call ends', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const session = (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
	const cardToken = 'cd'.repeat(16);
	const secrets = [caller.apiKey, session, cardToken, 'sentinel', '4111111111111111', 'ff'.repeat(384)];
	const urls = [
		`/probe?sessionToken=${session}&ref=sentinel`,
		`/probe/token/${cardToken}?sessionToken=${session}`,
		`/probe/query?num=sentinel&sessionToken=${session}`,
		`/probe/defect?sessionToken=${session}`,
		`/nothing/${cardToken}/4111111111111111?sessionToken=${session}`,
		`/%zz/${cardToken}?sessionToken=${session}`,
		`/probe?accessToken=${'ff'.repeat(384)}`,
		`/probe?sessionToken=${session}sentinel`,
	];
	for (const url of urls) {
		await parts.app.inject({ method: 'GET', url });
		await caller.inject('POST', url, {
			headers: { 'content-type': 'application/json' },
			payload: '{"Name":"sentinel"',
		});
	}
	for (const secret of secrets) t.false(parts.logText().includes(secret), secret.slice(0, 20));
});

test('figures are kept by route template, method and status', async (t) => {
	const none = async () => 0;
	const metrics = openMetrics({
		sftpSessions: () => 0,
		sftpHeldBytes: () => 0,
		runningJobs: () => 0,
		queuedJobs: none,
		eliminationLimits: none,
		cardsRetired: none,
		keyDaysLeft: async () => new Map(),
		freeBytes: none,
	});
	const parts = await openHttpApp(t, 'sqlite', { onAnswered: (seen) => metrics.observeRequest(seen) });
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const token = 'ef'.repeat(16);
	await caller.inject('GET', `/probe/token/${token}`);
	await caller.inject('GET', '/probe');
	await parts.app.inject({ method: 'GET', url: '/probe' });
	await parts.app.inject({ method: 'GET', url: '/nothing/here' });
	const text = await metrics.registry.metrics();
	const counts = text.split('\n').filter((line) => line.startsWith('tokendrop_http_request_seconds_count'));
	t.is(counts.length, 4);
	for (const labels of [
		'route="/probe",method="GET",status="200"',
		'route="/probe",method="GET",status="401"',
		'status="404"',
	]) {
		t.true(
			counts.some((line) => line.includes(labels) && line.endsWith(' 1')),
			labels,
		);
	}
	t.false(text.includes(token));
	t.false(text.includes('/nothing'));
});

test('refused requests of strangers get a limited number of log lines per address and minute, and a count of the rest', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const from = (remoteAddress: string, headers = {}) =>
		parts.app.inject({ method: 'GET', url: '/probe', remoteAddress, headers });
	for (let n = 0; n < REFUSED_LINES_A_MINUTE + 40; n++) await from('192.0.2.66');
	await from('192.0.2.67');
	for (let n = 0; n < 2; n++) await from('192.0.2.66', { 'x-service-api-key': caller.apiKey });
	const linesOf = (address: string, status: number) =>
		requestLines(parts).filter((line) => line.address === address && line.status === status).length;
	t.is(linesOf('192.0.2.66', 401), REFUSED_LINES_A_MINUTE);
	t.is(linesOf('192.0.2.67', 401), 1);
	t.is(linesOf('192.0.2.66', 200), 2, 'who is known is always told of');
	await parts.app.close();
	const left = parts
		.logText()
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line))
		.filter(({ leftOut }) => leftOut !== undefined);
	t.deepEqual(
		left.map(({ address, leftOut }) => [address, leftOut]),
		[['192.0.2.66', 40]],
	);
});
