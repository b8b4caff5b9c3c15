import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { csvOf } from '../../doors/http/negotiation/list-answer.ts';
import { metadataWriter } from '../../doors/http/tokens/metadata-answer.ts';
import type { Metadata } from '../../doors/http/tokens/schemas.ts';
import { AccountNames } from '../../people/identity/accounts/account-names.ts';
import type { TokenMetadata } from '../../vault/tokens/token-metadata.ts';
import { accountDirectory } from '../opening/account-directory.ts';
import { openCommandVault } from '../opening/command-vault.ts';
import { type CommandOpening, openCommandParts } from '../opening/open-parts.ts';

/** The columns of the table. All except `Token` are called as the HTTP interface calls the metadata of a card. */
const COLUMNS = [
	'Token',
	...['CreateDate', 'CardType', 'LeadingDigits', 'LastDigits', 'ExpirationMonth', 'ExpirationYear', 'OwnerName'],
	...['OwnerID', 'UserID', 'IssueNumber', 'EndRetentionDate', 'CvvExists', 'AssociatedMerchants'],
	'CreatorReference',
] as const satisfies readonly ('Token' | keyof Metadata)[];

/** Writes an account's tokens with their metadata as CSV, oldest first, and returns how many. The stream stays open. */
export async function exportTokens(context: CommandOpening, userId: string, stream: Writable) {
	const parts = await openCommandParts(context);
	const { identity, audit, actor } = parts;
	const account = await identity.accounts.get(userId);
	const { ownerId } = await accountDirectory(identity).getAccount(account.id);
	const vault = await openCommandVault(parts, context);
	const writer = metadataWriter({ names: new AccountNames(identity.accounts), baseUrl: '', readerId: ownerId });
	let tokens = 0;
	/** Counts tokens that are not in the table, because their page of the vault is damaged. */
	let leftOut = 0;
	const query = { from: 0, num: Number.POSITIVE_INFINITY };
	const rows = async function* () {
		const batches = vault.walk(ownerId, query, (damaged) => {
			leftOut += damaged;
		});
		for await (const batch of batches) {
			tokens += batch.length;
			const listed = await writer.writeAll(batch);
			yield listed.map((each, index) => ({ ...each, ...namedBy(batch[index]) }));
		}
	};
	await audit.record({ actor, action: 'card.export', subject: `account ${userId}`, details: { from: 0, num: 'all' } });
	await pipeline(csvOf(rows(), COLUMNS), stream, { end: false });
	return { tokens, leftOut };
}

function namedBy({ token, reference }: TokenMetadata) {
	return { Token: token, CreatorReference: reference };
}
