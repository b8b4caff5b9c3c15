import test from 'ava';
import { endOfDigits } from '../../src/base/card/ascii.ts';
import { findCodesBefore } from '../../src/base/card/spelling/code-before.ts';

/** Returns the codes before the number in a text: those that are only told have a question mark. */
function codesIn(text: string, number = '4111111111111111'): string[] {
	const bytes = Buffer.from(text + number);
	const numberStart = Buffer.byteLength(text);
	const codes: string[] = [];
	findCodesBefore(bytes, 0, numberStart, (_, code, isDoubtful) => {
		const digits = bytes.toString('latin1', code, endOfDigits(bytes, code, bytes.length));
		codes.push(isDoubtful ? `${digits}?` : digits);
	});
	return codes;
}

const found = test.macro({
	exec(t, code: string, ...texts: string[]) {
		for (const text of texts) t.deepEqual(codesIn(text), [code], text);
	},
	title: (_, code, ...texts) => `${code} before a number: ${texts.join('   ')}`,
});
test(found, '123', 'CVV: 123 card ', 'CVC 123, VISA ', '(CVV 123) ', 'Security code 123, card ', 'SEC CODE 123 VI ');
test(
	found,
	'123',
	'Sicherheitscode 123, Karte ',
	'Pr\u00fcfziffer: 123, Kreditkarte: ',
	'code de s\u00e9curit\u00e9 123 carte ',
);
test(
	found,
	'123',
	'c\u00f3digo de seguridad 123, tarjeta ',
	'codice di sicurezza 123 carta ',
	'beveiligingscode 123 kaart ',
);
test(found, '1234', 'CVV 1234 AX');
test(found, '123?', 'CID 123 AX', 'CSC 123 VI', 'card code 123 number ');
test(
	found,
	'123?',
	'123 CVV ',
	'123 (CVV) ',
	'123 is the CVV of ',
	'123 = cvv2, ',
	'123 SECURITY CODE ',
	'123 CVC VISA ',
);
test(found, '123?', '12/29 123 ', '12|29|123|', '123 12/29 ', '123|12|2029|', '1229/123/VISA ', 'x 12/29, 123, Visa: ');
test(found, '123?', '12/29\t123\t', "'12/29','123','", 'exp: 12/29, code: 123, number: ', '12/29 123 CARD NO: ');

test('digits before a number that nothing says to be a code are none', (t) => {
	for (const text of [
		...[
			'123 ',
			'room 123 VISA ',
			'booking 123 card ',
			'RATE CODE 123 VISA ',
			'12.29 EUR ',
			'tel 030 123 VI',
			'123 EUR ',
		],
		...[
			'CVV ',
			'CVV 12 card ',
			'CVV 12345 card ',
			'A123 CVV ',
			'1234 CVV ',
			'12/29 123 paid by the traveller with ',
			'1229 ',
		],
		...[
			'CVV 123.00 EUR card ',
			'123.00 CVV ',
			'CVV 123 card\n',
			'13/29 123 ',
			'12/19 123 ',
			'CVV 123 '.padEnd(80, 'x'),
		],
	])
		t.deepEqual(codesIn(text), [], text);
	t.deepEqual(codesIn('1234 CVV ', '378282246310005'), ['1234?']);
});
