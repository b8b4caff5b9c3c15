import { Type } from '@sinclair/typebox';
import { badInput, ServiceError } from '../../../../base/errors.ts';
import type { MailQueue } from '../../../../base/mail/mail-queue.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { findToken } from '../../../../vault/tokens/token.ts';
import type { Vault } from '../../../../vault/vault.ts';
import type { Styles } from '../../../../work/cardholders/forms/styles.ts';
import type { CardViews } from '../../../../work/cardholders/requests/card-views.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { answerOf, type DocumentBody } from '../../calls/content.ts';
import { nullable, optionalText, text } from '../../calls/fields.ts';
import { CVV_ENDS, ID, TOKEN, TOKEN_URI } from '../../calls/samples.ts';
import { checkMessageOrigin } from '../../forms/addresses.ts';
import { readableLanguage } from '../../forms/language.ts';
import { checkBrand } from '../../forms/read-parameters.ts';
import { FieldProblems } from '../../input/field-problems.ts';
import { findFlag } from '../../input/query-values.ts';
import { named, noted } from '../../input/schema-notes.ts';
import { answerPage, basePathOf } from '../../pages/answer-page.ts';
import { readEmail } from '../../requests/card-request-order.ts';
import { LANGUAGE, PHONE, RECIPIENT_NAME } from '../../requests/card-request-schema.ts';
import { viewPage } from '../../requests/view-page.ts';
import { VIEW_PATH } from '../../requests/view-routes.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import { FLAG } from '../../tokens/schemas.ts';
import { findTokenOfUri } from '../../tokens/token-uri.ts';

const define = callsAbout('forms', { permission: 'DisplayCard' });
const MAX_CSS_CHARACTERS = 8_192;
const FRAME_NONCE = '^[A-Za-z0-9_-]{1,64}$';

/** The two paths of the call that shows a card. The call gives the same answers under both (shapes §11). */
const PLACES = [
	{ path: '/api/payments/displaycard/:token', suffix: '' },
	{ path: '/api/payments/paycard/displaycard/:token', suffix: 'InPaycard' },
] as const;

const DISPLAY_PATH = Type.Object({
	// This parameter accepts any text, because this call answers a text that is no token with 401, and not with 404 as
	// for an unknown path (spec §7.4).
	token: noted(Type.String({ description: '32 hexadecimal characters.' }), { example: TOKEN }),
});
const wish = (description: string) => Type.Optional(Type.String({ description }));
const DISPLAY_MODES = ['masked', 'full'];
const DISPLAY_QUERY = Type.Object({
	brand: wish('Style of the account, which the operator has stored.'),
	language: wish('Of the page, such as `de`; that of the browser unless given.'),
	css: Type.Optional(
		Type.String({
			maxLength: MAX_CSS_CHARACTERS,
			description: 'Style sheet; what could load or read something is left out.',
		}),
	),
	displayMode: Type.Optional(
		noted(Type.String({ description: 'masked until a click, or full at once.' }), {
			shownAs: { type: 'string', enum: DISPLAY_MODES },
		}),
	),
	showCvv: FLAG('Offer the CVV behind a button; each time it is shown counts as a use.'),
	postMessageHost: wish('Registered origin of the page around the frame; it gets `frameDimensionsChanged:w:h`.'),
	formNonce: Type.Optional(Type.String({ pattern: FRAME_NONCE, description: 'Added to the messages of this frame.' })),
});

const MAX_MINUTES = 1440;

const VIEW = named(
	'CardViewOrder',
	Type.Object({
		cardToken: text('Token URI, or a bare token.'),
		email: optionalText('Where the link is mailed; required where there is a mail server.'),
		phoneNumber: PHONE,
		viewerName: RECIPIENT_NAME,
		ttl: Type.Optional(
			Type.Unsafe<number | string | null>({
				type: ['integer', 'null'],
				minimum: 1,
				maximum: MAX_MINUTES,
				description: 'Minutes for which the link works; 60 unless the operator has set another time.',
			}),
		),
		language: LANGUAGE,
	}),
);

const VIEW_BODY = {
	root: 'CardViewRequest',
	schema: VIEW,
	example: { cardToken: TOKEN_URI, email: 'clerk@example.com', viewerName: 'Night desk', ttl: 30, language: 'en' },
} as const satisfies DocumentBody;

const LINK = 'https://vault.example/cardview/cv_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc';
const VIEW_ANSWER = answerOf('CardView', 'CardView', {
	viewID: [Type.String(), ID],
	expirationDate: [Type.String({ format: 'date-time' }), CVV_ENDS],
	url: [nullable('The link; null if it was mailed.'), LINK],
	code: [nullable('The code that the link asks for; null if it was mailed.'), '042717'],
});

/** Reads how a card is shown first. @throws ServiceError if it is neither of the two ways */
function isShownInFull(mode = 'masked'): boolean {
	if (DISPLAY_MODES.includes(mode.toLowerCase())) return mode.toLowerCase() === 'full';
	throw badInput('displayMode', `expected one of ${DISPLAY_MODES.join(', ')}`);
}

/** Defines the calls that show a card (spec §1.4, §7.4.11, shapes §5.5, §5.6). */
export function cardDisplayCalls(parts: {
	cardViews: CardViews;
	vault: Vault;
	identity: Identity;
	mails: Pick<MailQueue, 'isOpen'>;
	styles: Pick<Styles, 'has' | 'pageCss' | 'check'>;
	settings: Pick<HttpSettings, 'baseUrl' | 'hideSeconds'>;
}): Call[] {
	const { cardViews, vault, identity, mails, styles, settings } = parts;
	return [
		...PLACES.map(({ path, suffix }) =>
			define('GET', path, {
				name: `showACard${suffix}`,
				summary: 'Show a card in a page',
				description:
					'For a frame of a registered origin, or on its own. The page shows the masked number; the full one comes after a click, is written to the audit trail first, and is hidden again after a while.',
				params: DISPLAY_PATH,
				query: DISPLAY_QUERY,
				answers: { 200: { content: { 'text/html': { schema: { type: 'string' } } } } },
				failures: ['token-not-accessible', 'uri-not-found'],
				handler: async (request, reply) => {
					const { principal, query, headers } = request;
					const showsCvv = findFlag('showCvv', query.showCvv) ?? false;
					const messageOrigin = await checkMessageOrigin(query.postMessageHost, principal, { identity });
					const brand = query.brand || undefined;
					await checkBrand(brand, principal, styles);
					await styles.check(principal, 'css', query.css);
					const token = findToken(request.params.token);
					if (token === undefined) throw new ServiceError('token-not-accessible');
					const found = await getRecord(vault, principal, token);
					const language = readableLanguage(query.language, headers['accept-language']);
					const { secret, card, cvvUses } = await cardViews.openDisplay(principal, found, {
						token,
						showsCvv,
						language,
					});
					const basePath = basePathOf(settings.baseUrl);
					const page = viewPage({
						language,
						card,
						showsCvv,
						cvvUses,
						messageOrigin,
						nonce: query.formNonce,
						path: `${basePath}${VIEW_PATH}/${secret}`,
						hideSeconds: settings.hideSeconds,
						isFull: isShownInFull(query.displayMode),
						css: await styles.pageCss(principal, { name: brand, given: query.css }),
					});
					const frameAncestors = await identity.origins.frameAncestors(principal.accountId);
					return answerPage(reply, { page, basePath, headers: { frameAncestors } });
				},
			}),
		),
		define('POST', '/api/card-view-request/initView', {
			name: 'makeALinkToACard',
			summary: 'Make a link that shows a card once',
			description:
				'The link is mailed where there is a mail server, and asks for a code, of which five may be tried. The code is in the answer unless the operator has it mailed too. Invalid fields are listed in `errors`.',
			body: VIEW_BODY,
			bodyErrors: 'listed',
			returns: VIEW_ANSWER,
			failures: ['mail-limit-reached', 'token-not-accessible', 'uri-not-found'],
			handler: async (request, reply, readBody) => {
				const { principal } = request;
				const body = readBody();
				const problems = new FieldProblems();
				const token = problems.read(() => {
					const found = findTokenOfUri(body.getText('cardToken'));
					if (found === undefined) throw body.problem('cardToken', 'expected a token URI or a token');
					return found;
				});
				const email = problems.read(() => {
					const given = readEmail(body, 'email');
					if (mails.isOpen && given === undefined) throw body.problem('email', 'is required');
					return given;
				});
				problems.read(() => body.findText('phoneNumber'));
				const viewerName = problems.read(() => body.findText('viewerName'));
				const minutes = problems.read(() => body.findInteger('ttl'));
				const language = problems.read(() => body.findText('language'));
				problems.throwIfAny();
				await getRecord(vault, principal, token!);
				const plan = { token: token!, email, viewerName, language, minutes };
				const { id, expiresAt, url = null, code = null } = await cardViews.create(principal, plan, settings.baseUrl);
				reply.header('cache-control', 'no-store');
				return { viewID: id, expirationDate: expiresAt.toISOString(), url, code };
			},
		}),
	];
}
