// Checks the order of the elements of a card in XML (shapes §2). The error lists every element that is out of order.

import { ServiceError } from '../../../base/errors.ts';
import { maskBeginning } from '../../../base/log/masked-beginning.ts';
import type { XmlElement } from '../input/xml-reader.ts';

const CARD_ELEMENTS = [
	...(['Type', 'Virtual', 'Number', 'NameOnCard', 'ExpirationDate', 'IssueNumber', 'OwnerID', 'CVV'] as const),
];
const EXPIRY_ELEMENTS = ['Month', 'Year'];
const MAX_NAME_CHARACTERS = 64;
const MAX_FAILING = 20;

/** Describes an element that is in the wrong place. */
interface Failing {
	readonly field: string;
	readonly problem: string;
}

/**
 * Checks that the elements of a card are known, occur once and are in the prescribed order.
 * @throws ServiceError `message-malformed` that lists the elements that are wrong
 */
export function checkCardOrder(root: XmlElement): void {
	if (!isNamed(root, 'BankCardDetails')) refuse([{ field: 'BankCardDetails', problem: 'expected as root' }]);
	const failing = misplaced(root, ['BankCard'], '');
	for (const card of root.children.filter((child) => isNamed(child, 'BankCard')).slice(0, 1)) {
		failing.push(...misplaced(card, CARD_ELEMENTS, 'BankCard.'));
		for (const child of card.children) {
			if (isNamed(child, 'ExpirationDate'))
				failing.push(...misplaced(child, EXPIRY_ELEMENTS, 'BankCard.ExpirationDate.'));
			else failing.push(...misplaced(child, [], `BankCard.${shown(child.name)}.`));
		}
		if (!card.children.some((child) => isNamed(child, 'Number')))
			failing.push({ field: 'BankCard.Number', problem: 'missing' });
	}
	if (root.children.length === 0) failing.push({ field: 'BankCard', problem: 'missing' });
	if (failing.length > 0) refuse(failing);
}

/**
 * Returns the children of an XML element that are wrong: those with an unknown name, those that occur a second time,
 * and those that come too late. `order` lists the known names in the prescribed order.
 */
function misplaced(parent: XmlElement, order: readonly string[], path: string): Failing[] {
	const failing: Failing[] = [];
	let highest = -1;
	for (const child of parent.children) {
		const place = order.findIndex((name) => isNamed(child, name));
		const field = `${path}${shown(child.name)}`;
		if (place === -1) failing.push({ field, problem: 'not expected' });
		else if (place === highest) failing.push({ field, problem: 'expected only once' });
		else if (place < highest) failing.push({ field, problem: `expected before ${order[highest]}` });
		highest = Math.max(highest, place);
	}
	return failing;
}

function isNamed(element: XmlElement, name: string): boolean {
	return element.name.toLowerCase() === name.toLowerCase();
}

/** Shortens and masks a name for an error text, because the caller's name may be long or contain a card number. */
function shown(name: string): string {
	return maskBeginning(name, MAX_NAME_CHARACTERS);
}

/** Throws the error about wrong elements. It names the first one as its field, and the others in its text. */
function refuse([first, ...others]: readonly Failing[]): never {
	const also = others.slice(0, MAX_FAILING - 1).map(({ field, problem }) => `; ${field}: ${problem}`);
	throw new ServiceError('message-malformed', { field: first.field, problem: `${first.problem}${also.join('')}` });
}
