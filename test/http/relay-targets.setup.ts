// What relay-targets.test.ts and relay-targets.slow.test.ts share.

import type { ServerResponse } from 'node:http';
import type { HttpApp } from '../helpers/http-app.ts';
import type { ThirdParty } from '../helpers/third-party.ts';
import { until } from '../helpers/until.ts';

export const UNKNOWN = { code: -150, message: 'System error: unexpected condition' };

export const entries = async ({ database }: HttpApp, action: string) =>
	(await database.knex('audit').where('action', action)).length;

/** Returns a target that answers nothing until the test releases it. */
export function holding() {
	const held: ServerResponse[] = [];
	return {
		answer: (_: unknown, response: ServerResponse) => void held.push(response),
		release: () => {
			for (const response of held.splice(0)) response.end('late');
		},
	};
}

export const untilSeen = (party: ThirdParty, requests: number) =>
	until(`${requests} requests arrive`, () => party.seen.length >= requests);
