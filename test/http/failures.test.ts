import test from 'ava';
import Fastify from 'fastify';
import { noteMayHaveCommitted } from '../../src/base/database/dialect.ts';
import { ServiceError } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log/log.ts';
import type { Call } from '../../src/doors/http/calls/call.ts';
import { addFailures, toServiceError } from '../../src/doors/http/server/failures.ts';

test('a drop store without room is a 503 that may be tried again, as a database that is away is', (t) => {
	for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) {
		t.like(toServiceError(Object.assign(new Error('x'), { code })), {
			reason: 'drop-store-unavailable',
			retryable: true,
		});
	}
	t.like(toServiceError(new Error('COMMIT; - Connection terminated unexpectedly')), { reason: 'database-unavailable' });
	t.like(toServiceError(new Error('x')), { reason: 'system-error', retryable: false });
});

test('a failure of ours is an error in the log, an unavailable third party is not', async (t) => {
	const logged: string[] = [];
	const note = (level: string) => (about: { reason: string }) => void logged.push(`${level} ${about.reason}`);
	const app = Fastify();
	addFailures(app, { error: note('error'), warn: note('warn'), debug: note('debug') } as unknown as Logger);
	const reasons = [
		'system-error',
		'target-unreachable',
		'request-timed-out',
		'too-many-calls',
		'bad-input-data',
	] as const;
	for (const reason of reasons) {
		app.get(`/${reason}`, () => Promise.reject(new ServiceError(reason)));
	}
	for (const reason of reasons) await app.inject(`/${reason}`);
	t.deepEqual(logged, [
		'error system-error',
		'warn target-unreachable',
		'warn request-timed-out',
		'warn too-many-calls',
		'debug bad-input-data',
	]);
});

test('a body that is too large is told how large it may be', async (t) => {
	const app = Fastify();
	addFailures(app, { debug: () => {} } as unknown as Logger);
	app.post('/', { bodyLimit: 1024 }, () => 'done');
	const answer = await app.inject({
		method: 'POST',
		url: '/',
		headers: { accept: 'application/json' },
		payload: { note: 'x'.repeat(2000) },
	});
	t.is(answer.statusCode, 400);
	t.regex(answer.body, /body: larger than the 1024 bytes that this endpoint takes/);
});

test('a commit whose answer was lost is a 504, unless the call may be repeated without harm', async (t) => {
	const app = Fastify();
	addFailures(app, { error: () => {} } as unknown as Logger);
	const lost = () => {
		const error = new Error('commit - Connection terminated unexpectedly');
		noteMayHaveCommitted(error);
		return Promise.reject(error);
	};
	app.route({ method: ['GET', 'POST', 'PUT', 'DELETE'], url: '/call', handler: lost });
	app.post('/public', { config: { isPublic: true } }, lost);
	app.post('/streamed', { config: { isStreamed: true } }, lost);
	app.post('/streamed-once', { config: { isStreamed: true, call: { isIdempotent: true } as Call } }, lost);
	app.post('/claimed', (request) => {
		Object.assign(request, { idempotency: { claim: {} } });
		return lost();
	});
	const answers: Record<string, unknown> = {};
	for (const call of [
		...(['GET /call', 'POST /call', 'PUT /call', 'DELETE /call'] as const),
		...(['POST /public', 'POST /streamed', 'POST /streamed-once', 'POST /claimed'] as const),
	]) {
		const [method, url] = call.split(' ') as ['GET', string];
		const { statusCode, headers } = await app.inject({ method, url });
		answers[call] = [statusCode, headers['retry-after'] !== undefined];
	}
	const again = [503, true];
	const open = [504, false];
	t.deepEqual(answers, {
		...{ 'GET /call': again, 'POST /call': open, 'PUT /call': open, 'DELETE /call': open },
		...{ 'POST /public': again, 'POST /streamed': again, 'POST /streamed-once': open, 'POST /claimed': again },
	});
});
