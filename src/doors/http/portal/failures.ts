// Turns errors into messages on a page: why something did not work, and what to do about it.

import type { ServiceError } from '../../../base/errors.ts';
import { html } from '../../../base/pages/html.ts';
import { toServiceError } from '../server/failures.ts';
import { notice } from './pieces.ts';
import type { OpenCall, ShownPage } from './portal-page.ts';
import { ForbiddenError, ForgedError } from './refusals.ts';

export interface Failure {
	readonly status: number;
	/** The message that the page shows. */
	readonly text: string;
	/**
	 * The error as a row of the error catalogue (`src/base/errors.ts`); absent for failures that are not in the catalogue.
	 */
	readonly error?: ServiceError;
}

/** Returns the status and the message for an error, in the language of the page. */
export function failureOf(thrown: unknown, { say, request }: Pick<OpenCall, 'say' | 'request'>): Failure {
	if (thrown instanceof ForbiddenError) return { status: 403, text: say('frame.errors.forbidden') };
	if (thrown instanceof ForgedError) return { status: 403, text: say('frame.errors.forged') };
	const error = toServiceError(thrown);
	const { status, reason } = error;
	if ((thrown as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
		return { status: 413, text: say('frame.errors.tooLarge'), error };
	if (reason === 'uri-not-found' || reason === 'endpoint-not-found')
		return { status: 404, text: say('frame.errors.notFound'), error };
	const values = { id: request.id, reason: error.moreInfo ?? error.message };
	if (status < 500) return { status, text: say('frame.errors.refused', values), error };
	return { status, text: say(error.retryable ? 'frame.errors.unavailable' : 'frame.errors.failed', values), error };
}

/** Returns the page that shows the message of a failure. */
export function failurePage({ text }: Failure, { say }: Pick<OpenCall, 'say'>): ShownPage {
	const back = html`<p><a href="/portal">${say('frame.back')}</a></p>`;
	const body = html`${notice('bad', text)}${back}`;
	return { title: say('frame.errors.title'), section: 'overview', body, help: '/docs/portal#errors' };
}
