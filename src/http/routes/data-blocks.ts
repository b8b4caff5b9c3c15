import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { actorOf, storedBy } from '../../identity/principal.ts';
import { PAGE_KINDS } from '../../vault/record-codec.ts';
import type { Token } from '../../vault/token.ts';
import { storeOnce } from '../idempotency/effects.ts';
import { Members } from '../input/members.ts';
import { findReferenceValue, findSearchText } from '../input/query-values.ts';
import type { RequestBody } from '../input/request-body.ts';
import { answer } from '../negotiation/answer.ts';
import { answerList } from '../negotiation/list-answer.ts';
import type { HttpRooms } from '../rooms.ts';
import { checkKind } from '../tokens/access.ts';
import { AccountNames } from '../tokens/account-names.ts';
import { checkOwner, DATA_BLOCK_PATH, dataBlockItems, readPayload } from '../tokens/data-block.ts';
import { DATA_BLOCK, FROM, REF, TOKEN_PATH } from '../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../tokens/token-uri.ts';

const SHAPE = { root: 'DataBlock' } as const;
const QUERY = Type.Object({
	ref: REF,
	maxItems: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'All of them unless given.' })),
	offset: FROM,
});
export const LISTED_DATA_BLOCK = Type.Object(DATA_BLOCK);
export const FULL_DATA_BLOCK = Type.Object({ ...DATA_BLOCK, Payload: Type.String() });
const CONFIG = { permission: 'DataBlocks' } as const;
const KIND = PAGE_KINDS['data-blocks'];

/** Stores sealed texts of the caller (spec §4.1, shapes §3). */
export function dataBlockRoutes({ vault, identity, audit, settings }: HttpRooms): FastifyPluginAsync {
	const names = new AccountNames(identity.accounts);
	const itemsOf = (batch: Parameters<typeof dataBlockItems>[0]) =>
		dataBlockItems(batch, { baseUrl: settings.baseUrl, names });
	const getMetadata = async ({ principal }: FastifyRequest, token: Token) => {
		const metadata = checkOwner(await vault.findMetadata(principal.ownerId, token), principal.ownerId);
		checkKind(metadata.kind, ['data-block']);
		return metadata;
	};

	return async (app) => {
		app.post(
			DATA_BLOCK_PATH,
			{
				config: CONFIG,
				schema: {
					summary: 'Store a data block',
					description: 'Body: `Payload`, text of at most 16 KiB, and `Reference`. Cards are not taken.',
					tags: ['data blocks'],
					response: { 201: LISTED_DATA_BLOCK },
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const body = Members.of(request.body as RequestBody | undefined, 'DataBlock');
				const reference = findReferenceValue('Reference', body.findText('Reference'));
				const fields = readPayload(body);
				const { token } = await storeOnce(request, (alongside) =>
					vault.storeRecord({
						action: 'data-block.store',
						...storedBy(principal),
						...{ fields, reference, alongside },
					}),
				);
				const [item] = await itemsOf([await getMetadata(request, token)]);
				return answer(request, reply.code(201).header('location', item.URI), item, SHAPE);
			},
		);
		app.get(
			DATA_BLOCK_PATH,
			{
				config: CONFIG,
				schema: {
					summary: 'Search data blocks',
					description: 'Oldest first, all of them unless `maxItems` (1 to 50) is given; without their payloads.',
					tags: ['data blocks'],
					querystring: QUERY,
					response: { 200: Type.Array(LISTED_DATA_BLOCK) },
				},
			},
			async (request, reply) => {
				const { ref, maxItems = Number.POSITIVE_INFINITY, offset = 0 } = request.query as Static<typeof QUERY>;
				const query = { from: offset, num: maxItems, reference: findSearchText(ref), kind: KIND };
				const { ownerId } = request.principal;
				const batches = async function* () {
					for await (const batch of vault.walk(ownerId, query)) yield itemsOf(batch);
				};
				return answerList(request, reply, batches(), { ...SHAPE, num: maxItems });
			},
		);
		app.get(
			`${DATA_BLOCK_PATH}/${TOKEN_IN_PATH}`,
			{
				config: CONFIG,
				schema: {
					summary: 'Read a data block',
					description: 'With its payload. Only its owner may.',
					tags: ['data blocks'],
					params: TOKEN_PATH,
					response: { 200: FULL_DATA_BLOCK },
				},
			},
			async (request, reply) => {
				const token = pathToken(request.params);
				const [item] = await itemsOf([await getMetadata(request, token)]);
				const found = await vault.find(request.principal.ownerId, token);
				if (!found) throw new ServiceError('token-not-accessible');
				const Payload = found.record.presentation.toString('utf8');
				await audit.record({
					actor: actorOf(request.principal),
					action: 'data-block.read',
					subject: `token ${token}`,
				});
				reply.header('cache-control', 'no-store');
				return answer(request, reply, { ...item, Payload }, SHAPE);
			},
		);
		app.delete(
			`${DATA_BLOCK_PATH}/${TOKEN_IN_PATH}`,
			{
				config: CONFIG,
				schema: {
					summary: 'Delete a data block',
					description: 'Only its owner may.',
					tags: ['data blocks'],
					params: TOKEN_PATH,
				},
			},
			async (request, reply) => {
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
		);
	};
}
