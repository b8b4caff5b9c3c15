import test from 'ava';
import { httpListener } from '../../src/app/http-door.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { buildApp } from '../../src/doors/http/app.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

const silent = openLogger({ level: 'silent' });

test('limits come from the settings, in the units of the server', async (t) => {
	const listener = await httpListener(loadSettings({ env: { TOKENDROP_HTTP_IDLE_TIMEOUT_SECONDS: '90' } }), silent);
	t.is(listener.scheme, 'http');
	t.deepEqual(listener.options.limits, {
		headersTimeoutMs: 20_000,
		idleTimeoutMs: 90_000,
		keepAliveMs: 75_000,
		maxConnections: 10_000,
	});
	t.notThrows(() => listener.close());
});

test('X-Forwarded-For counts from the balancers that are named, and from nobody else', async (t) => {
	const parts = await openHttpApp(t);
	const env = { TOKENDROP_HTTP_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' };
	const { options } = await httpListener(loadSettings({ env }), silent);
	const app = await buildApp(parts, options);
	t.teardown(() => app.close());
	addProbes(app);
	const seen = async (remoteAddress: string) => {
		const headers = { 'x-forwarded-for': '203.0.113.9' };
		const { headers: answered } = await app.inject({ method: 'GET', url: '/probe', remoteAddress, headers });
		const line = parts
			.logText()
			.split('\n')
			.find((each) => each.includes(answered['x-request-id'] as string) && each.includes('http request'))!;
		return JSON.parse(line).address;
	};
	t.is(await seen('10.1.2.3'), '203.0.113.9');
	t.is(await seen('192.0.2.1'), '203.0.113.9');
	t.is(await seen('198.51.100.1'), '198.51.100.1');
});
