// Serves the list of what our payment pages are made of, and samples of the pages that accounts open with a call.

import type { FastifyInstance } from 'fastify';
import { answerPage } from '../pages/answer-page.ts';
import type { HttpSettings } from '../settings.ts';
import { integrityList } from './integrity-list.ts';
import { SAMPLES } from './sample-links.ts';
import type { SamplePages } from './sample-pages.ts';

export const LIST_PATH = '/integrity.json';

/** Adds these routes, which are public. */
export function addIntegrityRoutes(
	app: FastifyInstance,
	{ settings }: { settings: Pick<HttpSettings, 'baseUrl' | 'hideSeconds'> },
	samples: SamplePages,
): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	// The list is made at the first request, because the public URL is known only once the daemon listens.
	let list: string | undefined;
	app.get(LIST_PATH, options, (_, reply) => {
		list ??= JSON.stringify(integrityList(settings), undefined, 2);
		return reply
			.header('cache-control', 'no-cache')
			.header('access-control-allow-origin', '*')
			.type('application/json; charset=utf-8')
			.send(list);
	});
	for (const name of ['card-form', 'cvv-form'] as const) {
		app.get(`${SAMPLES[name].place}/:secret`, options, async (request, reply) => {
			const sample = await samples.find(name, (request.params as { secret: string }).secret);
			return sample ? answerPage(reply, sample) : reply.callNotFound();
		});
	}
}
