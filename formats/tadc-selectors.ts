import type { CardSelector } from './scan/markup-selectors.ts';

const EXPIRY_ELEMENTS = ['ExpirationDate', 'ExpireDate', 'ExpiryDate'];
const EXPIRY_STEMS = ['Expiration', 'Expire', 'Expiry'];

/** Any element or attribute of that name, at or below the container. */
const anywhere = (...names: string[]) => names.flatMap((name) => [`//${name}`, `//@${name}`]);
/** Only a child or an attribute of the container itself: the name alone does not say that a card is meant. */
const own = (...names: string[]) => names.flatMap((name) => [name, `@${name}`]);

const inExpiry = (part: string) =>
	EXPIRY_ELEMENTS.flatMap((name) => [`//${name}/${part}`, `//${name}/@${part}`]).concat(
		anywhere(...EXPIRY_STEMS.map((stem) => stem + part)),
	);

const FIELDS = {
	number: [...anywhere('CardNumber', 'CreditCardNumber', 'PAN'), '//CardNumber/PlainText'],
	expiry: anywhere(...EXPIRY_ELEMENTS),
	expiryMonth: inExpiry('Month'),
	expiryYear: inExpiry('Year'),
	cvv: anywhere('CVV', 'CVC', 'SeriesCode', 'SecurityCode'),
	type: anywhere('CardType', 'CardCode'),
	name: anywhere('NameOnCard', 'CardHolderName'),
	reference: [],
} satisfies CardSelector;

/** The built-in names (formats §5): cards in a card element, then cards that lie openly in any other element. */
export const DEFAULT_SELECTORS: readonly CardSelector[] = [
	{
		...FIELDS,
		container: ['PaymentCard', 'CreditCard', 'BankCard', 'Card', 'CreditCardInfo'],
		number: [...FIELDS.number, ...own('AccountNumber', 'Number')],
		type: [...FIELDS.type, ...own('Type')],
		reference: own('Reference'),
	},
	FIELDS,
];
