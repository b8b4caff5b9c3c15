// Writes the metadata of tokens in the form of answers (shapes §3): everything except the number.

import type { AccountId } from '../../../base/database/ids.ts';
import type { AccountNames } from '../../../people/identity/accounts/account-names.ts';
import type { TokenMetadata } from '../../../vault/tokens/token-metadata.ts';
import { expiryParts } from './card-body.ts';
import { tokenUri } from './token-uri.ts';
import type { VirtualInfo } from './virtual-card.ts';

/** The names of the XML elements that contain the metadata of a token and the items of the lists in it. */
export const METADATA_SHAPE = {
	root: 'CardMetadata',
	items: { AssociatedMerchants: 'MerchantId', AssociatedProperties: 'PropertyId' },
} as const;

/** The members of a token's metadata, named and ordered as in the specification. */
export interface ListedMetadata {
	readonly CreateDate: string;
	readonly CardType: string | null;
	readonly LastDigits: string | null;
	readonly LeadingDigits: string | null;
	readonly ExpirationYear: string | null;
	readonly ExpirationMonth: string | null;
	readonly OwnerID: string | null;
	readonly UserID: string | null;
	readonly IssueNumber: string | null;
	readonly OwnerName: string | null;
	readonly URI: string;
	readonly EndRetentionDate: string | null;
	readonly CvvExists: boolean;
	readonly VirtualInfo: VirtualInfo | null;
	readonly AssociatedMerchants: readonly string[];
	readonly AssociatedProperties: readonly string[];
}

export type Metadata = { readonly CreatorReference: string | null } & ListedMetadata;

/** Writes the metadata of tokens for one account, which gets the answer. */
export class MetadataWriter {
	readonly #names: AccountNames;
	readonly #baseUrl: string;
	readonly #readerId: AccountId;

	/**
	 * @param readerId is the primary account that gets the answer. If it does not own a token, it does not see which
	 * other merchants the token is associated with.
	 */
	constructor(options: { names: AccountNames; baseUrl: string; readerId: AccountId }) {
		this.#names = options.names;
		this.#baseUrl = options.baseUrl;
		this.#readerId = options.readerId;
	}

	async write(metadata: TokenMetadata): Promise<Metadata> {
		return { CreatorReference: metadata.reference, ...(await this.writeAll([metadata]))[0] };
	}

	/** Writes the metadata of the tokens in a list. The items of a list contain no reference (shapes §3). */
	async writeAll(batch: readonly TokenMetadata[]): Promise<ListedMetadata[]> {
		await this.#names.load(batch.flatMap(({ creatorId, merchantIds }) => [creatorId, ...merchantIds]));
		return batch.map((each) => this.#listed(each));
	}

	#listed(metadata: TokenMetadata): ListedMetadata {
		const { token, expiry, cvvEndsAt, virtual, accountId } = metadata;
		const date = expiry > 0 ? expiryParts(expiry) : null;
		const isOwner = accountId === this.#readerId;
		const merchants = isOwner ? metadata.merchantIds : metadata.merchantIds.filter((id) => id === this.#readerId);
		return {
			CreateDate: metadata.createdAt.toISOString(),
			CardType: metadata.cardType,
			LastDigits: metadata.lastDigits,
			LeadingDigits: metadata.leadingDigits,
			ExpirationYear: date?.Year ?? null,
			ExpirationMonth: date?.Month ?? null,
			OwnerID: metadata.owner,
			UserID: this.#names.find(metadata.creatorId),
			IssueNumber: metadata.issueNumber,
			OwnerName: metadata.nameOnCard,
			URI: tokenUri(this.#baseUrl, token),
			EndRetentionDate: cvvEndsAt?.toISOString() ?? null,
			CvvExists: cvvEndsAt !== null,
			VirtualInfo: virtual === null ? null : (JSON.parse(virtual) as VirtualInfo),
			AssociatedMerchants: merchants.flatMap((id) => this.#names.find(id) ?? []),
			AssociatedProperties: [],
		};
	}
}
