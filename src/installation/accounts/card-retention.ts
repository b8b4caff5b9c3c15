import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import type { Audit } from '../../trail/audit.ts';
import { retireCards } from '../../vault/cards/retire-cards.ts';

const DAY_MS = 86_400_000;

/**
 * Deletes the cards that are older than the retention set for their account. Each step has an entry in the audit trail
 * with the account, the number of cards, and the time before which they were stored. Returns how many cards were
 * deleted.
 */
export async function runCardRetention(parts: {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
}): Promise<number> {
	const { database, audit, clock } = parts;
	let retired = 0;
	for (const { id, user_id, cards_retention_days: days } of await accountStore(
		database.knex,
	).listWithCardsRetention()) {
		const before = new Date(clock.now().getTime() - days! * DAY_MS);
		retired += await retireCards(database, { accountId: id, before }, async (cards, transaction) => {
			await accountStore(transaction).addCardsRetired(id, cards);
			const details = { cards, days, storedBefore: before.toISOString() };
			const entry = { actor: 'daemon', action: 'cards.retention', subject: `account ${user_id}`, details };
			await audit.record(entry, transaction);
		});
	}
	return retired;
}
