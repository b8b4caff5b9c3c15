// Tells the pages that a session has open that something has changed: one stream of server-sent events for each page that
// is visible. The stream only names kinds of things; the page then asks for its own part again, as its reader may see it.

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../../../base/errors.ts';
import type { Right } from '../../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../../people/portal-users/viewer.ts';
import { type ChangeKind, type ChangeOwner, EVERYBODY, type Watched } from '../../../../work/changes/changes.ts';
import { readCookie } from '../cookies.ts';
import type { PortalParts } from '../parts.ts';
import { get, type PortalCall } from '../portal-page.ts';

/** The type of a stream of events, which browsers also say that they accept. */
export const EVENTS = 'text/event-stream';

/** A browser opens a stream for each of its windows in which a page is visible. A stream more ends the oldest one. */
const MOST_OF_SESSION = 4;
const MOST_STREAMS = 1_000;
/** The session is looked up at this interval. The line that is sent then keeps proxies from closing the connection. */
const CHECK_MS = 5_000;
/** A browser waits this long before it opens a stream again that broke off. */
const RETRY_MS = 3_000;
/** A reader that has left so many bytes unread is gone. */
const MOST_UNREAD_BYTES = 16_384;

const RIGHTS: Readonly<Record<ChangeKind, Right>> = {
	jobs: 'files.see',
	uploads: 'files.see',
	requests: 'requests.see',
	routes: 'routes.see',
	events: 'events.change',
	counts: 'overview.see',
};

type Parts = Pick<PortalParts, 'changes' | 'portal'>;

interface Stream {
	readonly session: string;
	/** Ends the stream with an event, after which the browser does not open it again by itself; without one, it does. */
	end(event?: 'over' | 'ended'): void;
}

export function openLiveStreams({ changes, portal }: Parts) {
	const streams = new Set<Stream>();
	let isClosed = false;

	const open = (call: PortalCall): Readable => {
		const { viewer, request } = call;
		const cookie = readCookie(request, 'session');
		const body = new Readable({ read() {} });
		const send = (text: string) => {
			if (body.readableLength > MOST_UNREAD_BYTES) return stream.end();
			body.push(text);
		};
		const stop = changes.watch(watchedBy(viewer), (kinds) => send(eventOf('changed', kinds.join(' '))));
		const check = setInterval(async () => {
			// This look-up does not extend the session, because nobody has done anything.
			const found = await portal.sessions.find(cookie, request.ip, { isByItself: true }).catch(() => viewer);
			if (!streams.has(stream)) return;
			if (found) send(':\n\n');
			else stream.end('ended');
		}, CHECK_MS);
		check.unref();
		const forget = () => {
			streams.delete(stream);
			clearInterval(check);
			stop();
		};
		const stream: Stream = {
			session: viewer.session.id,
			end(event) {
				if (!streams.has(stream)) return;
				forget();
				if (event !== undefined) body.push(eventOf(event, ''));
				body.push(null);
			},
		};
		streams.add(stream);
		body.once('close', forget);
		body.push(`retry: ${RETRY_MS}\n\n`);
		return body;
	};

	const page = get('/portal/live', { right: 'signed-in', isFlushed: true }, async (call) => ({
		send(reply) {
			const own = [...streams].filter(({ session }) => session === call.viewer.session.id);
			if (own.length >= MOST_OF_SESSION) own[0].end('over');
			if (isClosed || streams.size >= MOST_STREAMS) throw new ServiceError('too-many-calls');
			return eventsOn(reply).send(open(call));
		},
	}));
	return {
		page,
		/** Ends every stream, so that a daemon which stops does not wait for them. Browsers then ask another daemon. */
		async close(): Promise<void> {
			isClosed = true;
			for (const stream of [...streams]) stream.end();
			await changes.settle();
		},
	};
}

/** Answers a stream that only says that the session has ended. */
export function endedStream(reply: FastifyReply): FastifyReply {
	return eventsOn(reply).send(eventOf('ended', ''));
}

function eventsOn(reply: FastifyReply): FastifyReply {
	return reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type(`${EVENTS}; charset=utf-8`);
}

function eventOf(name: string, data: string): string {
	return `event: ${name}\ndata: ${data}\n\n`;
}

function all(owner: ChangeOwner, kinds: readonly ChangeKind[]): Watched {
	return Object.fromEntries(kinds.map((kind) => [kind, owner]));
}

/** Returns what a viewer may be told of: kinds that they may see, of their own account. */
function watchedBy({ account, principal, has }: Viewer): Watched {
	const owners: Partial<Record<ChangeKind, ChangeOwner>> =
		account && principal
			? {
					...all(account.id, ['jobs', 'uploads', 'counts', 'routes']),
					...all(principal.ownerId, ['requests', 'events']),
				}
			: { counts: EVERYBODY };
	const kinds = Object.entries(owners) as [ChangeKind, ChangeOwner][];
	return Object.fromEntries(kinds.filter(([kind]) => has(RIGHTS[kind])));
}
