import test from 'ava';
import { openMetrics } from '../../src/assembly/metrics.ts';
import { addProbes } from '../helpers/http-probes.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';

interface Line {
	readonly msg: string;
	readonly requestId: string;
	readonly method: string;
	readonly route: string;
	readonly status: number;
	readonly address: string;
	readonly user?: string;
}

test('one line per request says what was called, by whom and how it ended', async (t) => {
	const rooms = await openHttpRooms(t);
	addProbes(rooms.app);
	const caller = await rooms.createCaller('agency');
	const token = 'ab'.repeat(16);
	const answered = await caller.inject('GET', `/probe/token/${token}?ref=x`, { remoteAddress: '192.0.2.7' });
	await rooms.app.inject({ method: 'GET', url: '/probe' });
	await rooms.app.inject({ method: 'GET', url: '/nothing/here' });
	const lines = rooms
		.logText()
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as Line);
	const requests = lines.filter(({ msg }) => msg === 'http request');
	t.is(requests.length, 3);
	t.like(requests[0], {
		requestId: answered.headers['x-request-id'] as string,
		method: 'GET',
		route: '/probe/token/:cardToken(^[0-9A-Fa-f]{32}$)',
		status: 200,
		address: '192.0.2.7',
		user: 'agency',
	});
	t.like(requests[1], { route: '/probe', status: 401, user: undefined });
	t.like(requests[2], { status: 404 });
	t.false(rooms.logText().includes('nothing/here'));
});

test('no credential, token, query or body is in the log, at level trace, however the call ends', async (t) => {
	const rooms = await openHttpRooms(t);
	addProbes(rooms.app);
	const caller = await rooms.createCaller('agency');
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
		await rooms.app.inject({ method: 'GET', url });
		await caller.inject('POST', url, {
			headers: { 'content-type': 'application/json' },
			payload: '{"Name":"sentinel"',
		});
	}
	for (const secret of secrets) t.false(rooms.logText().includes(secret), secret.slice(0, 20));
});

test('figures are kept by route template, method and status', async (t) => {
	const none = async () => 0;
	const metrics = openMetrics({
		sftpSessions: () => 0,
		sftpHeldBytes: () => 0,
		runningJobs: () => 0,
		queuedJobs: none,
	});
	const rooms = await openHttpRooms(t, 'sqlite', { onAnswered: (seen) => metrics.observeRequest(seen) });
	addProbes(rooms.app);
	const caller = await rooms.createCaller('agency');
	const token = 'ef'.repeat(16);
	await caller.inject('GET', `/probe/token/${token}`);
	await caller.inject('GET', '/probe');
	await rooms.app.inject({ method: 'GET', url: '/probe' });
	await rooms.app.inject({ method: 'GET', url: '/nothing/here' });
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
