// Adds the pages of the portal to the app. For all of them it checks who may open a page, and that a form was sent by a
// page of ours.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Portal } from '../../../people/portal-users/portal.ts';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import { named } from '../calls/named-plugin.ts';
import { addRawBodies } from '../input/parsers.ts';
import { addStreamedBodies } from '../input/streaming-body.ts';
import { basePathOf } from '../pages/answer-page.ts';
import { FLUSHED_COMPRESSION } from '../server/compression.ts';
import { type Answerer, openAnswerer } from './answers.ts';
import { asksProof, withProof } from './confirm.ts';
import { readCookie } from './cookies.ts';
import { CSRF_FIELD, CSRF_HEADER, isFromElsewhere, requireToken } from './csrf.ts';
import { BY_ITSELF, PART_HEADER, WALK_HEADER } from './live/live-part.ts';
import { openLiveStreams } from './live/live-streams.ts';
import { portalLanguage } from './look/language.ts';
import { portalPages } from './pages/all-pages.ts';
import { type PortalHouse, type PortalParts, partsOf } from './parts.ts';
import type { AnyPage, OpenCall, PortalCall } from './portal-page.ts';
import { type NoteRefusal, openRefusalNotes } from './refusal-audit.ts';
import { ForbiddenError, ForgedError, SessionEndedError } from './refusals.ts';
import { sessionCheck } from './session-check.ts';
import { sayIn } from './texts.ts';

const NONCE_BYTES = 16;

/** Adds the portal to the app, if the installation has one. */
export async function addPortal(
	app: FastifyInstance,
	{ portal, ...house }: Omit<PortalHouse, 'portal'> & { readonly portal?: Portal },
): Promise<void> {
	if (!portal) return;
	const parts = partsOf({ ...house, portal });
	const live = openLiveStreams(parts);
	app.addHook('preClose', () => live.close());
	const pages = [...portalPages(parts), live.page];
	const paths = new Set<string>();
	for (const { path, method } of pages) if (method === 'GET') paths.add(path);
	for (const { path } of pages) if (path === '/portal/logout') paths.add(path);
	const answerer = openAnswerer(parts, paths);
	const noteRefusal = openRefusalNotes(parts);
	const add = (isStreamed: boolean) => async (scope: FastifyInstance) => {
		if (isStreamed) addStreamedBodies(scope);
		else addRawBodies(scope);
		for (const page of pages.filter((each) => (each.isStreamed ?? false) === isStreamed))
			addPage(scope, page, parts, { answerer, noteRefusal });
		if (!isStreamed) addUnknown(scope, parts, answerer);
	};
	await app.register(named('portal', add(false)));
	await app.register(named('portal uploads', add(true)));
}

type Parts = Pick<PortalParts, 'clock' | 'portal' | 'settings'>;

interface Answering {
	readonly answerer: Answerer;
	readonly noteRefusal: NoteRefusal;
}

function addPage(app: FastifyInstance, page: AnyPage, parts: Parts, answering: Answering): void {
	const { isStreamed, isFlushed } = page;
	app.route({
		method: page.method,
		url: page.path,
		schema: { hide: true },
		config: { isPublic: true, isStreamed },
		...(isFlushed && { compress: FLUSHED_COMPRESSION }),
		handler: (request, reply) => serve(page, { request, reply }, parts, answering),
	});
}

/** Answers paths that belong to no page: with a page that says so, or with the sign-in page if nobody is signed in. */
function addUnknown(app: FastifyInstance, parts: Parts, answerer: Answerer): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	app.get('/portal/*', options, async (request, reply) => {
		const call = await openCall({ request, reply }, parts);
		return call.viewer ? answerer.notFound(call) : answerer.signIn(call);
	});
}

interface Exchange {
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

async function serve(page: AnyPage, exchange: Exchange, parts: Parts, { answerer, noteRefusal }: Answering) {
	let call: OpenCall | undefined;
	try {
		call = await openCall(exchange, parts);
		if (page.right !== 'anyone' && !call.viewer) return answerer.signIn(call);
		if (page.method === 'POST') checkForm(page, call, parts);
		if (page.right === 'anyone') return await answerer.answer(call, await page.handle(call));
		const { viewer } = call as PortalCall;
		// A user who must add a second factor is redirected to the page on which they add one.
		if (page.right !== 'signed-in' && viewer.session.mustAddFactor && page.method === 'GET')
			return await answerer.answer(call, { redirectTo: '/portal/me' });
		if (page.right !== 'signed-in' && !viewer.has(page.right)) throw new ForbiddenError(page.right);
		if (!asksProof(page)) return await answerer.answer(call, await page.handle(call as PortalCall));
		const proven = await withProof(call as PortalCall, parts);
		if (!('viewer' in proven)) return await answerer.answer(call, proven);
		call = proven;
		const answer = await page.handle(proven);
		const { shownTo = proven.viewer } = 'page' in answer ? answer : {};
		return await answerer.answer({ ...proven, viewer: shownTo }, answer);
	} catch (error) {
		if (call && error instanceof SessionEndedError) return answerer.signIn(call);
		if (call) await noteRefusal(page, call, error);
		return answerer.fail(call ?? callOf(exchange, parts, undefined), error);
	}
}

async function openCall(exchange: Exchange, parts: Parts): Promise<OpenCall> {
	const { request } = exchange;
	const cookie = readCookie(request, 'session');
	const isByItself = (request.query as Record<string, string>)[BY_ITSELF] !== undefined;
	const asked = { isByItself, requestId: request.id };
	const viewer = cookie ? await parts.portal.sessions.find(cookie, request.ip, asked) : undefined;
	return callOf(exchange, parts, viewer);
}

function callOf({ request, reply }: Exchange, parts: Parts, viewer: Viewer | undefined): OpenCall {
	const language = portalLanguage(request, viewer);
	return {
		viewer,
		language,
		request,
		reply,
		say: sayIn(language),
		params: request.params as Record<string, string>,
		query: request.query as Record<string, string>,
		form: formOf(request),
		nonce: randomBytes(NONCE_BYTES).toString('base64url'),
		basePath: basePathOf(parts.settings.baseUrl),
		isPart: request.headers[PART_HEADER] !== undefined,
		isWalk: request.headers[WALK_HEADER] !== undefined,
		checkSession: (right) => sessionCheck(request, parts, right),
	};
}

/** Returns the fields of a form. If a field was sent twice, its first value is used. */
function formOf({ body, headers }: FastifyRequest): Record<string, string> {
	const fields: Record<string, string> = Object.create(null);
	if (!Buffer.isBuffer(body) || !/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
		return fields;
	for (const [name, value] of new URLSearchParams(body.toString())) fields[name] ??= value;
	return fields;
}

/**
 * Checks the origin and the CSRF token of a form.
 * @throws ForgedError if it was not sent by a page of ours in this session
 */
function checkForm(page: AnyPage, { request, viewer, form }: OpenCall, { settings }: Parts): void {
	if (isFromElsewhere(request.headers, settings.baseUrl)) throw new ForgedError();
	if (!viewer || page.hasTokenInBody) return;
	const header = request.headers[CSRF_HEADER];
	const given = typeof header === 'string' ? header : form[CSRF_FIELD];
	requireToken(viewer, given);
}
