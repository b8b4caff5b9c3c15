// Data blocks in requests and answers (shapes §3): sealed texts of the caller, in pages like those of cards but
// separate.

import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import { MAX_TEXT_BYTES, type RecordFields } from '../../vault/record-codec.ts';
import type { TokenMetadata } from '../../vault/token-metadata.ts';
import type { Members } from '../input/members.ts';
import type { AccountNames } from './account-names.ts';
import type { DataBlockOrder } from './data-block-schema.ts';

export const DATA_BLOCK_PATH = '/api/datablocks';

/** Returns the record of a payload. @throws ServiceError */
export function readPayload(body: Members<DataBlockOrder>): RecordFields {
	const text = body.getVerbatim('Payload');
	const payload = Buffer.from(text.toWellFormed());
	if (payload.length > MAX_TEXT_BYTES) throw body.problem('Payload', `larger than ${MAX_TEXT_BYTES} bytes`);
	// Payloads are returned to the caller; cards never are.
	if (holdsCardNumber(text)) throw body.problem('Payload', 'looks like it holds a card number: store cards as cards');
	return {
		...{ kind: 'data-block', shape: 'plain', expiry: 0, type: 0 },
		digits: Buffer.alloc(0),
		digitCount: 0,
		spelling: payload,
		...{ name: null, issueNumber: null, owner: null },
	};
}

/** Returns the items of the list, never with the payload. */
export async function dataBlockItems(
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

/** For anybody but its owner a data block does not exist. */
export function checkOwner(metadata: TokenMetadata | undefined, ownerId: TokenMetadata['accountId']): TokenMetadata {
	if (metadata?.accountId !== ownerId) throw new ServiceError('token-not-accessible');
	return metadata;
}
