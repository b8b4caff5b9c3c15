// Turns errors into messages on a page: why something did not work, and what to do about it.

import type { ServiceError } from '../../../base/errors.ts';
import { failureOfError } from '../../../base/failures.ts';
import { html } from '../../../base/pages/html.ts';
import { ACCOUNT_ROLES, type Right, ROLE_RIGHTS } from '../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import { toServiceError } from '../server/failures.ts';
import { failureWords, saysMore } from './failure-words.ts';
import { notice } from './pieces.ts';
import type { OpenCall, ShownPage } from './portal-page.ts';
import { ForbiddenError, ForgedError } from './refusals.ts';
import type { Say } from './texts.ts';

export interface Failure {
	readonly status: number;
	readonly text: string;
	/**
	 * The error as a row of the error catalogue (`src/base/errors.ts`); absent for failures that are not in the catalogue.
	 */
	readonly error?: ServiceError;
}

export function failureOf(thrown: unknown, call: Pick<OpenCall, 'say' | 'language' | 'request' | 'viewer'>): Failure {
	const { say, request, viewer } = call;
	if (thrown instanceof ForbiddenError) return { status: 403, text: forbiddenText(say, viewer, thrown.right) };
	if (thrown instanceof ForgedError) return { status: 403, text: say('frame.errors.forged') };
	const error = toServiceError(thrown);
	const { status, reason } = error;
	if ((thrown as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
		return { status: 413, text: say('frame.errors.tooLarge'), error };
	if (reason === 'uri-not-found' || reason === 'endpoint-not-found')
		return { status: 404, text: say('frame.errors.notFound'), error };
	const values = { id: request.id, reason: reasonOf(error, call) };
	if (status < 500) return { status, text: say('frame.errors.refused', values), error };
	return { status, text: say(error.retryable ? 'frame.errors.unavailable' : 'frame.errors.failed', values), error };
}

/** Says why something was refused, with the exact words beside it. */
function reasonOf(error: ServiceError, call: Pick<OpenCall, 'say' | 'language'>): string {
	const exact = error.moreInfo ?? error.message;
	const words = saysMore(error.told) ? failureWords(call, failureOfError(error)) : undefined;
	return words ? `${words.says} ${words.next} (${exact})` : exact;
}

/** Says what the viewer lacks, and who gives it. */
function forbiddenText(say: Say, viewer: Viewer | undefined, right: Right | undefined): string {
	if (viewer?.role === undefined || viewer.role === 'operator' || right === undefined)
		return say('frame.errors.forbidden');
	if (ROLE_RIGHTS[viewer.role].has(right)) return say('frame.errors.lacksFactor');
	const roles = ACCOUNT_ROLES.filter((role) => ROLE_RIGHTS[role].has(right)).map((role) => say(`roles.${role}`));
	if (roles.length === 0) return say('frame.errors.forbidden');
	return say('frame.errors.lacksRight', { role: say(`roles.${viewer.role}`), right, roles: roles.join(', ') });
}

export function failurePage({ text }: Failure, { say }: Pick<OpenCall, 'say'>): ShownPage {
	const back = html`<p><a href="/portal">${say('frame.back')}</a></p>`;
	const body = html`${notice('bad', text)}${back}`;
	return { title: say('frame.errors.title'), section: 'overview', body, help: '/docs/portal#errors' };
}
