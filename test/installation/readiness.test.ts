import test from 'ava';
import { buildOpsApp } from '../../src/doors/http/server/ops-app.ts';

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
		const app = buildOpsApp({ checks: Object.entries({ database, drops }), metrics });
		t.teardown(() => app.close());
		const answer = await app.inject('/readyz');
		t.is(answer.statusCode, code);
		t.is(answer.json().status, status);
	});
}
