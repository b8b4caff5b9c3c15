import test from 'ava';
import { findReference } from '../../src/transfer/reference.ts';

const refused = test.macro({
	title: (_, text: string) => `${text} is no reference`,
	exec(t, text: string) {
		t.is(findReference(Buffer.from(text)), undefined);
	},
});
for (const text of [
	'4111111111111111',
	'4111-1111-1111-1111',
	'b 4111.1111.1111.1111',
	'4111_1111_1111_1111',
	'3782/822463/10005',
	'4111\u00a01111\u00a01111\u00a01111',
	'４１１１１１１１１１１１１１１１',
	'４１１１　１１１１－１１１１　１１１１',
	'٤١١١١١١١١١١١١١١١',
	'𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏',
	'५१०५१०५१०५१०५१००',
	'4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1',
	'4a1b1c1d1e1f1g1h1i1j1k1l1m1n1o1p',
	'4111\u200b1111\u200b1111\u200b1111',
])
	test(refused, text);

test('addresses, versions and times with points are references', (t) => {
	for (const text of [
		'192.168.100.200',
		'2026.11.21 18.34.55',
		'1.2.3.4.5.6.7.8.9.10.11.12',
		'PNR/2026/1121/0001',
		'予約２０２６',
	]) {
		t.is(findReference(Buffer.from(text)), text);
	}
});
