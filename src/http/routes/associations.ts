import type {} from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { AccountId } from '../../database/ids.ts';
import { ServiceError } from '../../errors.ts';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { answer } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import { getOwnRecord, getRecord, PAYMENT_KINDS } from '../tokens/access.ts';
import { AccountNames } from '../tokens/account-names.ts';
import { TOKEN_PATH } from '../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../tokens/token-uri.ts';

const PATH = `/api/payments/paycard/${TOKEN_IN_PATH}/merchants`;
const MERCHANT_PATH = Type.Object({
	...TOKEN_PATH.properties,
	merchantId: Type.String({ description: 'User ID of a primary account.' }),
});
const CONFIG = { permission: 'Associate' } as const;

/** Which other accounts may use a token (spec §2.3, shapes §3, §11). */
export function associationRoutes({ vault, identity }: HttpRooms): FastifyPluginAsync {
	const names = new AccountNames(identity.accounts);
	const merchantOf = (request: FastifyRequest) => (request.params as { merchantId: string }).merchantId;
	/** Blocked ones too. Of other accounts' sub-users and properties nobody learns that there are any (shapes §11). */
	const getAccountId = async ({ ownerId }: Principal, merchantId: string): Promise<AccountId> => {
		const account = await identity.accounts.find(merchantId);
		if (account?.kind === 'primary' || account?.parentId === ownerId) return account.id;
		throw new ServiceError('bad-input-data', { field: 'merchantId', problem: 'no such account' });
	};

	return async (app) => {
		app.put(
			`${PATH}/:merchantId`,
			{
				config: CONFIG,
				schema: {
					summary: 'Associate a token with a merchant',
					description: 'Lets a primary account use the token. Only the owner may.',
					tags: ['tokens'],
					params: MERCHANT_PATH,
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const merchantId = await identity.resolveAssociationTarget(principal, merchantOf(request));
				const token = pathToken(request.params);
				await getOwnRecord(vault, principal, token, PAYMENT_KINDS);
				const by = { actor: actorOf(principal), action: 'card.associate', merchant: merchantOf(request) } as const;
				await vault.associate(principal.ownerId, token, merchantId, by);
				return reply.send();
			},
		);
		app.get(
			PATH,
			{
				config: CONFIG,
				schema: {
					summary: 'List the merchants of a token',
					description: 'User IDs. An associated account finds itself alone.',
					tags: ['tokens'],
					params: TOKEN_PATH,
					response: { 200: Type.Array(Type.String()) },
				},
			},
			async (request, reply) => {
				const { ownerId } = request.principal;
				const token = pathToken(request.params);
				const { isOwner } = await getRecord(vault, request.principal, token, PAYMENT_KINDS);
				const metadata = await vault.findMetadata(ownerId, token);
				const ids = (metadata?.merchantIds ?? []).filter((id) => isOwner || id === ownerId);
				await names.load(ids);
				return answer(
					request,
					reply,
					ids.flatMap((id) => names.find(id) ?? []),
					{ root: 'MerchantId' },
				);
			},
		);
		app.delete(
			`${PATH}/:merchantId`,
			{
				config: CONFIG,
				schema: {
					summary: 'Dissociate a merchant from a token',
					description: 'Only the owner may. Repeating it changes nothing.',
					tags: ['tokens'],
					params: MERCHANT_PATH,
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const merchantId = await getAccountId(principal, merchantOf(request));
				const token = pathToken(request.params);
				await getOwnRecord(vault, principal, token, PAYMENT_KINDS);
				const by = { actor: actorOf(principal), action: 'card.dissociate', merchant: merchantOf(request) } as const;
				await vault.dissociate(principal.ownerId, token, merchantId, by);
				return reply.send();
			},
		);
		app.delete(
			PATH,
			{
				config: CONFIG,
				schema: {
					summary: 'Dissociate every merchant from a token',
					description: 'Only the owner may.',
					tags: ['tokens'],
					params: TOKEN_PATH,
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const token = pathToken(request.params);
				await getOwnRecord(vault, principal, token, PAYMENT_KINDS);
				const by = { actor: actorOf(principal), action: 'card.dissociate', merchant: 'all' } as const;
				await vault.dissociate(principal.ownerId, token, 'all', by);
				return reply.send();
			},
		);
	};
}
