// Reads data blocks from requests and writes them into answers (shapes §3). A data block is a text of the caller that
// is stored sealed, in pages like those of cards but separate from them.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { AccountNames } from '../../../people/identity/accounts/account-names.ts';
import { MAX_TEXT_BYTES, type RecordFields } from '../../../vault/pages/record-codec.ts';
import type { TokenMetadata } from '../../../vault/tokens/token-metadata.ts';
import type { Members } from '../input/members.ts';
import type { DataBlockOrder } from './data-block-schema.ts';

export const DATA_BLOCK_PATH = '/api/datablocks';

/**
 * Returns the record that stores the payload of a body.
 * @throws ServiceError if the payload is invalid
 */
export function readPayload(body: Members<DataBlockOrder>): RecordFields {
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

/**
 * Checks that the caller owns a data block. For any other account the data block does not exist.
 * @throws ServiceError
 */
export function checkOwner(metadata: TokenMetadata | undefined, ownerId: TokenMetadata['accountId']): TokenMetadata {
	if (metadata?.accountId !== ownerId) throw new ServiceError('token-not-accessible');
	return metadata;
}
