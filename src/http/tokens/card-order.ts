// The sequence of a card in XML (shapes §2): order counts, and whoever breaks it is told which elements.

import { ServiceError } from '../../errors.ts';
import { maskBeginning } from '../../log/masked-beginning.ts';
import type { XmlElement } from '../input/xml-reader.ts';

const CARD_ELEMENTS = [
	...(['Type', 'Virtual', 'Number', 'NameOnCard', 'ExpirationDate', 'IssueNumber', 'OwnerID', 'CVV'] as const),
];
const EXPIRY_ELEMENTS = ['Month', 'Year'];
const MAX_NAME_CHARACTERS = 64;

/** @throws ServiceError `message-malformed` that lists the failing elements. */
export function checkCardOrder(root: XmlElement): void {
	if (!isNamed(root, 'BankCardDetails')) refuse(['BankCardDetails: expected as root']);
	const failing = misplaced(root, ['BankCard'], '');
	for (const card of root.children.filter((child) => isNamed(child, 'BankCard')).slice(0, 1)) {
		failing.push(...misplaced(card, CARD_ELEMENTS, 'BankCard.'));
		for (const child of card.children) {
			if (isNamed(child, 'ExpirationDate'))
				failing.push(...misplaced(child, EXPIRY_ELEMENTS, 'BankCard.ExpirationDate.'));
			else failing.push(...misplaced(child, [], `BankCard.${shown(child.name)}.`));
		}
		if (!card.children.some((child) => isNamed(child, 'Number'))) failing.push('BankCard.Number: missing');
	}
	if (root.children.length === 0) failing.push('BankCard: missing');
	if (failing.length > 0) refuse(failing);
}

/** Children that are not known here, come twice, or come after one that should follow them. */
function misplaced(parent: XmlElement, order: readonly string[], path: string): string[] {
	const failing: string[] = [];
	let highest = -1;
	for (const child of parent.children) {
		const place = order.findIndex((name) => isNamed(child, name));
		const name = `${path}${shown(child.name)}`;
		if (place === -1) failing.push(`${name}: not expected`);
		else if (place === highest) failing.push(`${name}: expected only once`);
		else if (place < highest) failing.push(`${name}: expected before ${order[highest]}`);
		highest = Math.max(highest, place);
	}
	return failing;
}

function isNamed(element: XmlElement, name: string): boolean {
	return element.name.toLowerCase() === name.toLowerCase();
}

/** The caller chose it: it may be long, or worse. */
function shown(name: string): string {
	return maskBeginning(name, MAX_NAME_CHARACTERS);
}

function refuse(failing: readonly string[]): never {
	throw new ServiceError('message-malformed', { moreInfo: failing.slice(0, 20).join('; ') });
}
