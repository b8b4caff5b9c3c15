// Answers the submission of a form: with JSON if our script has sent it, else with a page or a redirect.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { textsOf } from '../../../base/pages/languages/index.ts';
import type { Submission } from '../../../work/cardholders/forms/form.ts';
import type { Forms } from '../../../work/cardholders/forms/forms.ts';
import { FIELDS, type TypedFields } from '../../../work/cardholders/forms/judge-fields.ts';
import type { ToldCard } from '../../../work/cardholders/forms/stored-card.ts';
import type { LoginLimiter } from '../access/login-limiter.ts';
import { named } from '../calls/named-plugin.ts';
import { FieldErrors } from '../input/field-errors.ts';
import { listFields } from '../input/field-problems.ts';
import { addRawBodies } from '../input/parsers.ts';
import { answer, answerRefusedLogin } from '../negotiation/answer.ts';
import { answerNotice } from '../pages/answer-page.ts';
import { expiryParts } from '../tokens/card-body.ts';
import { fillAddress } from './addresses.ts';
import { type FormPages, problemTexts } from './form-page.ts';
import { readableLanguage } from './language.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded *(;|$)/i;

/**
 * Submits a form and sends the answer.
 * @throws ServiceError if the body is no form, or if a submission by our script fails
 */
export async function answerSubmission(
	request: FastifyRequest,
	reply: FastifyReply,
	parts: { loginLimiter: LoginLimiter; forms: Forms; pages: FormPages },
) {
	const { id, typed } = readTyped(request);
	const isScript = request.headers.accept === 'application/json';
	reply.header('cache-control', 'no-store');
	if (isScript) return answerScript(request, reply, parts, await submit(request, parts, id, typed));
	try {
		return await answerBrowser(request, reply, parts, { id, typed, result: await submit(request, parts, id, typed) });
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return answerError(request, reply, error.status >= 500 ? 'busy' : 'refused', error.status);
	}
}

/** Submits a form. An id that does not exist is counted as a failed login, because somebody may be guessing ids. */
async function submit(
	request: FastifyRequest,
	{ forms, loginLimiter }: { loginLimiter: LoginLimiter; forms: Forms },
	id: string,
	typed: TypedFields,
) {
	const result = await forms.submit(id, typed, request.ip);
	const isGuess = result.state === 'unknown';
	return { result, isLimited: isGuess && loginLimiter.noteFailure(request.ip, { kind: 'form', secret: id }) };
}

type Submitted = Awaited<ReturnType<typeof submit>>;

async function answerScript(
	request: FastifyRequest,
	reply: FastifyReply,
	{ loginLimiter }: { loginLimiter: LoginLimiter },
	{ result, isLimited }: Submitted,
) {
	switch (result.state) {
		case 'unknown':
			return answerRefusedLogin(reply, isLimited ? loginLimiter.retryAfterSeconds : undefined);
		case 'over':
			return answerRefusedLogin(reply);
		case 'wrong':
			throw new FieldErrors(listed(result));
		case 'stored': {
			const { token: cardToken } = result;
			const next = nextAddress(result) ?? null;
			const value = { cardToken, next, card: toldParts(result.card) };
			return answer(request, reply, value, { root: 'FormResult', format: 'json' });
		}
	}
}

async function answerBrowser(
	request: FastifyRequest,
	reply: FastifyReply,
	{ pages }: { pages: FormPages },
	{ id, typed, result: { result } }: { id: string; typed: TypedFields; result: Submitted },
) {
	if (result.state === 'unknown') {
		return answerError(request, reply, 'session', 401);
	}
	const { form } = result;
	const texts = textsOf(form.options.view.language);
	if (result.state === 'over') {
		return pages.answer(reply, { form, notice: { text: texts.errors.session, isGood: false }, status: 401 });
	}
	if (result.state === 'wrong') {
		const notice = { text: texts.problems.several, isGood: false };
		return pages.answer(reply, { id, form, typed, problems: result.problems, notice, status: 400 });
	}
	const next = nextAddress(result);
	if (next !== undefined) return reply.redirect(next, 303);
	const text = form.options.kind === 'card' ? texts.form.stored : texts.form.cvvStored;
	return pages.answer(reply, { form, notice: { text, isGood: true } });
}

/** Sends a page that says only what went wrong, because it is not known which form was sent. */
function answerError(
	{ headers }: FastifyRequest,
	reply: FastifyReply,
	name: 'busy' | 'refused' | 'session',
	status: number,
) {
	const language = readableLanguage(undefined, headers['accept-language']);
	const { title, [name]: text } = textsOf(language).errors;
	return answerNotice(reply, { language, title, text, status, isFramed: true });
}

function listed({ form, problems }: Extract<Submission, { state: 'wrong' }>): Record<string, string[]> {
	const texts = problemTexts(problems, textsOf(form.options.view.language), form);
	return Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, [text]]));
}

/** Returns what the page around the form is told of the card; null if that may not be told. */
function toldParts(card: ToldCard | undefined) {
	if (card === undefined) return null;
	const { Month, Year } = expiryParts(card.expiry);
	return { cardType: card.type, cardNumber: card.maskedNumber, expiration: `${Month}/${Year}` };
}

/**
 * Returns the URL of the page after success with its placeholders filled. In the URL, the card number is masked and the
 * CVV consists of stars.
 */
function nextAddress({ form, token, hasCvv, card }: Extract<Submission, { state: 'stored' }>): string | undefined {
	const { success } = form.options.view;
	if (success === undefined) return undefined;
	return fillAddress(success, {
		cardToken: token,
		...(toldParts(card) ?? { cardType: '', cardNumber: '', expiration: '' }),
		cvv: hasCvv ? '***' : '',
		cardHolderName: card?.name ?? '',
	});
}

/** Reads the submitted form, and wipes the bytes of the body at once. @throws ServiceError if the body is no form */
function readTyped({ body, headers }: FastifyRequest): { readonly id: string; readonly typed: TypedFields } {
	if (!FORM_TYPE.test(headers['content-type'] ?? '')) {
		throw badInput('Content-Type', 'expected application/x-www-form-urlencoded');
	}
	const bytes = (body as Buffer | null) ?? Buffer.alloc(0);
	const fields = new URLSearchParams(bytes.toString('utf8'));
	bytes.fill(0);
	const typed: TypedFields = {};
	for (const name of FIELDS) typed[name] = fields.get(name) ?? undefined;
	return { id: fields.get('form') ?? '', typed };
}

/**
 * The paths to which forms can be submitted. Forms are opened under two prefixes, so each of these paths exists under
 * both, with the same effect (shapes §11).
 */
const PATHS = ['/api/payments', '/api/payments/paycard'].flatMap((place) => [
	`${place}/capturecard`,
	`${place}/capturecvv`,
]);

/**
 * Adds the routes to which the pages of forms are submitted. They are not calls of the interface: they need no credential
 * and are not in the OpenAPI document, because only a page of ours knows the id that authorises a submission. Bodies are
 * read as bytes, so that they can be wiped.
 */
export async function addSubmissions(
	app: FastifyInstance,
	parts: { loginLimiter: LoginLimiter; forms: Forms; pages: FormPages },
): Promise<void> {
	const options = { config: { isPublic: true }, schema: { hide: true }, errorHandler: listFields } as const;
	const submit = (request: FastifyRequest, reply: FastifyReply) => answerSubmission(request, reply, parts);
	await app.register(
		named('form submissions', async (scope: FastifyInstance) => {
			addRawBodies(scope);
			for (const path of PATHS) scope.post(path, options, submit);
		}),
	);
}
