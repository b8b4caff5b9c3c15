// What credentials.test.ts and credentials.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import { addProbes } from '../helpers/http-probes.ts';
import { type HttpTestRooms, openHttpRooms } from '../helpers/http-rooms.ts';

export const MINUTE_MS = 60_000;

export async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
	const rooms = await openHttpRooms(t, dialect);
	addProbes(rooms.app);
	return { rooms, caller: await rooms.createCaller('agency') };
}

export const get = (rooms: Pick<HttpTestRooms, 'app'>, url: string, headers: Record<string, string> = {}) =>
	rooms.app.inject({ method: 'GET', url, headers });

export const expirationIn = (rooms: HttpTestRooms, ms: number) =>
	new Date(rooms.clock.now().getTime() + ms).toISOString();

export async function sessionToken(caller: Awaited<ReturnType<typeof open>>['caller']) {
	return (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
}

export function isRefused(t: ExecutionContext, response: Awaited<ReturnType<typeof get>>) {
	t.is(response.statusCode, 401);
	t.is(response.body, '');
	t.is(response.headers['content-type'], undefined);
}
