import test from 'ava';
import { FILTERS, ROW, read } from './delimited-wide-header.setup.ts';

for (const filter of FILTERS) {
	test(`${filter}: a header row of 500 KB that names a card number in every column is refused with a reason`, (t) => {
		for (const name of ['CardNumber,', 'Card Number 1,', 'CardNumber\t', 'Tarjeta,']) {
			const refusal = read(filter, `${name.repeat(500_000 / name.length)}\r\n${ROW}`);
			t.regex(String(refusal), /^the row has more than 2048 columns/);
		}
	});

	test(`${filter}: a number in any cell of a wide row is seen, also where its names are not read`, (t) => {
		for (const before of [10, 3_000, 12_000]) {
			const refusal = read(filter, `${'Guest,'.repeat(before)}4111111111111111,${'x,'.repeat(100)}\r\n${ROW}`);
			t.regex(String(refusal), /^the file has no header row/, String(before));
		}
	});

	test(`${filter}: more card numbers in a row than can be designated are refused with a reason`, (t) => {
		const refusal = read(filter, `${'CardNumber,'.repeat(101)}\r\n${ROW}`);
		t.is(refusal, 'the header names more than 100 columns as card numbers');
		t.is(read(filter, `CardNumber,${'x,'.repeat(2000)}\r\n${ROW}`), 1);
	});
}
