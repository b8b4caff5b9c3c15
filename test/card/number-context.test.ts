import test from 'ava';
import { readWords } from '../../src/base/card/names/field-name-words.ts';
import { isOtherThing, mayBeOtherThing } from '../../src/base/card/names/number-context.ts';
import { PURPOSE_WORDS } from '../../src/base/card/names/purpose-words.ts';

const VISA_13 = '4222222222222';

const isOther = (spelling: string, around: { name?: string; tag?: string; before?: string; behind?: string }) => {
	const bytes = Buffer.from(spelling);
	const { name, tag, before = '', behind = '' } = around;
	return (
		mayBeOtherThing(bytes, 0, bytes.length) &&
		isOtherThing({ spelling, name: name ?? tag, isTag: tag !== undefined, before, behind })
	);
};

const NAMES = [
	...[
		'Mobile Phone',
		'mobilePhone',
		'Telefon',
		'TELEFONNUMMER',
		'Kundentelefon',
		'Tel.',
		'TelNr',
		'Handynummer',
		'teléfono',
	],
	...['Ticket Number', 'ticketnumber', 'E-Ticket', 'numero_de_billet', 'TKTNO', 'Flugscheinnummer', 'biglietto'],
	...['Frequent Flyer', 'frequentFlyerCardNumber', 'Vielfliegernummer', 'Loyalty Card No', 'FFP'],
	...['IBAN', 'customerIban', 'Kontonummer', 'Order No', 'orderNumber', 'Rechnungsnr.', 'Booking Reference', 'EAN'],
];
for (const name of NAMES) {
	test(`thirteen digits under the name ${name} are no card`, (t) => {
		t.true(isOther(VISA_13, { name }));
		t.false(isOther('4111111111111111', { name }));
		t.false(isOther('378282246310005', { name }));
		t.false(isOther('4222 222 222 222', { name }));
		t.false(isOther(VISA_13, { name, before: 'VISA ' }));
		t.false(isOther(VISA_13, { name, behind: '/1229' }));
		t.false(isOther(VISA_13, { name, behind: ' EXP 12/2029' }));
		t.false(isOther(VISA_13, { name, behind: ' CVV 123' }));
		t.false(isOther(VISA_13, { name, before: 'Zimmer 204, 1 ' }));
		t.false(isOther(VISA_13, { name, before: 'numéro ', behind: ', arrival late' }));
	});
}

test('a comment is no value of the element that it stands in', (t) => {
	t.true(isOther(VISA_13, { name: 'Booking', before: '2 x ' }));
	t.false(isOther(VISA_13, { name: 'Booking', before: '!--2 x ', behind: '/--' }));
});

for (const name of [
	'Reference',
	'Remark',
	'Card No',
	'Ticket Payment Card',
	'Order Card Number',
	'Border',
	'Hotel',
	'column 3',
	'Pedidos',
	'Comentario del cliente',
	'Order notes',
	'Booking remarks',
	'bookingInfo',
	'Kundenwunsch Hinweis',
	'Demandes client',
]) {
	test(`thirteen digits under the name ${name} may be a card`, (t) => t.false(isOther(VISA_13, { name })));
}

test('labels in text say what the number behind them is, if no other number is between', (t) => {
	for (const before of [
		'SSR CTCM LH  HK1/',
		'OSI YY CTCT ',
		'TEL.: ',
		'Ticket no. ',
		'M801E-TICKET ',
		'IBAN ',
		'order 12 ',
	]) {
		t.true(isOther(VISA_13, { before }), before);
	}
	for (const before of [
		'',
		'REF ',
		'HOTEL ',
		'TEL 0891234567 ',
		'TICKET FOR MRS MUSTER PAID BY HER OWN ',
		'CARD TEL ',
		'BORDER ',
	]) {
		t.false(isOther(VISA_13, { before }), before);
	}
});

test('the tag of a line counts as a whole, and only tags of lines do', (t) => {
	t.true(isOther(VISA_13, { tag: 'T-' }));
	t.true(isOther(VISA_13, { tag: 'AP' }));
	t.false(isOther(VISA_13, { tag: 'FP' }));
	t.false(isOther(VISA_13, { tag: 'RM' }));
	t.false(isOther(VISA_13, { tag: '' }), 'a line without a tag');
	t.false(isOther(VISA_13, { name: 'AP' }));
});

test('fourteen digits are a ticket with its check digit, and only in a place for tickets', (t) => {
	t.is(Number('3012345678901') % 7, 6);
	t.true(isOther('30123456789016', { name: 'Ticket' }));
	t.false(isOther('30123456789016', { name: 'Phone' }));
	t.false(isOther('30123456789010', { name: 'Ticket' }));
	t.true(isOther('4222222222222-23', { name: 'Ticket' }));
	t.false(isOther('4222222222222-23', { name: 'Phone' }));
});

test('no word of a purpose is one that names a field of a card', (t) => {
	const words = Object.values(PURPOSE_WORDS).flatMap(({ parts, words }) => `${parts} ${words}`.split(/\s+/));
	const kinds = words.flatMap((word) => readWords(word).map(({ kind }) => kind));
	t.deepEqual(
		kinds.filter((kind) => kind === 'card' || kind === 'pan' || kind === 'cvv' || kind === 'cardHolder'),
		[],
	);
});
