// What credentials.test.ts and credentials.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import { type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

export const MINUTE_MS = 60_000;

export async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
	const parts = await openHttpApp(t, dialect);
	addProbes(parts.app);
	return { parts, caller: await parts.createCaller('agency') };
}

export const get = (parts: Pick<HttpApp, 'app'>, url: string, headers: Record<string, string> = {}) =>
	parts.app.inject({ method: 'GET', url, headers });

export const expirationIn = (parts: HttpApp, ms: number) => new Date(parts.clock.now().getTime() + ms).toISOString();

export async function sessionToken(caller: Awaited<ReturnType<typeof open>>['caller']) {
	return (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
}

export function isRefused(t: ExecutionContext, response: Awaited<ReturnType<typeof get>>) {
	t.is(response.statusCode, 401);
	t.is(response.body, '');
	t.is(response.headers['content-type'], undefined);
}
