import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../../../base/errors.ts';
import { Slices } from '../../../../base/threads/slices.ts';
import { AccountNames } from '../../../../people/identity/accounts/account-names.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { actorOf } from '../../../../people/identity/principal.ts';
import type { Audit } from '../../../../trail/audit.ts';
import type { TokenMetadata } from '../../../../vault/tokens/token-metadata.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { jsonOrXml, listOf } from '../../calls/content.ts';
import { DEFAULT_NUM } from '../../calls/fields.ts';
import { CREATED, CVV_ENDS, TOKEN_URI } from '../../calls/samples.ts';
import { findSearchText } from '../../input/query-values.ts';
import { answerCsv, answerList } from '../../negotiation/list-answer.ts';
import type { HttpSettings } from '../../settings.ts';
import { checkKind, otherKind, PAYMENT_KINDS } from '../../tokens/access.ts';
import { type MetadataWriter, metadataWriter } from '../../tokens/metadata-answer.ts';
import { findRelatedMerchant } from '../../tokens/related-merchant.ts';
import { FROM, LISTED_METADATA, MERCHANT, METADATA, METADATA_SHAPE, REF, TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../../tokens/token-uri.ts';

/** This many items of a list are written before other work gets a turn. */
const WRITTEN_TOGETHER = 100;

const QUERY = Type.Object({
	ref: REF,
	from: FROM,
	num: Type.Optional(
		Type.Integer({
			minimum: 0,
			maximum: Number.MAX_SAFE_INTEGER,
			description: `Most items wanted; ${DEFAULT_NUM} unless given, as CSV all of them. There is no maximum.`,
		}),
	),
	merchantId: MERCHANT,
	format: Type.Optional(
		Type.String({
			enum: ['csv', 'json', 'xml', ''],
			description: '`csv` for CSV, streamed; `json` and `xml` come before `Accept`.',
		}),
	),
});

/** Defines the calls that list tokens, show their metadata and delete them (spec §3, §4.1, §7.4, shapes §3). */
export function tokenCalls(parts: {
	identity: Identity;
	audit: Audit;
	vault: Vault;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call[] {
	const { identity, audit, vault, settings } = parts;
	const names = new AccountNames(identity.accounts);
	const writerFor = (readerId: TokenMetadata['accountId']) =>
		metadataWriter({ names, baseUrl: settings.baseUrl, readerId });

	return [
		defineCall('GET', '/api/payments/paycard/meta', {
			summary: 'Query tokens',
			description: 'Tokens the account owns, oldest first. Paging ends when fewer come than were asked for.',
			tag: 'tokens',
			needs: { permission: 'QueryTokens' },
			query: QUERY,
			answers: {
				200: {
					description: 'What was found.',
					content: {
						...jsonOrXml(listOf(LISTED_METADATA)),
						'text/csv': { schema: Type.String(), example: LISTED_EXAMPLE_CSV },
					},
				},
			},
			failures: ['association-target-invalid'],
			handler: async (request, reply) => {
				const { principal } = request;
				const { ref, from = 0, num, merchantId, format } = request.query;
				const merchant = merchantId ? await findRelatedMerchant({ identity, vault }, principal, merchantId) : undefined;
				const isCsv = format === 'csv';
				const most = num ?? (isCsv ? Number.POSITIVE_INFINITY : DEFAULT_NUM);
				const query = {
					from,
					num: most,
					reference: findSearchText(ref),
					merchantId: merchant,
				};
				const batches = listed(vault.walk(principal.ownerId, query), writerFor(principal.ownerId));
				if (!isCsv) {
					const wanted = format === 'json' || format === 'xml' ? format : undefined;
					return answerList(request, reply, batches, { ...METADATA_SHAPE, num: most, format: wanted });
				}
				const details = { from, num: num ?? 'all' };
				await names.load([principal.ownerId]);
				const subject = `account ${names.find(principal.ownerId)}`;
				await audit.record({ actor: actorOf(principal), action: 'card.export', subject, details });
				return answerCsv(reply, batches, Object.keys(LISTED_METADATA.example));
			},
		}),
		defineCall('GET', `/api/payments/paycard/${TOKEN_IN_PATH}/meta`, {
			summary: 'Metadata of a token',
			description: 'Everything but the number.',
			tag: 'tokens',
			needs: { permission: 'QueryTokens' },
			params: TOKEN_PATH,
			returns: METADATA,
			handler: async (request) => {
				const { ownerId } = request.principal;
				const metadata = await vault.findMetadata(ownerId, pathToken(request.params));
				if (!metadata) throw new ServiceError('token-not-accessible');
				checkKind(metadata.kind, PAYMENT_KINDS);
				return await writerFor(ownerId).write(metadata);
			},
		}),
		defineCall('DELETE', `/api/payments/paycard/${TOKEN_IN_PATH}`, {
			summary: 'Delete a token',
			description: 'With its card. Only the owner may; a second call is a 404 and changes nothing.',
			tag: 'tokens',
			needs: { permission: 'DeleteToken' },
			params: TOKEN_PATH,
			handler: async (request, reply) => {
				const { ownerId } = request.principal;
				const token = pathToken(request.params);
				const outcome = await vault.remove(ownerId, token, {
					actor: actorOf(request.principal),
					action: 'card.delete',
				});
				// This call reports that a token does not exist before it checks who owns it, unlike every other call
				// (spec §7.4).
				if (outcome === 'absent')
					throw new ServiceError('uri-not-found', { field: 'cardToken', problem: 'no such token' });
				if (outcome === 'not-owner') throw new ServiceError('token-not-accessible');
				if (outcome === 'other-kind') throw otherKind();
				return reply.send();
			},
		}),
	];
}

async function* listed(batches: AsyncIterable<TokenMetadata[]>, writer: MetadataWriter) {
	const slices = new Slices();
	for await (const batch of batches) {
		// A batch is read at once but written in small pieces of a few milliseconds each, so that other work gets its turn.
		for (let at = 0; at < batch.length; at += WRITTEN_TOGETHER) {
			yield writer.writeAll(batch.slice(at, at + WRITTEN_TOGETHER));
			await slices.giveWay();
		}
	}
}

const LISTED_EXAMPLE_CSV = `${Object.keys(LISTED_METADATA.example).join(',')}\r\n${CREATED},Visa,1111,411111,2030,04,,agency,,,${TOKEN_URI},${CVV_ENDS},true,,partner,\r\n`;
