// Tests that layouts of the trade that no filter reads are refused by their names, by whatever filter gets them.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import { FileError, Findings, type Format } from '../../src/engine/format.ts';

const scan = (filter: string, text: string, options: object = {}) => {
	const bytes = Buffer.from(text, 'latin1');
	const format = formats.get(filter) as Format<object>;
	format.scanner(format.options.parse(options), 'tokenize').scan(bytes, 0, bytes.length, true, new Findings());
};

const wide = (text: string) => text.padEnd(400);
const CDF3 =
	'<?xml version="1.0"?>\n<!-- export -->\n<CDFTransmissionFile xmlns="x"><AccountEntity AccountNumber="5555555555554444"/></CDFTransmissionFile>';
const LAYOUTS: readonly (readonly [name: string, text: string, message: RegExp])[] = [
	[
		'Galileo MIR',
		'T51G773392028070226824FEB210925 QR157QATAR AIRWAYS\r',
		/Galileo.*\(MIR\).*or ask your operator for the plugin GALILEOMIR/,
	],
	['Apollo MIR', 'T51V588092012340000122NOV261015 UA016UNITED\r', /MIR/],
	['MIR of Worldspan', '\u0002\r\nT51P123492012340000122NOV261015 DL006DELTA\r', /Worldspan.*MIR/],
	['BSP HOT', wide('BFH0000000101AMSAGE230PROD2611200922NL000001'), /BSP HOT.*BFH/],
	['BSP CSI', wide('CFH00000001AMSAGE230PROD2611200922NL'), /CSI/],
	['EDIFACT', "UNA:+.? '\r\nUNB+IATB:1+1ASRP+TTY+261120:0915+1'UNH+1+PNRGOV:11:1:IA'", /EDIFACT/],
	['EDIFACT without UNA', 'UNB+UNOA:4+A+B+261120:0915+1', /EDIFACT/],
	['KR1025', wide('0 123456789 987654321 KR01025001 20261120 20261121'), /American Express.*KR1025/],
	['GL1025', wide('0ACMECORPORATION    GL1025 20261120'), /American Express.*GL1025/],
	['GL1205', wide('0ACMECORPORATION    GL 1205 20261120'), /American Express.*GL1205/],
	['VCF', '8\t0000012345\t00001\t11202026\t5\t00012\r\n5\t4111111111111111\t11202026\r\n', /Visa Commercial Format/],
	['VCF with a set header', '6\t\t1\t11202026\t\t\r\n', /Visa Commercial Format/],
];

for (const filter of formats.keys()) {
	test(`${filter} refuses layouts that are not read by their names, with what to send instead`, (t) => {
		for (const [name, text, message] of LAYOUTS) {
			const error = t.throws(() => scan(filter, text), { instanceOf: FileError, message }, name);
			t.regex(error.message, /not read: (?:send|order) the same/);
			const offset = text.search(/[!-~]/);
			t.deepEqual(error.at, { offset, line: offset === 0 ? 1 : 2 }, name);
		}
		if (filter === 'TADC') t.notThrows(() => scan(filter, CDF3));
		else t.throws(() => scan(filter, CDF3), { message: /CDF3.*TADC/ });
		t.throws(() => scan(filter, `\ufeff${LAYOUTS[0][1]}`), { instanceOf: FileError });
	});
}

test('rows of a Visa feed whose columns the options designate are read', (t) => {
	const options = { header: false, delimiter: '\t', columns: { cardNumber: { index: 2 } } };
	t.notThrows(() => scan('CSV', LAYOUTS.find(([name]) => name === 'VCF')![1], options));
});

test('files that only begin alike are read', (t) => {
	for (const text of [
		'0,KR1025,Card Number\n',
		'Card Number,T51G7733920\n4111111111111111,x\n',
		'BFHX,Card Number\nx,4111111111111111\n',
		'8\tCard Number\n1\t4111111111111111\n',
	]) {
		t.notThrows(() => scan('CSV', text), text);
	}
});
