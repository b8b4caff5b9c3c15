import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../../../../people/identity/identity.ts';
import { ANSWER_TYPES, getBatchFormats } from '../../batch/formats.ts';
import type { Batches } from '../../batch/stream.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { lines, type OtherBody } from '../../calls/content.ts';
import { nullable } from '../../calls/fields.ts';
import { TOKEN, TOKEN_URI } from '../../calls/samples.ts';
import type { Once, StreamClaim } from '../../idempotency/once.ts';
import { checkKeepsCvv, findElimination, findFlag, findReferenceValue } from '../../input/query-values.ts';
import { named } from '../../input/schema-notes.ts';
import { FLUSHED_COMPRESSION } from '../../server/compression.ts';
import { CARD_BODY } from '../../tokens/card-schema.ts';
import { FLAG, MERCHANT, REF } from '../../tokens/schemas.ts';

const QUERY = Type.Object({
	ref: REF,
	merchantId: MERCHANT,
	eliminateCardDuplication: FLAG('Give back the token the account already has for a card.'),
	saveCVV: FLAG('Keep the CVVs; an account that is set up for it does unless told otherwise.'),
});

/** The schema of one line of the answer, which tells the outcome of one card. */
const BATCH_LINE = named(
	'BatchLine',
	Type.Object({
		index: Type.Integer({ minimum: 0 }),
		token: nullable(),
		uri: nullable(),
		error: nullable(),
		warning: nullable(),
	}),
);

const LINES = lines(BATCH_LINE, 'One of these a line, in the order of the cards.');

const EXAMPLE = `${JSON.stringify({ index: 0, token: TOKEN, uri: TOKEN_URI, error: null, warning: null })}\n`;
const CSV_EXAMPLE = `index,token,uri,error,warning\r\n0,${TOKEN},${TOKEN_URI},,\r\n`;

const { schema: CARD, example: CARD_EXAMPLE } = CARD_BODY;
const BODY: OtherBody = {
	isRequired: true,
	content: {
		'application/json': { schema: Type.Array(CARD), example: [CARD_EXAMPLE] },
		'application/x-ndjson': {
			schema: lines(CARD, 'One card a line.'),
			example: `${JSON.stringify(CARD_EXAMPLE)}\n`,
		},
		'text/csv': {
			schema: Type.String({ description: 'One card a row, under a header row.' }),
			example: 'CardNumber,ExpirationDate,CVV,CardType\n4111111111111111,04/2030,306,Visa\n',
		},
	},
};

const DESCRIPTION = `Card data as NDJSON, one card a line, as one JSON list, or as CSV, one card a row under a header row of usual
names; the answer is NDJSON, a line for every card in order: {"index","token","uri","error","warning"}, or CSV with these
columns where Accept names text/csv. An error of CSV names line and field. Both are streamed and of any length: read the answer while you send. A line is
answered when its card is durable, whatever happens to the connection afterwards. Where the allowance of the account ends, a
last line says so. The same batch with the same Idempotency-Key is stored once: an answer of up to 1 MiB comes again, for a
longer one, and for a batch that broke off, the repetition is a 409.`;

/** Defines the call that stores many cards at once (shapes §3). */
export function batchCalls({ identity, once, batches }: { identity: Identity; once: Once; batches: Batches }): Call {
	return defineCall('POST', '/api/payments/paycard/batch', {
		summary: 'Store many cards',
		description: DESCRIPTION,
		tag: 'tokens',
		needs: { permission: 'Tokenize' },
		isIdempotent: true,
		intake: 'stream',
		compress: FLUSHED_COMPRESSION,
		query: QUERY,
		body: BODY,
		answers: {
			200: {
				description: 'One line for every card.',
				content: {
					'application/x-ndjson': { schema: LINES, example: EXAMPLE },
					'text/csv': { schema: Type.String(), example: CSV_EXAMPLE },
				},
			},
		},
		failures: [
			...(['allowance-exceeded', 'association-target-invalid'] as const),
			...(['cvv-retention-not-set-up'] as const),
		],
		handler: (request, reply) => once.stream({ request, reply }, (claim) => storeAll(request, reply, claim)),
	});

	async function storeAll(request: FastifyRequest, reply: FastifyReply, claim?: StreamClaim): Promise<FastifyReply> {
		const { principal } = request;
		const query = request.query as Record<string, string | undefined>;
		const eliminatesDuplicates = findElimination(principal, query.eliminateCardDuplication);
		const merchantId = query.merchantId
			? await identity.resolveAssociationTarget(principal, query.merchantId)
			: undefined;
		// If nothing is left of the allowance, the call is refused; otherwise cards are stored until the allowance ends
		// (shapes §11).
		const books = batches.open(request);
		await books.ledger.ask();
		const formats = getBatchFormats(request);
		const saveCvv = findFlag('saveCVV', query.saveCVV);
		const wishes = {
			reference: findReferenceValue('ref', query.ref),
			eliminatesDuplicates,
			merchantId,
			keepsCvv: principal.cvvRetention && saveCvv !== false,
			formats,
		};
		// `saveCVV` is checked after all other errors of the call itself (shapes §11, order of checks).
		if (saveCvv) checkKeepsCvv(principal);
		reply.type(ANSWER_TYPES[formats.answer]);
		return batches.stream({ wishes, claim, books }, request, reply);
	}
}
