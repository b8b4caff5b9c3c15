import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../../../base/errors.ts';
import { AccountNames } from '../../../../people/identity/accounts/account-names.ts';
import { EFFECTS } from '../../../../people/identity/effects.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { actorOf, type Principal } from '../../../../people/identity/principal.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { pathText } from '../../calls/fields.ts';
import { getOwnRecord, getRecord, PAYMENT_KINDS } from '../../tokens/access.ts';
import { getMerchant } from '../../tokens/related-merchant.ts';
import { TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../../tokens/token-uri.ts';

const PATH = `/api/payments/paycard/${TOKEN_IN_PATH}/merchants`;
const MERCHANT_PATH = Type.Object({
	...TOKEN_PATH.properties,
	merchantId: pathText('User ID of a primary account.', 'partner'),
});
const define = callsAbout('tokens', { permission: EFFECTS['gives-away'] });

/** Defines the calls that change and list which other accounts may use a token (spec §2.3, shapes §3, §11). */
export function associationCalls({ vault, identity }: { identity: Identity; vault: Vault }): Call[] {
	const names = new AccountNames(identity.accounts);
	/** Returns the token of a call, which must be the caller's own. */
	const ownToken = async (request: { principal: Principal; params: { cardToken: string } }) => {
		const token = pathToken(request.params);
		await getOwnRecord(vault, request.principal, token, PAYMENT_KINDS);
		return token;
	};

	return [
		define('PUT', `${PATH}/:merchantId`, {
			summary: 'Associate a token with a merchant',
			description: 'Lets a primary account use the token. Only the owner may.',
			params: MERCHANT_PATH,
			failures: ['association-target-invalid'],
			handler: async (request, reply) => {
				const { principal } = request;
				const merchantId = await identity.resolveAssociationTarget(principal, request.params.merchantId);
				const token = await ownToken(request);
				const merchant = request.params.merchantId;
				const by = { actor: actorOf(principal), action: 'card.associate', merchant } as const;
				const isDone = await vault.associate(principal.ownerId, token, merchantId, by);
				if (!isDone) throw new ServiceError('token-not-accessible');
				return reply.send();
			},
		}),
		define('GET', PATH, {
			summary: 'List the merchants of a token',
			description: 'User IDs. An associated account finds itself alone.',
			params: TOKEN_PATH,
			returns: { schema: Type.Array(Type.String()), example: ['partner'], root: 'MerchantId' },
			handler: async (request) => {
				const { ownerId } = request.principal;
				const token = pathToken(request.params);
				const { isOwner } = await getRecord(vault, request.principal, token, PAYMENT_KINDS);
				const metadata = await vault.findMetadata(ownerId, token);
				const ids = (metadata?.merchantIds ?? []).filter((id) => isOwner || id === ownerId);
				await names.load(ids);
				return ids.flatMap((id) => names.find(id) ?? []);
			},
		}),
		define('DELETE', `${PATH}/:merchantId`, {
			summary: 'Dissociate a merchant from a token',
			description: 'Only the owner may. Repeating it changes nothing.',
			params: MERCHANT_PATH,
			handler: async (request, reply) => {
				const { principal } = request;
				const merchantId = await getMerchant(identity, principal, request.params.merchantId);
				const token = await ownToken(request);
				const merchant = request.params.merchantId;
				const by = { actor: actorOf(principal), action: 'card.dissociate', merchant } as const;
				await vault.dissociate(principal.ownerId, token, merchantId, by);
				return reply.send();
			},
		}),
		define('DELETE', PATH, {
			summary: 'Dissociate every merchant from a token',
			description: 'Only the owner may.',
			params: TOKEN_PATH,
			handler: async (request, reply) => {
				const { principal } = request;
				const token = await ownToken(request);
				const by = { actor: actorOf(principal), action: 'card.dissociate', merchant: 'all' } as const;
				await vault.dissociate(principal.ownerId, token, 'all', by);
				return reply.send();
			},
		}),
	];
}
