import test from 'ava';
import { type NamingRule, resolveNames } from '../../../formats/scan/delimited/header/aliases.ts';
import { resolveMapping } from '../../../formats/scan/delimited/header/mapping.ts';
import { HeaderName } from '../../../formats/scan/delimited/header/name.ts';

const header = (...names: string[]) => names.map((name) => new HeaderName(Buffer.from(name)));

const rule: NamingRule = { within: 10 };

/** Checks which columns a header gives to each card, written as "number: field=column …". */
const resolved = test.macro({
	exec(t, names: string[], expected: string[]) {
		const resolution = resolveNames(rule, header(...names));
		if (!('cards' in resolution)) return t.fail(resolution.problem);
		const described = resolution.cards.map(({ number, ...others }) => {
			const fields = Object.entries(others).filter(([, column]) => typeof column === 'number' && column >= 0);
			return [`${number}:`, ...fields.map(([field, column]) => `${field}=${column}`)].join(' ');
		});
		return t.deepEqual(described, expected);
	},
	title: (what) => `header columns: ${what}`,
});

test('case and separators do not count', resolved, ['CARD_number', 'expiry.DATE'], ['0: expiry=1']);
test(
	'an expiry belongs to the number on its left',
	resolved,
	['FOP Number', 'Expiry Date', 'BTA Account Number'],
	['0: expiry=1', '2:'],
);
test(
	'an expiry before every number belongs to the first',
	resolved,
	['Expiry Date', 'Card Number', 'FOP Number'],
	['1: expiry=0', '2:'],
);
test(
	'the same stem wins over the neighbour',
	resolved,
	['Card Number', 'Billing Account Number', 'Card Expiry Date'],
	['0: expiry=2', '1:'],
);
test(
	'a stem before an alias makes a name of its own',
	resolved,
	['Billing Account Number', 'Card Number', 'Billing Account Expiry Month', 'Billing Expiry Year', 'Expiry Date'],
	['0: month=2 year=3', '1: expiry=4'],
);
test('a stem of no number is another field', resolved, ['Card Number', 'Passport Expiry Date'], ['0:']);
test(
	'numbers of the same name each have their own expiry',
	resolved,
	['Card Number', 'Card Expiry Date', 'Card Number', 'Card Expiry Date'],
	['0: expiry=1', '2: expiry=3'],
);
test('a month without a year is left out', resolved, ['Card Number', 'Expiry Month'], ['0:']);
test('the first of two expiries counts', resolved, ['Card Number', 'Expiry Date', 'Expiration Date'], ['0: expiry=1']);
test(
	'of equal expiries, that before every number is another thing’s',
	resolved,
	['Passport No', 'Expiry Date', 'Card Number', 'Expiry Date', 'CVV'],
	['2: expiry=3 cvv=4'],
);
test(
	'of equal months and years, those before every number are another thing’s',
	resolved,
	['Exp Month', 'Exp Year', 'Card Number', 'Exp Month', 'Exp Year'],
	['2: month=3 year=4'],
);
test(
	'a whole date and a pair of month and year are both kept',
	resolved,
	['Card Number', 'Card Expiry', 'Exp Month', 'Exp Year'],
	['0: expiry=1 month=2 year=3'],
);
test(
	'fields belong to a number in clear and not to a masked one beside it',
	resolved,
	['Card Number', 'Card Number Clear', 'Expiry', 'CVV'],
	['0:', '1: expiry=2 cvv=3'],
);
test(
	'type, name and CVV',
	resolved,
	['Card Type', 'Card Number', 'CID', 'Cardholder Name'],
	['1: cvv=2 type=0 name=3'],
);

test(
	'fields go to the number of their ordinal, however the names differ otherwise',
	resolved,
	['BTA Account Number 1', 'Credit Card Number 2', 'CC CVV 2', 'CVV/CVC 1'],
	['0: cvv=3', '1: cvv=2'],
);

test(
	'digits of a name that are no ordinal are passed over',
	resolved,
	['BTA Account Number 1', 'Credit Card Number 2', 'CVV (3 digits) 2', 'CAV2 1'],
	['0: cvv=3', '1: cvv=2'],
);
test(
	'a word for a card with an ordinal is a number beside one with another ordinal',
	resolved,
	['Tarjeta 2', 'Núm. tarjeta 1', 'CVV 2', 'CVV 1'],
	['0: cvv=2', '1: cvv=3'],
);
test(
	'words for a card with an ordinal each are numbers',
	resolved,
	['Carte 1', 'CVV 1', 'Carte 2', 'CVV 2'],
	['0: cvv=1', '2: cvv=3'],
);

test('a second CVV column of one number is refused, for its codes would stay in clear', (t) => {
	const resolve = (...names: string[]) => resolveNames(rule, header(...names));
	t.like(resolve('Card Number', 'CVV', 'CID'), { isCertain: true });
	t.like(resolve('Card Number', 'CVV', 'BTA Account Number', 'CID'), { cards: [{ cvv: 1 }, { cvv: 3 }] });
});

test('names of an account take the place of the vocabulary’s for their field', (t) => {
	const own = { cvv: ['Geheim'], cardNumber: ['Konto'] };
	const resolution = resolveNames({ ...rule, own }, header('Konto', 'Card Number', 'CVV', 'GEHEIM', 'Expiry Date'));
	t.like(resolution, { cards: [{ number: 0, cvv: 3, expiry: 4 }], isSure: true });
	t.deepEqual('unused' in resolution && resolution.unused, [
		{ index: 1, field: 'number' },
		{ index: 2, field: 'cvv' },
	]);
});

test('a name of an account after the words of a number belongs to it', (t) => {
	const names = header('Billing Account Number', 'BTA Number', 'Billing Ablauf', 'Ablauf', 'Passport Ablauf');
	t.like(resolveNames({ ...rule, own: { expiry: ['Ablauf'] } }, names), {
		cards: [
			{ number: 0, expiry: 2 },
			{ number: 1, expiry: 3 },
		],
	});
});

const column = (name: string) => [{ cardNumber: { name } }];
const umlaut = 'Prüfziffer';

test('a configured name fits bytes of Latin-1, UTF-8 and Windows-1252', (t) => {
	for (const bytes of [Buffer.from(umlaut), Buffer.from(umlaut, 'latin1'), Buffer.from(umlaut.normalize('NFD'))]) {
		t.like(resolveMapping(column(umlaut), [new HeaderName(bytes)]), { cards: [{ number: 0 }] });
	}
	const euro = new HeaderName(Buffer.from([0x80, 0x20, 0x96]));
	t.like(resolveMapping(column('€ –'), [euro]), { cards: [{ number: 0 }] });
});

test('an exact name wins over one in another case, and another case will do', (t) => {
	t.like(resolveMapping(column('Card'), header('CARD', 'Card')), { cards: [{ number: 1 }] });
	t.like(resolveMapping(column('card no'), header('x', 'CARD_NO.')), { cards: [{ number: 1 }] });
});

test('a name that fits two columns fits none', (t) => {
	t.like(resolveMapping(column('Card'), header('Card', 'Card')), { field: 'Card' });
	t.like(resolveMapping(column('card'), header('Card', 'CARD')), { field: 'card' });
});

test('two groups cannot share a number column', (t) => {
	const groups = [{ cardNumber: { index: 0 } }, { cardNumber: { name: 'Card' } }];
	t.like(resolveMapping(groups, header('Card')), { problem: 'two groups name the same column for the card number' });
});

test('no two groups share a CVV column, and none has number and CVV in one; an expiry may be shared', (t) => {
	const group = (number: number, cvv: number) => ({
		cardNumber: { index: number },
		expiry: { index: 9 },
		cvv: { index: cvv },
	});
	t.like(resolveMapping([group(0, 2), group(1, 2)], []), { problem: 'two groups name the same column for the CVV' });
	const both = { problem: 'one column is named for both a card number and a CVV' };
	t.like(resolveMapping([group(0, 0)], []), both);
	t.like(resolveMapping([group(0, 1), group(1, 2)], []), both);
	t.like(resolveMapping([group(0, 2), group(1, 3)], []), { cards: [{ expiry: 9 }, { expiry: 9 }] });
});
