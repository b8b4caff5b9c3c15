import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { mayCause } from '../../../people/identity/effects.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { FormOptions } from '../../../work/cardholders/forms/form-options.ts';
import type { Forms } from '../../../work/cardholders/forms/forms.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import { type Call, callsAbout } from '../calls/call.ts';
import type { FormPages } from '../forms/form-page.ts';
import { CARD_FORM_QUERY, CVV_FORM_QUERY } from '../forms/form-schema.ts';
import { checkBrand, readCardOptions, readView } from '../forms/read-parameters.ts';
import { getOwnRecord } from '../tokens/access.ts';
import { getQueryToken } from '../tokens/token-uri.ts';

const define = callsAbout('forms', { permission: 'Tokenize' });

/** The two paths of each call that opens a form. The call gives the same answers under both (shapes §11). */
const PLACES = [
	{ base: '/api/payments', suffix: '' },
	{ base: '/api/payments/paycard', suffix: 'InPaycard' },
] as const;

const PAGE = {
	200: { content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } } },
} as const;

/** Defines the calls for the pages of hosted forms (spec §2.4, shapes §5). */
export function formCalls(parts: {
	identity: Identity;
	vault: Vault;
	forms: Forms;
	styles: Styles;
	pages: FormPages;
	clock: Clock;
}): Call[] {
	const { identity, vault, forms, styles, pages, clock } = parts;
	const open = async ({ principal }: FastifyRequest, reply: FastifyReply, options: FormOptions) => {
		await checkBrand(options.view.brand, principal, styles);
		await styles.check(principal, 'css', options.view.css);
		const { id, form } = await forms.open(principal, options);
		return pages.answer(reply, { id: id.reveal(), form });
	};

	return PLACES.flatMap(({ base, suffix }) => [
		define('GET', `${base}/capturecard`, {
			name: `openACardForm${suffix}`,
			summary: 'Open a form for a card',
			description:
				'A page for a cardholder, in a frame of a registered origin or on its own. It stores one card, until the setting `forms.openMinutes` ends it; an access token is spent when the page is opened.',
			query: CARD_FORM_QUERY,
			answers: PAGE,
			handler: async (request, reply) => {
				const options = readCardOptions(request, clock.now());
				// A form that eliminates duplicates may come upon a card that somebody else has stored before.
				const hidesCard = options.eliminatesDuplicates && !mayCause(request.principal, 'shows');
				return open(request, reply, { ...options, view: { ...(await readView(request, { identity })), hidesCard } });
			},
		}),
		define('GET', `${base}/capturecvv`, {
			name: `openACvvForm${suffix}`,
			summary: 'Open a form for the CVV of a card',
			description:
				'A page for a cardholder. Only the owner of the card may open it, and the account must keep CVVs. The page shows the last four digits of the card if the credential has the permission `QueryTokens`.',
			query: CVV_FORM_QUERY,
			answers: PAGE,
			failures: ['cvv-retention-not-set-up'],
			handler: async (request, reply) => {
				const { principal, query } = request;
				const view = await readView(request, { identity });
				const token = getQueryToken(query.cardUri);
				if (!principal.cvvRetention) throw new ServiceError('cvv-retention-not-set-up');
				await getOwnRecord(vault, principal, token);
				const hidesCard = !mayCause(principal, 'shows');
				return open(request, reply, { kind: 'cvv', token, view: { ...view, hidesCard } });
			},
		}),
	]);
}
