import { CARD_TYPES } from '../../base/card/brand.ts';
import type { StoredRecord } from '../../vault/pages/record-codec.ts';
import type { OutgoingCard } from './selectors/selectors.ts';

/**
 * Returns a stored card in the form that third parties get: the number as digits only, month and year separately, and
 * the type by its name.
 */
export function outgoingCard(record: StoredRecord, securityCode?: string): OutgoingCard {
	const { digits, expiry, name, type } = record;
	return {
		number: digits.toString('latin1'),
		expiryMonth: expiry > 0 ? String(expiry % 100).padStart(2, '0') : undefined,
		expiryYear: expiry > 0 ? String(Math.floor(expiry / 100)) : undefined,
		nameOnCard: name?.toString('utf8'),
		securityCode,
		type: type === 0 ? undefined : CARD_TYPES[type],
	};
}
