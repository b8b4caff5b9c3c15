// The details of a virtual card (shapes §2). They are stored with it and shown in its metadata.

import type { Members } from '../input/members.ts';

/** Members are attributes in XML, so their names begin with `@`. */
export interface VirtualInfo {
	readonly '@isMultiuse'?: boolean;
	readonly '@currency'?: string;
	readonly '@maxAmount'?: string;
}

/** Reads the `Virtual` member of a card, if there is one. @throws ServiceError */
export function findVirtual(card: Members): VirtualInfo | undefined {
	const virtual = card.findObject('Virtual');
	if (!virtual) return undefined;
	const currency = virtual.findText('@currency');
	if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) {
		throw virtual.problem('@currency', 'expected three capital letters (ISO 4217)');
	}
	const maxAmount = virtual.findText('@maxAmount');
	if (maxAmount !== undefined && !/^\d{1,11}(\.\d{1,4})?$/.test(maxAmount)) {
		throw virtual.problem('@maxAmount', 'expected an amount');
	}
	const isMultiuse = virtual.findBoolean('@isMultiuse');
	return {
		...(isMultiuse !== undefined && { '@isMultiuse': isMultiuse }),
		...(currency !== undefined && { '@currency': currency }),
		...(maxAmount !== undefined && { '@maxAmount': maxAmount }),
	};
}
