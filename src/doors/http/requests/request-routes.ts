// Adds the page to which the link of a card request leads. The page needs no other credential than the secret in its
// URL.

import type { FastifyInstance } from 'fastify';
import type { CardType } from '../../../base/card/brand.ts';
import type { Logger } from '../../../base/log/log.ts';
import { textsOf } from '../../../base/pages/languages/index.ts';
import { AlreadyStoredError } from '../../../work/cardholders/forms/form.ts';
import type { FormOptions, FormView } from '../../../work/cardholders/forms/form-options.ts';
import type { CardRequests, OpenedRequest } from '../../../work/cardholders/requests/card-requests.ts';
import type { HostedForms } from '../forms/hosted-forms.ts';
import { readableLanguage } from '../forms/language.ts';
import type { SamplePages } from '../integrity/sample-pages.ts';
import { answerNotice, answerPage } from '../pages/answer-page.ts';
import { headingOf } from './request-heading.ts';

export function addRequestRoutes(
	app: FastifyInstance,
	{ cardRequests, logger }: { logger: Logger; cardRequests: CardRequests },
	{ forms, pages }: HostedForms,
	samples: SamplePages,
): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;

	forms.onStored(async (requestId) => {
		const complete = await cardRequests.prepareCompletion(requestId);
		return async (token, transaction) => {
			// The link may have been opened twice, so that two cards are submitted. Only the card that was submitted first
			// is stored.
			if (!(await complete(token, transaction))) throw new AlreadyStoredError();
		};
	});
	forms.onFailed(async (requestId) => {
		await cardRequests.noteFailure(requestId).catch((err: unknown) => {
			logger.error({ cardRequest: requestId, err }, 'the failure of a card request could not be noted');
		});
	});

	app.get('/cardrequest/:secret', options, async (request, reply) => {
		const { secret } = request.params as { secret: string };
		const opened = await cardRequests.open(secret);
		const language = readableLanguage(opened?.request.language, request.headers['accept-language']);
		const sample = opened ? undefined : await samples.find('card-request', secret);
		if (sample) return answerPage(reply, sample);
		if (!opened) {
			const { errors, request } = textsOf(language);
			return answerNotice(reply, { language, title: errors.title, text: request.gone, status: 404 });
		}
		const { id, form } = await forms.open(opened.principal, formOptions(opened, language), opened.request.id);
		const heading = headingOf(opened.request, opened.sender, language);
		return pages.answer(reply, { id: id.reveal(), form, heading, frameAncestors: [] });
	});
}

function formOptions({ request, principal }: OpenedRequest, language: string): FormOptions {
	const { cardToken, cardTypes, reference, css, successUrl: success, failureUrl: failure } = request;
	// A request has the last digits of its card only if its sender may see what is known of the card.
	const hidesCard = cardToken !== undefined && request.lastDigits === undefined;
	const view: FormView = { language, css, success, failure, hidesCard };
	if (cardToken !== undefined) return { kind: 'cvv', token: cardToken, view };
	return {
		kind: 'card',
		// The form has no field for a CVV if the account may not keep it.
		cvv: request.requireCvv ? 'required' : principal.cvvRetention ? 'optional' : 'absent',
		detectsType: true,
		asksOwnerId: false,
		checksName: true,
		eliminatesDuplicates: false,
		types: cardTypes as readonly CardType[] | undefined,
		reference,
		view,
	};
}
