import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import type { Owner } from './owner.ts';

/** Returns a page about the access of an account, with a link to the page above it, if there is one. */
export function accessPage(
	{ texts: { access } }: Pick<PortalCall, 'texts'>,
	owner: Owner,
	page: { readonly title: string; readonly body: Html; readonly isPart?: boolean; readonly status?: number },
): PortalAnswer {
	const { title, body, isPart = false, status } = page;
	const back = isPart
		? html`<p><a href="${owner.base}">${access.cancel}</a></p>`
		: owner.parent && html`<p><a href="/portal/access">${access.own}</a></p>`;
	return {
		page: { title, section: 'access', body: html`${body}${back}`, help: '/docs/portal#access' },
		status,
	};
}

/** Returns the title of a page about an account. It names the account unless that is the viewer's own. */
export function titleOf({ texts: { access } }: Pick<PortalCall, 'texts'>, { account, parent }: Owner): string {
	return parent ? fillText(access.of, { user: account.userId }) : access.title;
}

/** A form that was refused: the typed values, and the reason. */
export interface Refused {
	readonly problem: string;
	readonly typed: Readonly<Record<string, string>>;
}

/** Carries out the work of a form that was sent. If its values are refused, the form is shown again with the reason. */
export async function orAgain(
	{ form }: Pick<PortalCall, 'form'>,
	work: () => Promise<PortalAnswer>,
	again: (refused: Refused) => PortalAnswer | Promise<PortalAnswer>,
): Promise<PortalAnswer> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ServiceError) || error.reason !== 'bad-input-data') throw error;
		return again({ problem: error.moreInfo ?? error.message, typed: form });
	}
}
