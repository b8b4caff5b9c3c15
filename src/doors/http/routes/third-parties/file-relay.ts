import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../../base/errors.ts';
import { Secret } from '../../../../base/settings/secret.ts';
import type { Format } from '../../../../engine/format.ts';
import { CredentialEndedError } from '../../../../people/identity/credentials/ending.ts';
import type { FileRelay, RelayOrder } from '../../../../work/relay/file-relay.ts';
import type { PartnerChoice } from '../../../../work/relay/partners/partner-choice.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { BYTES, jsonOrXml } from '../../calls/content.ts';
import { checkFilter, filterParameter } from '../../files/filter.ts';
import { addTokenizationTrailers, type FileCounts } from '../../files/trailers.ts';
import { VerdictLists } from '../../files/verdict-lists.ts';
import type { Once, StreamClaim } from '../../idempotency/once.ts';
import { findFlag } from '../../input/query-values.ts';
import { named } from '../../input/schema-notes.ts';
import { sendProduced } from '../../input/streaming-body.ts';
import { answer } from '../../negotiation/answer.ts';
import { FLAG } from '../../tokens/schemas.ts';

const QUERY = {
	destination: Type.Optional(Type.String({ description: 'Name of a stored destination, in place of the next five' })),
	host: Type.Optional(Type.String({ description: "The partner's SFTP server" })),
	port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: '22 unless given' })),
	userName: Type.Optional(Type.String({ description: 'The login there' })),
	hostKey: Type.Optional(
		Type.String({ description: 'Fingerprints of the host key, `SHA256:…`, with commas; required in production' }),
	),
	path: Type.Optional(
		Type.String({ description: "A folder; with a destination below its own. Empty: the login's own folder" }),
	),
	fileName: Type.String({ description: 'Name of the file, without a folder' }),
};
const CAPTURE_QUERY = Type.Object(QUERY);
const RELAY_QUERY = Type.Object({ ...QUERY, overwrite: FLAG('Replace a file of the name; refused unless asked for.') });
type Query = Static<typeof RELAY_QUERY> & { readonly filter: string };
type RelayOnce = Pick<RelayOrder, 'source' | 'beforePublishing'>;

const HEADERS = Type.Object({
	'x-service-sftp-password': Type.Optional(
		Type.String({ description: 'Password of the login; not with a destination' }),
	),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });
const RELAYED = named(
	'RelayedFile',
	Type.Object({
		fileName: Type.String(),
		host: Type.String(),
		hostKey: Type.String({ description: 'Fingerprint of the key the host has shown' }),
		bytesRead: count('Of the body'),
		bytesWritten: count('Of the file at the partner'),
		cards: count('Tokens that were replaced'),
		refused: count('Always 0 in this direction'),
		warned: count('Cards with a warning'),
		unresolved: count('Tokens that stayed: they do not exist or this account may not use them'),
		report: Type.Array(Type.Object({}, { additionalProperties: true }), {
			description: 'What stayed a token and where, at most 100 of them',
		}),
	}),
);
const HOST_KEY = {
	'X-service-Sftp-Host-Key': {
		schema: { type: 'string' },
		description: 'Fingerprint of the key the host has shown.',
	},
};
/** The reasons for failure that sending a file to a partner and fetching a file from one have in common. */
const FAILURES = ['file-malformed', 'target-unreachable', 'too-many-calls', 'too-many-calls-of-account'] as const;

const RELAY_TEXT = `The body, a file with tokens, goes to the partner with card numbers, and appears there under its name once
it is whole. After any failure nothing of it is left there under that name. With an \`Idempotency-Key\` the same
call with the same file brings the first answer again and writes nothing.`;
const CAPTURE_TEXT = `The partner's file, with tokens in place of card numbers, streamed. A file that cannot be processed is a 400
with the position as long as no byte has left; after that the connection is cut, and what was sent stays valid. Trailers as
for \`/api/files/tokenize\`, and 409 for a repeated \`Idempotency-Key\` as there; \`X-service-Sftp-Host-Key\` is the fingerprint of the key the host has shown.`;

/**
 * Defines the calls that send files to partners' SFTP servers and fetch files from them (shapes §4). A call that sends
 * card numbers out needs the same permission as detokenizing a file.
 */
export function fileRelayCalls(parts: {
	formats: ReadonlyMap<string, Format>;
	once: Once;
	fileRelay: FileRelay;
}): Call[] {
	const captureQuery = Type.Object({ filter: filterParameter(parts), ...CAPTURE_QUERY.properties });
	const relayQuery = Type.Object({ filter: filterParameter(parts), ...RELAY_QUERY.properties });
	return [
		defineCall('POST', '/api/payments/paycard/relay/sftp', {
			summary: 'Relay a file',
			description: RELAY_TEXT,
			tag: 'third parties',
			needs: { permission: 'FileDetokenize', isBillable: true },
			isIdempotent: true,
			intake: 'stream',
			query: relayQuery,
			headers: HEADERS,
			body: { isRequired: true, content: { 'application/octet-stream': { schema: BYTES } } },
			answers: { 200: { content: jsonOrXml({ schema: RELAYED }) } },
			failures: FAILURES,
			handler: (request, reply) =>
				parts.once.relayFile({ request, reply }, (order) => relayFile(parts, { request, reply, once: order })),
		}),
		defineCall('POST', '/api/payments/paycard/capture/sftp', {
			summary: 'Capture a file',
			description: CAPTURE_TEXT,
			tag: 'third parties',
			needs: { permission: 'FileTokenize' },
			isIdempotent: true,
			intake: 'stream',
			query: captureQuery,
			headers: HEADERS,
			answers: {
				200: {
					description: 'The tokenized file.',
					headers: HOST_KEY,
					content: { 'application/octet-stream': { schema: BYTES } },
				},
			},
			failures: ['allowance-exceeded', 'uri-not-found', ...FAILURES],
			handler: (request, reply) =>
				parts.once.stream({ request, reply }, (claim) => captureFile(parts, request, reply, claim)),
		}),
	];
}

async function relayFile(
	parts: { formats: ReadonlyMap<string, Format>; fileRelay: FileRelay },
	{ request, reply, once }: { request: FastifyRequest; reply: FastifyReply; once: RelayOnce },
): Promise<FastifyReply> {
	const order = orderOf(parts, request, reply);
	const replaces = findFlag('overwrite', (request.query as Query).overwrite) ?? false;
	try {
		const relaying = parts.fileRelay.relay({ ...order, replaces, ...once });
		const { file, hostKey, summary, entries } = await relaying.catch(meaningFor(order.signal));
		const { bytesRead, bytesWritten, cards, refused, warned, unresolved } = summary;
		const relayed: Static<typeof RELAYED> = {
			fileName: file.fileName,
			host: file.partner.host,
			hostKey,
			bytesRead,
			bytesWritten,
			cards,
			refused,
			warned,
			unresolved,
			report: [...entries],
		};
		return answer(request, reply, relayed, { root: 'RelayedFile', items: { report: 'Entry' } });
	} finally {
		// The rest of the request body is discarded, because otherwise the caller could not finish sending it and would
		// never read the answer.
		request.raw.resume();
	}
}

async function captureFile(
	parts: { formats: ReadonlyMap<string, Format>; fileRelay: FileRelay },
	request: FastifyRequest,
	reply: FastifyReply,
	claim?: StreamClaim,
) {
	const order = orderOf(parts, request, reply);
	const verdicts = new VerdictLists();
	let counts: FileCounts = { cards: 0, refused: 0, warned: 0 };
	let hostKey = '';
	const begin = () => {
		reply.type('application/octet-stream').header('x-service-sftp-host-key', hostKey);
		addTokenizationTrailers(reply, verdicts, () => counts);
	};
	return sendProduced({ request, reply }, begin, async (body) => {
		await claim?.begin({ kind: 'request', id: request.id });
		const capturing = parts.fileRelay.capture({
			...order,
			report: verdicts,
			sink: body.sink,
			onConnected: (shown) => {
				hostKey = shown;
			},
			onProgress: (progress) => {
				counts = progress;
			},
		});
		counts = await capturing.catch(meaningFor(order.signal));
	});
}

function orderOf(parts: { formats: ReadonlyMap<string, Format> }, request: FastifyRequest, reply: FastifyReply) {
	const { filter: given, destination, host, port, userName, hostKey, path, fileName } = request.query as Query;
	const filter = checkFilter(parts, given);
	const password = passwordOf(request);
	const choice: PartnerChoice = { destination, host, port, userName, password, hostKey, path, fileName };
	const signal = AbortSignal.any([goneSignal(reply), request.standing!.signal]);
	return { principal: request.principal, filter, choice, signal };
}

/** Returns a signal that aborts if the caller closes the connection before the answer is complete. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
	const gone = new AbortController();
	raw.once('close', () => {
		if (!raw.writableFinished) gone.abort(new Error('the caller went away'));
	});
	return gone.signal;
}

/**
 * Returns an error handler. If the caller has hung up or its credential has ended, any error is only a consequence of
 * this, and is not reported as a failure of this service or of the partner.
 */
function meaningFor(gone: AbortSignal): (error: unknown) => never {
	return (error) => {
		if (!gone.aborted) throw error;
		if (gone.reason instanceof CredentialEndedError) throw gone.reason;
		throw new ServiceError('bad-input-data', { field: 'body', problem: 'the caller went away', cause: error });
	};
}

/**
 * Reads the partner's password from its header. Node decodes headers as Latin-1 but clients send passwords in UTF-8, so
 * the password is decoded again.
 */
function passwordOf({ headers }: FastifyRequest): Secret | undefined {
	const text = headers['x-service-sftp-password'];
	if (typeof text !== 'string' || text === '') return undefined;
	const bytes = Buffer.from(text, 'latin1');
	const decoded = bytes.toString('utf8');
	return new Secret(Buffer.from(decoded).equals(bytes) ? decoded : text);
}
