import test from 'ava';
import { buildOpsApp } from '../../src/doors/http/server/ops-app.ts';
import { combined, readinessOf } from '../../src/doors/http/server/readiness.ts';

const passes = async () => undefined;
const warns = async () => 'less than 5 % is free';
const fails = () => Promise.reject(new Error('away'));

for (const [title, database, drops, code, status] of [
	['everything works', passes, passes, 200, 'ok'],
	['there is a warning', passes, warns, 200, 'degraded'],
	['files fail, and cards can be stored', passes, fails, 503, 'degraded'],
	['no card can be stored', fails, passes, 503, 'unavailable'],
] as const) {
	test(`/readyz says ${status} when ${title}`, async (t) => {
		const metrics = async () => ({ contentType: 'text/plain', text: '' });
		const app = buildOpsApp({ readiness: () => readinessOf(Object.entries({ database, drops })), metrics });
		t.teardown(() => app.close());
		const answer = await app.inject('/readyz');
		t.is(answer.statusCode, code);
		t.is(answer.json().status, status);
	});
}

test('what a check tells of its part is shown whether or not it passes, once for all processes', async (t) => {
	const checks = (isPassing: boolean, host: string) => {
		const database = (tell: (detail: string) => void) => {
			tell(`primary ${host}`);
			return isPassing ? passes() : fails();
		};
		return readinessOf(Object.entries({ database, drops: passes }));
	};
	const found = await Promise.all([checks(true, 'db1:5432'), checks(true, 'db1:5432'), checks(false, 'db2:5432')]);
	t.is(found[2][0].detail, 'primary db2:5432');
	const app = buildOpsApp({
		readiness: async () => combined(found),
		metrics: async () => ({ contentType: 'text/plain', text: '' }),
	});
	t.teardown(() => app.close());
	t.deepEqual((await app.inject('/readyz')).json(), {
		status: 'unavailable',
		...{ database: 'unreachable', drops: 'ok' },
		details: { database: 'primary db1:5432; primary db2:5432' },
	});
});
