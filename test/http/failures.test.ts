import test from 'ava';
import Fastify from 'fastify';
import { ServiceError } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log/log.ts';
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
