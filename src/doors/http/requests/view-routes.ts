// Adds the pages to which links to cards lead, and the routes from which pages request the number and the CVV. They
// need no other credential than the secret in their URL.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { textsOf } from '../../../base/pages/languages/index.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import type { CardViews, Shown } from '../../../work/cardholders/requests/card-views.ts';
import { readableLanguage } from '../forms/language.ts';
import type { RequestBody } from '../input/request-body.ts';
import type { SamplePages } from '../integrity/sample-pages.ts';
import { answerJson } from '../negotiation/answer.ts';
import { answerNotice, answerPage, basePathOf } from '../pages/answer-page.ts';
import type { HttpSettings } from '../settings.ts';
import { viewPage } from './view-page.ts';

export const VIEW_PATH = '/cardview';

export function addViewRoutes(
	app: FastifyInstance,
	{ cardViews, settings }: { settings: Pick<HttpSettings, 'baseUrl' | 'hideSeconds'>; cardViews: CardViews },
	styles: Pick<Styles, 'pageCss'>,
	samples: SamplePages,
): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	const secretOf = (request: FastifyRequest) => (request.params as { secret: string }).secret;

	app.get(`${VIEW_PATH}/:secret`, options, async (request, reply) => {
		const view = await cardViews.find(secretOf(request));
		const sample = view ? undefined : await samples.find('card-view', secretOf(request));
		if (sample) return answerPage(reply, sample);
		const language = readableLanguage(view?.language, request.headers['accept-language']);
		// This path serves only the pages to which links lead. A page that an account opens is sent by the call that
		// opens it, because only that call contains the options for the look of the page.
		if (view?.kind !== 'once') {
			const { title, gone: text } = textsOf(language).view;
			return answerNotice(reply, { language, title, text, status: 404 });
		}
		const basePath = basePathOf(settings.baseUrl);
		const path = `${basePath}${VIEW_PATH}/${secretOf(request)}`;
		const { ownerId } = view;
		const css = await styles.pageCss({ accountId: ownerId, ownerId });
		const page = viewPage({ language, path, hideSeconds: settings.hideSeconds, css });
		return answerPage(reply, { page, basePath });
	});

	app.post(`${VIEW_PATH}/:secret/number`, options, async (request, reply) => {
		const shown = await cardViews.showNumber(secretOf(request), codeOf(request), request.ip);
		return answerShown(reply, shown, ({ digits: number, card }) => {
			const { expiry = null, name = null, type = null } = card;
			return { number, expiry, name, type };
		});
	});

	app.post(`${VIEW_PATH}/:secret/cvv`, options, async (request, reply) => {
		const shown = await cardViews.showCvv(secretOf(request), request.ip);
		if (shown.state === 'none') return answerJson(reply, { cvv: null, usesLeft: 0 });
		return answerShown(reply, shown, ({ digits: cvv, usesLeft = 0 }) => ({ cvv, usesLeft }));
	});
}

function answerShown(
	reply: FastifyReply,
	shown: Shown,
	document: (shown: Extract<Shown, { state: 'shown' }>) => object,
) {
	if (shown.state === 'shown') return answerJson(reply, document(shown));
	if (shown.state === 'wrong-code') return answerJson(reply, { triesLeft: shown.triesLeft }, 400);
	return answerJson(reply, {}, 404);
}

function codeOf({ body }: FastifyRequest): string | undefined {
	const read = body as RequestBody | undefined;
	const code = read?.format === 'json' ? (read.value as { code?: unknown } | null)?.code : undefined;
	return typeof code === 'string' ? code : undefined;
}
