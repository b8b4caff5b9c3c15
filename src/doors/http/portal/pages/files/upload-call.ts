// What the requests of the script that sends files have in common: how they name the file, and how they are answered.

import type { IncomingMessage } from 'node:http';
import { badInput } from '../../../../../base/errors.ts';
import { UploadError } from '../../../../../work/drops/upload.ts';
import { answerJson } from '../../../negotiation/answer.ts';
import { failureOf } from '../../failures.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { SessionEndedError } from '../../refusals.ts';
import { HeldError } from './kept-upload.ts';
import { inputFolderOf } from './places.ts';
import { asServiceError } from './receive.ts';

/** The header with the name of the file. It is not in the URL, because it may hold a card number and proxies log URLs. */
const NAME_HEADER = 'x-file-name';
/** So much of a body that was refused is read. */
const MOST_REST_BYTES = 256 * 1024 * 1024;

function nameOf({ request }: PortalCall): string {
	const given = request.headers[NAME_HEADER];
	try {
		return decodeURIComponent(typeof given === 'string' ? given : '');
	} catch {
		throw badInput(NAME_HEADER, 'expected UTF-8, percent-encoded');
	}
}

/** Returns the folder and the name that a request of the script, or of its form, is about. */
export function targetOf(call: PortalCall, { formats }: Pick<PortalParts, 'formats'>, name = nameOf(call)) {
	return { folder: inputFolderOf(call, formats), name, createdBy: principalOf(call).userId };
}

export function numberOf({ query }: PortalCall, name: 'offset' | 'size' | 'since'): number {
	if (/^\d{1,15}$/.test(query[name] ?? '')) return Number(query[name]);
	throw badInput(name, 'must be a whole number in digits alone');
}

/** Returns what answers a request of the script, and one that fails with the reason, in words for the reader of the page. */
export function answering(answer: PortalPage['handle']): PortalPage['handle'] {
	return (call) => answer(call).catch((error: unknown) => refuse(call, error));
}

function refuse(call: PortalCall, error: unknown): PortalAnswer {
	if (error instanceof SessionEndedError) {
		discardRest(call.request.raw);
		return jsonAnswer({ problem: call.say('frame.ended'), isEnded: true }, 401);
	}
	// Broken connections and server errors are thrown again, so that `routes.ts` handles them. The bytes received so
	// far are kept.
	const { status, text } = failureOf(asServiceError(error), call);
	if (status >= 500) throw error;
	discardRest(call.request.raw);
	const isOther = error instanceof UploadError && error.problem === 'changed';
	// The script tries again later, because the other daemon gives the upload up if nothing comes any more.
	return jsonAnswer({ problem: text, isOther, isHeld: error instanceof HeldError }, status);
}

export function jsonAnswer(value: object, status = 200): PortalAnswer {
	return { send: (reply) => answerJson(reply, value, status) };
}

/**
 * Discards what still comes of a refused body, because a browser reads the answer only after it has sent everything. After
 * `most` bytes the connection is closed, and the browser reads the answer that it got before.
 */
export function discardRest(body: IncomingMessage, most = MOST_REST_BYTES): void {
	let bytes = 0;
	body.on('data', (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > most) body.socket.destroy();
	});
	body.resume();
}
