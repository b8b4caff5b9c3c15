import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../../../base/card/spelling/spelled-number.ts';
import { ServiceError } from '../../../../base/errors.ts';
import { AccountNames } from '../../../../people/identity/accounts/account-names.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { actorOf, storedBy } from '../../../../people/identity/principal.ts';
import type { Audit } from '../../../../trail/audit.ts';
import { MAX_TEXT_BYTES, PAGE_KINDS, type RecordFields } from '../../../../vault/pages/record-codec.ts';
import type { Token } from '../../../../vault/tokens/token.ts';
import type { TokenMetadata } from '../../../../vault/tokens/token-metadata.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { answerOf, type DocumentBody, jsonOrXml, listOf } from '../../calls/content.ts';
import { nullable, reference, text } from '../../calls/fields.ts';
import { CREATED, TOKEN } from '../../calls/samples.ts';
import { storeOnce } from '../../idempotency/effects.ts';
import type { Members } from '../../input/members.ts';
import { findSearchText } from '../../input/query-values.ts';
import { named } from '../../input/schema-notes.ts';
import { answerList } from '../../negotiation/list-answer.ts';
import { successFormat } from '../../negotiation/negotiation.ts';
import { fitsXml } from '../../negotiation/xml-writer.ts';
import type { HttpSettings } from '../../settings.ts';
import { checkKind } from '../../tokens/access.ts';
import { FROM, REF, TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../../tokens/token-uri.ts';

const ORDER = named(
	'DataBlockOrder',
	Type.Object({
		Payload: text('What is to be kept.'),
		Reference: reference('Yours; need not be unique.'),
	}),
);
type DataBlockOrder = Static<typeof ORDER>;

const DATA_BLOCK_BODY = {
	root: 'DataBlock',
	schema: ORDER,
	example: { Payload: 'a note', Reference: 'order-1' },
} as const satisfies DocumentBody;

const LISTED_MEMBERS = {
	Token: [Type.String(), TOKEN],
	URI: [Type.String(), `https://vault.example/api/datablocks/${TOKEN}`],
	CreateDate: [Type.String({ format: 'date-time' }), CREATED],
	Reference: [nullable(), 'order-1'],
	UserID: [nullable(), 'agency'],
} as const;
const LISTED_DATA_BLOCK = answerOf(DATA_BLOCK_BODY.root, 'ListedDataBlock', LISTED_MEMBERS);
const FULL_DATA_BLOCK = answerOf(DATA_BLOCK_BODY.root, 'DataBlock', {
	...LISTED_MEMBERS,
	Payload: [Type.String(), 'a note'],
});

const QUERY = Type.Object({
	ref: REF,
	maxItems: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'All of them unless given.' })),
	offset: FROM,
});
const define = callsAbout('data blocks', { permission: 'DataBlocks' });
const KIND = PAGE_KINDS['data-blocks'];

/** Defines the calls for data blocks, which are texts of the caller that are stored sealed (spec §4.1, shapes §3). */
export function dataBlockCalls(parts: {
	identity: Identity;
	audit: Audit;
	vault: Vault;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call[] {
	const { vault, identity, audit, settings } = parts;
	const names = new AccountNames(identity.accounts);
	const itemsOf = (batch: Parameters<typeof dataBlockItems>[0]) =>
		dataBlockItems(batch, { baseUrl: settings.baseUrl, names });
	const getMetadata = async ({ principal }: FastifyRequest, token: Token) => {
		const metadata = checkOwner(await vault.findMetadata(principal.ownerId, token), principal.ownerId);
		checkKind(metadata.kind, ['data-block']);
		return metadata;
	};

	return [
		define('POST', DATA_BLOCK_PATH, {
			summary: 'Store a data block',
			description: 'Body: `Payload`, text of at most 16 KiB, and `Reference`. Cards are not taken.',
			body: DATA_BLOCK_BODY,
			returns: { status: 201, ...LISTED_DATA_BLOCK },
			handler: async (request, reply, readBody) => {
				const { principal } = request;
				const body = readBody();
				const reference = body.findText('Reference');
				const fields = readPayload(body);
				const { token } = await storeOnce(request, (alongside) =>
					vault.storeRecord({ action: 'data-block.store', ...storedBy(principal), fields, reference, alongside }),
				);
				const [item] = await itemsOf([await getMetadata(request, token)]);
				reply.header('location', item.URI);
				return item;
			},
		}),
		define('GET', DATA_BLOCK_PATH, {
			summary: 'Search data blocks',
			description: 'Oldest first, all of them unless `maxItems` (1 to 50) is given; without their payloads.',
			query: QUERY,
			answers: { 200: { content: jsonOrXml(listOf(LISTED_DATA_BLOCK)) } },
			handler: async (request, reply) => {
				const { ref, maxItems = Number.POSITIVE_INFINITY, offset = 0 } = request.query;
				const query = { from: offset, num: maxItems, reference: findSearchText(ref), kind: KIND };
				const { ownerId } = request.principal;
				const batches = async function* () {
					for await (const batch of vault.walk(ownerId, query)) yield itemsOf(batch);
				};
				return answerList(request, reply, batches(), { root: DATA_BLOCK_BODY.root, num: maxItems });
			},
		}),
		define('GET', `${DATA_BLOCK_PATH}/${TOKEN_IN_PATH}`, {
			summary: 'Read a data block',
			description: 'With its payload. Only its owner may. A payload with control characters is answered in JSON alone.',
			params: TOKEN_PATH,
			returns: FULL_DATA_BLOCK,
			failures: ['bad-input-parameter'],
			handler: async (request, reply) => {
				const token = pathToken(request.params);
				const [item] = await itemsOf([await getMetadata(request, token)]);
				const found = await vault.find(request.principal.ownerId, token);
				if (!found) throw new ServiceError('token-not-accessible');
				const Payload = found.record.presentation.toString('utf8');
				if (successFormat(request.headers.accept) === 'xml' && !fitsXml(Payload)) {
					const problem = 'the payload has control characters, which XML cannot hold; ask for application/json';
					throw new ServiceError('bad-input-parameter', { field: 'Accept', problem });
				}
				await audit.record({
					actor: actorOf(request.principal),
					action: 'data-block.read',
					subject: `token ${token}`,
				});
				reply.header('cache-control', 'no-store');
				return { ...item, Payload };
			},
		}),
		define('DELETE', `${DATA_BLOCK_PATH}/${TOKEN_IN_PATH}`, {
			summary: 'Delete a data block',
			description: 'Only its owner may.',
			params: TOKEN_PATH,
			handler: async (request, reply) => {
				const token = pathToken(request.params);
				await getMetadata(request, token);
				const { ownerId } = request.principal;
				const outcome = await vault.remove(
					ownerId,
					token,
					{ actor: actorOf(request.principal), action: 'data-block.delete' },
					KIND,
				);
				if (outcome !== 'deleted') throw new ServiceError('token-not-accessible');
				return reply.send();
			},
		}),
	];
}

const DATA_BLOCK_PATH = '/api/datablocks';

/**
 * Returns the record that stores the payload of a body.
 * @throws ServiceError if the payload is invalid
 */
function readPayload(body: Members<DataBlockOrder>): RecordFields {
	const text = body.getVerbatim('Payload');
	const payload = Buffer.from(text.toWellFormed());
	if (payload.length > MAX_TEXT_BYTES) throw body.problem('Payload', `larger than ${MAX_TEXT_BYTES} bytes`);
	// A payload must not contain a card number, because payloads are returned to the caller and cards never are.
	if (holdsCardNumber(text)) throw body.problem('Payload', 'looks like it holds a card number: store cards as cards');
	return {
		kind: 'data-block',
		shape: 'plain',
		expiry: 0,
		type: 0,
		digits: Buffer.alloc(0),
		digitCount: 0,
		spelling: payload,
		name: null,
		issueNumber: null,
		owner: null,
	};
}

/** Returns the items of a list of data blocks. They never contain the payload. */
async function dataBlockItems(
	batch: readonly TokenMetadata[],
	{ baseUrl, names }: { baseUrl: string; names: AccountNames },
) {
	await names.load(batch.map(({ creatorId }) => creatorId));
	return batch.map(({ token, createdAt, reference, creatorId }) => ({
		Token: token,
		URI: `${baseUrl}${DATA_BLOCK_PATH}/${token}`,
		CreateDate: createdAt.toISOString(),
		Reference: reference,
		UserID: names.find(creatorId),
	}));
}

/**
 * Checks that the caller owns a data block. For any other account the data block does not exist.
 * @throws ServiceError
 */
function checkOwner(metadata: TokenMetadata | undefined, ownerId: TokenMetadata['accountId']): TokenMetadata {
	if (metadata?.accountId !== ownerId) throw new ServiceError('token-not-accessible');
	return metadata;
}
