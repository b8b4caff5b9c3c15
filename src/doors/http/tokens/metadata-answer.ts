// Writes the metadata of tokens in the form of answers (shapes §3): everything except the number.

import type { AccountId } from '../../../base/database/ids.ts';
import type { AccountNames } from '../../../people/identity/accounts/account-names.ts';
import type { TokenMetadata } from '../../../vault/tokens/token-metadata.ts';
import { expiryParts } from './card-body.ts';
import type { ListedMetadata, Metadata, VirtualInfo } from './schemas.ts';
import { tokenUri } from './token-uri.ts';

export type MetadataWriter = ReturnType<typeof metadataWriter>;

/**
 * Writes the metadata of tokens for one account, which gets the answer.
 * @param readerId is the primary account that gets the answer. If it does not own a token, it does not see which other
 * merchants the token is associated with.
 */
export function metadataWriter(parts: { names: AccountNames; baseUrl: string; readerId: AccountId }) {
	const { names, baseUrl, readerId } = parts;
	const listed = (metadata: TokenMetadata): ListedMetadata => {
		const { token, expiry, cvvEndsAt, virtual, accountId } = metadata;
		const date = expiry > 0 ? expiryParts(expiry) : null;
		const isOwner = accountId === readerId;
		const merchants = isOwner ? metadata.merchantIds : metadata.merchantIds.filter((id) => id === readerId);
		return {
			CreateDate: metadata.createdAt.toISOString(),
			CardType: metadata.cardType,
			LastDigits: metadata.lastDigits,
			LeadingDigits: metadata.leadingDigits,
			ExpirationYear: date?.Year ?? null,
			ExpirationMonth: date?.Month ?? null,
			OwnerID: metadata.owner,
			UserID: names.find(metadata.creatorId),
			IssueNumber: metadata.issueNumber,
			OwnerName: metadata.nameOnCard,
			URI: tokenUri(baseUrl, token),
			EndRetentionDate: cvvEndsAt?.toISOString() ?? null,
			CvvExists: cvvEndsAt !== null,
			VirtualInfo: virtual === null ? null : (JSON.parse(virtual) as VirtualInfo),
			AssociatedMerchants: merchants.flatMap((id) => names.find(id) ?? []),
			AssociatedProperties: [],
		};
	};
	const writeAll = async (batch: readonly TokenMetadata[]): Promise<ListedMetadata[]> => {
		await names.load(batch.flatMap(({ creatorId, merchantIds }) => [creatorId, ...merchantIds]));
		return batch.map(listed);
	};
	return {
		writeAll,
		async write(metadata: TokenMetadata): Promise<Metadata> {
			return { CreatorReference: metadata.reference, ...(await writeAll([metadata]))[0] };
		},
	};
}
