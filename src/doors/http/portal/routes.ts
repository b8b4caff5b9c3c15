// Adds the pages of the portal to the app. For all of them it checks who may open a page, and that a form was sent by a
// page of ours.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import { named } from '../calls/named-plugin.ts';
import { addRawBodies } from '../input/parsers.ts';
import { addStreamedBodies } from '../input/streaming-body.ts';
import { basePathOf } from '../pages/answer-page.ts';
import type { HttpRooms } from '../rooms.ts';
import { type Answerer, openAnswerer } from './answers.ts';
import { asksProof, confirmPage, withProof } from './confirm.ts';
import { readCookie } from './cookies.ts';
import { CSRF_FIELD, CSRF_HEADER, isFromElsewhere, requireToken } from './csrf.ts';
import { portalLanguage } from './language.ts';
import { languagePage } from './language-page.ts';
import { BY_ITSELF } from './live.ts';
import { accessPages } from './pages/access/pages.ts';
import { cardsPages } from './pages/cards/pages.ts';
import { filesPages } from './pages/files/pages.ts';
import { numbersPages } from './pages/numbers/pages.ts';
import { peopleRoomPages } from './pages/people/pages.ts';
import type { AnyPage, OpenCall, PortalCall } from './portal-page.ts';
import { type NoteRefusal, openRefusalNotes } from './refusal-notes.ts';
import { ForbiddenError, ForgedError, SessionEndedError } from './refusals.ts';
import { sessionPage } from './session-page.ts';
import { portalTexts } from './texts/index.ts';

const NONCE_BYTES = 16;

/** Adds the portal to the app, if the installation has one. */
export async function addPortal(app: FastifyInstance, rooms: HttpRooms): Promise<void> {
	if (!rooms.portal) return;
	const paths = new Set<string>();
	const pages = portalPages(rooms);
	for (const { path, method } of pages) if (method === 'GET') paths.add(path);
	for (const { path } of pages) if (path === '/portal/logout') paths.add(path);
	const answerer = openAnswerer(rooms, paths);
	const noteRefusal = openRefusalNotes(rooms);
	const add = (isStreamed: boolean) => async (room: FastifyInstance) => {
		if (isStreamed) addStreamedBodies(room);
		else addRawBodies(room);
		for (const page of pages.filter((each) => (each.isStreamed ?? false) === isStreamed))
			addPage(room, page, rooms, { answerer, noteRefusal });
		if (!isStreamed) addUnknown(room, rooms, answerer);
	};
	await app.register(named('portal', add(false)));
	await app.register(named('portal uploads', add(true)));
}

/** Returns every page of the portal. */
export function portalPages(rooms: HttpRooms): AnyPage[] {
	return [
		languagePage,
		sessionPage(rooms),
		confirmPage,
		...numbersPages(rooms),
		...filesPages(rooms),
		...accessPages(rooms),
		...cardsPages(rooms),
		...peopleRoomPages(rooms),
	];
}

interface Answering {
	readonly answerer: Answerer;
	readonly noteRefusal: NoteRefusal;
}

function addPage(app: FastifyInstance, page: AnyPage, rooms: HttpRooms, answering: Answering): void {
	const { isStreamed } = page;
	app.route({
		...{ method: page.method, url: page.path, schema: { hide: true } },
		config: { isPublic: true, isStreamed },
		handler: (request, reply) => serve(page, { request, reply }, rooms, answering),
	});
}

/** Answers paths that belong to no page: with a page that says so, or with the sign-in page if nobody is signed in. */
function addUnknown(app: FastifyInstance, rooms: HttpRooms, answerer: Answerer): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	app.get('/portal/*', options, async (request, reply) => {
		const call = await openCall({ request, reply }, rooms);
		return call.viewer ? answerer.notFound(call) : answerer.signIn(call);
	});
}

interface Exchange {
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

async function serve(page: AnyPage, exchange: Exchange, rooms: HttpRooms, { answerer, noteRefusal }: Answering) {
	let call: OpenCall | undefined;
	try {
		call = await openCall(exchange, rooms);
		if (page.right !== 'anyone' && !call.viewer) return answerer.signIn(call);
		if (page.method === 'POST') checkForm(page, call, rooms);
		if (page.right === 'anyone') return await answerer.answer(call, await page.handle(call));
		const { viewer } = call as PortalCall;
		// A user who must add a second factor is redirected to the page on which they add one.
		if (page.right !== 'signed-in' && viewer.session.mustAddFactor && page.method === 'GET')
			return await answerer.answer(call, { redirectTo: '/portal/me' });
		if (page.right !== 'signed-in' && !viewer.has(page.right)) throw new ForbiddenError();
		if (!asksProof(page)) return await answerer.answer(call, await page.handle(call as PortalCall));
		const proven = await withProof(call as PortalCall, { portal: rooms.portal!, clock: rooms.clock });
		if (!('viewer' in proven)) return await answerer.answer(call, proven);
		call = proven;
		return await answerer.answer(proven, await page.handle(proven));
	} catch (error) {
		if (call && error instanceof SessionEndedError) return answerer.signIn(call);
		if (call) await noteRefusal(page, call, error);
		return answerer.fail(call ?? callOf(exchange, rooms, undefined), error);
	}
}

async function openCall(exchange: Exchange, rooms: HttpRooms): Promise<OpenCall> {
	const { request } = exchange;
	const cookie = readCookie(request, 'session');
	const isByItself = (request.query as Record<string, string>)[BY_ITSELF] !== undefined;
	const asked = { isByItself, requestId: request.id };
	const viewer = cookie ? await rooms.portal?.sessions.find(cookie, request.ip, asked) : undefined;
	return callOf(exchange, rooms, viewer);
}

function callOf({ request, reply }: Exchange, { settings }: HttpRooms, viewer: Viewer | undefined): OpenCall {
	const language = portalLanguage(request, viewer);
	return {
		...{ viewer, language, request, reply, texts: portalTexts(language) },
		params: request.params as Record<string, string>,
		query: request.query as Record<string, string>,
		form: formOf(request),
		nonce: randomBytes(NONCE_BYTES).toString('base64url'),
		basePath: basePathOf(settings.baseUrl),
		isLive: request.headers['hx-request'] === 'true',
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
function checkForm(page: AnyPage, { request, viewer, form }: OpenCall, { settings }: HttpRooms): void {
	if (isFromElsewhere(request.headers, settings.baseUrl)) throw new ForgedError();
	if (!viewer || page.hasTokenInBody) return;
	const header = request.headers[CSRF_HEADER];
	const given = typeof header === 'string' ? header : form[CSRF_FIELD];
	requireToken(viewer, given);
}
