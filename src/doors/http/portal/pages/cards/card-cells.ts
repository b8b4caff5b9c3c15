import type { AccountId } from '../../../../../base/database/ids.ts';
import { AccountNames } from '../../../../../people/identity/accounts/account-names.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';

/** Returns the first six and the last four digits of a card number, or the kind of a record that has no number. */
export function maskedNumber({ leadingDigits, lastDigits, kind }: TokenMetadata): string {
	return leadingDigits === null ? kind : `${leadingDigits}…${lastDigits}`;
}

/** Returns a function that gives the user IDs of the accounts that have stored these cards or may use them. */
export async function namesOf(
	{ accounts }: Pick<Identity, 'accounts'>,
	cards: readonly TokenMetadata[],
): Promise<(id: AccountId) => string> {
	const names = new AccountNames(accounts);
	await names.load(cards.flatMap(({ creatorId, merchantIds }) => [creatorId, ...merchantIds]));
	return (id) => names.find(id) ?? '?';
}
