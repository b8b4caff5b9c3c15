// Sends the answers of the portal's pages: a page in its frame, a fragment, a redirect, or a response that a page
// writes itself.

import { pageHeaders } from '../../../base/pages/headers.ts';
import { renderPage } from '../../../base/pages/page.ts';
import { answerJson } from '../negotiation/answer.ts';
import { keepNotice, takeNotice } from './cookies.ts';
import { failureOf, failurePage } from './failures.ts';
import { framed } from './frame.ts';
import { askedOf, LOGIN_HEADER, PART_HEADER, WALK_HEADER } from './live/live-part.ts';
import { EVENTS, endedStream } from './live/live-streams.ts';
import type { PortalParts } from './parts.ts';
import { isPortalPath, withBasePath } from './paths.ts';
import type { OpenCall, PortalAnswer, ShownPage } from './portal-page.ts';

const HTML = 'text/html; charset=utf-8';
/** The header of a page that answers a form without a redirect, so that its address is none to come back to. */
const POSTED_HEADER = 'x-portal-posted';

type Parts = Pick<PortalParts, 'settings' | 'clock' | 'logger'>;

export type Answerer = ReturnType<typeof openAnswerer>;

export function openAnswerer({ settings, clock, logger }: Parts, paths: ReadonlySet<string>) {
	const { environment } = settings;

	const sendPage = (call: OpenCall, page: ShownPage, status = 200) => {
		const facts = { environment, paths, notice: takeNotice(call), nowMs: clock.now().getTime() };
		if (call.request.method === 'POST') call.reply.header(POSTED_HEADER, '1');
		return send(call, renderPage(framed(call, page, facts)), status);
	};
	/** Sends a page that says why a request failed, or the same as JSON if the request accepts JSON. */
	const fail = (call: OpenCall, thrown: unknown) => {
		const failure = failureOf(thrown, call);
		const { status, text, error } = failure;
		const isExpected = error === undefined || error.status < 500;
		logger[isExpected ? 'debug' : 'error']({ requestId: call.request.id, err: error ?? thrown }, 'page not shown');
		if (error) call.request.answeredError = { reason: error.reason, message: error.message, moreInfo: null };
		const { accept = '' } = call.request.headers;
		if (accept.startsWith('application/json')) return answerJson(call.reply, { problem: text }, status);
		return sendPage(call, failurePage(failure, call), status);
	};

	return {
		fail,
		notFound: (call: OpenCall) =>
			sendPage(call, failurePage({ status: 404, text: call.say('frame.errors.notFound') }, call), 404),
		/** Redirects somebody who is not signed in to the sign-in page, which leads back to the requested page afterwards. */
		signIn(call: OpenCall) {
			const { request, reply, basePath } = call;
			if (request.headers.accept?.startsWith('application/json'))
				return answerJson(reply, { problem: call.say('frame.ended'), isEnded: true }, 401);
			// A browser would call a sign-in page in place of its stream an error.
			if (request.headers.accept === EVENTS) return endedStream(reply);
			const asked = askedOf(request.url);
			const next = request.method === 'GET' && isPortalPath(asked) ? asked : '/portal';
			const login = `${basePath}/portal/login?${new URLSearchParams({ next })}`;
			// A part of a page that is asked for cannot become the sign-in page. So a header tells the script to go there with
			// the whole page.
			if (call.isPart) return send({ ...call, reply: reply.header(LOGIN_HEADER, login) }, '', 401);
			return reply.code(303).header('cache-control', 'no-store').header('location', login).send();
		},
		answer(call: OpenCall, answer: PortalAnswer): unknown {
			const { reply, basePath } = call;
			if ('page' in answer) return sendPage(call, answer.page, answer.status);
			if ('fragment' in answer) return send(call, answer.fragment.toString(), answer.status);
			if ('send' in answer) return answer.send(reply);
			if (!isPortalPath(answer.redirectTo)) throw new Error('internal error: a redirect out of the portal');
			if (answer.notice !== undefined) keepNotice(call, answer.notice);
			return reply
				.code(303)
				.header('cache-control', 'no-store')
				.header('location', basePath + answer.redirectTo)
				.send();
		},
	};
}

/** Sends markup with headers by which browsers allow only the scripts and styles that carry the nonce of this answer. */
function send(
	{ reply, nonce, basePath }: Pick<OpenCall, 'reply' | 'nonce' | 'basePath'>,
	markup: string,
	status = 200,
) {
	return reply
		.code(status)
		.headers(pageHeaders({ nonce, tellsOwnPages: true }))
		.header('vary', `Cookie, Accept-Language, ${PART_HEADER}, ${WALK_HEADER}`)
		.type(HTML)
		.send(withBasePath(markup, basePath));
}
