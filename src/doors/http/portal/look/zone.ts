// The time zone in which times are shown: that of the browser, or one that the reader has chosen.

import type { FastifyRequest } from 'fastify';
import { keepChoice, readCookie, removeCookie } from '../cookies.ts';
import type { OpenCall } from '../portal-page.ts';

/** The zones that can be chosen. Some versions of Node do not list UTC. */
export const ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort();

/** Returns the zone that a reader has chosen; undefined if it is that of the browser. */
export function chosenZone(request: FastifyRequest): string | undefined {
	const chosen = readCookie(request, 'zone');
	return chosen !== undefined && ZONES.includes(chosen) ? chosen : undefined;
}

/** Stores the zone that a reader has chosen. Any other text stands for that of the browser. */
export function keepZone(call: OpenCall, zone: string): void {
	if (ZONES.includes(zone)) keepChoice(call, 'zone', zone);
	else removeCookie(call, 'zone');
}
