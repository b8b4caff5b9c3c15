// Reads the details of a virtual card (shapes §2). They are stored with the card and shown in its metadata.

import type { Members } from '../input/members.ts';
import type { BankCard } from './card-schema.ts';
import type { VirtualInfo } from './schemas.ts';

/**
 * Reads the `Virtual` member of a card; undefined if the card has none.
 * @throws ServiceError if it is invalid
 */
export function findVirtual(card: Members<BankCard>): VirtualInfo | undefined {
	const virtual = card.findObject('Virtual');
	if (!virtual) return undefined;
	const currency = virtual.findText('@currency');
	const maxAmount = virtual.findText('@maxAmount');
	const isMultiuse = virtual.findBoolean('@isMultiuse');
	return {
		...(isMultiuse !== undefined && { '@isMultiuse': isMultiuse }),
		...(currency !== undefined && { '@currency': currency }),
		...(maxAmount !== undefined && { '@maxAmount': maxAmount }),
	};
}
