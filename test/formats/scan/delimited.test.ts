import test from 'ava';
import fc from 'fast-check';
import { csv } from '../../../formats/csv.ts';
import { gbt } from '../../../formats/gbt.ts';
import { simplecsv } from '../../../formats/simplecsv.ts';
import { FileError, Findings } from '../../../src/engine/format.ts';
import { fixtureCases } from '../../helpers/fixture-cases.ts';
import { runs } from '../../helpers/runs.ts';
import { type ScannedFinding, scanAll } from '../../helpers/scan.ts';

const NUMBER = '4111111111111111';

function scanCsv(text: string, config: Record<string, unknown>): ScannedFinding[] {
	return scanAll(csv, csv.options.parse(config), Buffer.from(text, 'latin1'));
}

const fixtures = [csv, simplecsv, gbt].flatMap((format) =>
	fixtureCases(format.filter).map((fixture) => ({ format, fixture, options: format.options.parse(fixture.config) })),
);
const valid = fixtures.filter(({ fixture }) => fixture.error === undefined);

test('a card has all its fields, blanks around them left out', (t) => {
	const text = `CardNumber,ExpirationMonth,ExpirationYear,CVV,CardType,NameOnCard,Reference\n ${NUMBER} , 12, 2029 , 123 , Visa , M DUPONT , R-1 \n`;
	const [finding] = scanAll(simplecsv, simplecsv.options.parse({}), Buffer.from(text));
	t.like(finding, {
		record: 2,
		line: 2,
		expiry: 202912,
		shape: 'plain',
		isEscaped: false,
		number: { raw: NUMBER },
		cvv: { raw: '123' },
		type: { raw: 'Visa' },
		name: { raw: 'M DUPONT' },
		reference: { raw: 'R-1' },
	});
});

const codes = test.macro({
	exec(t, text: string, expected: readonly (readonly [cvv?: string, type?: string])[]) {
		const found = scanAll(csv, csv.options.parse({}), Buffer.from(text)).map(({ cvv, type }) => [cvv?.raw, type?.raw]);
		t.deepEqual(found, expected);
	},
	title: (what) => `in a column of card codes, ${what}`,
});
test(
	'each row has a CVV or a type',
	codes,
	`card_num,card_code\n${NUMBER},123\n${NUMBER},VI\n${NUMBER},"1234"\n${NUMBER},***\n`,
	[
		['123', undefined],
		[undefined, 'VI'],
		['1234', undefined],
		['***', undefined],
	],
);
test('no row has a CVV if another column has it', codes, `card_num,card_code,cvv\n${NUMBER},123,456\n`, [
	['456', '123'],
]);
test('a column of types keeps its meaning', codes, `card_num,card_type,card_code\n${NUMBER},Visa,123\n`, [
	['123', 'Visa'],
]);

test('records count rows and the header; lines count line ends inside quotes; empty lines and comments are no records', (t) => {
	const text = `#x\n\nNote,Card\r\n"a\nb\rc\r\nd",${NUMBER}\r\n\r#\r"\n${NUMBER}",5555555555554444\n`;
	const findings = scanCsv(text, { comment: '#', columns: { cardNumber: { name: 'Card' } }, delimiter: ',' });
	t.deepEqual(
		findings.map(({ record, line }) => [record, line]),
		[
			[2, 7],
			[3, 11],
		],
	);
});

test('a number stands on its own line when its cell begins with line ends', (t) => {
	const [finding] = scanCsv(`Card\n"\r\n\n${NUMBER}\n"\n`, { columns: { cardNumber: { name: 'Card' } } });
	t.like(finding, { record: 2, line: 4, number: { raw: NUMBER } });
});

test('isEscaped is set when a span holds escapes, not for wrappers outside of it', (t) => {
	const config = { columns: { cardNumber: { name: 'Card' }, nameOnCard: { name: 'Name' } } };
	const text = `Name,Card\n"A ""B""",${NUMBER}\nA,"=""${NUMBER}"""\n"A","${NUMBER}"\n`;
	t.deepEqual(
		scanCsv(text, config).map(({ isEscaped }) => isEscaped),
		[true, false, false],
	);
});

test('findings of one row come in the order of their numbers, whatever the order of the groups', (t) => {
	const groups = [3, 0, 2].map((index) => ({ cardNumber: { index } }));
	const findings = scanCsv('1,2,3,4\n', { header: false, groups });
	t.deepEqual(
		findings.map(({ number }) => number.raw),
		['1', '3', '4'],
	);
});

test('month and year are read where the cell of the whole date is empty', (t) => {
	const text = `Credit Card Number,Card Expiry,Exp Month,Exp Year\n${NUMBER},,01,2020\n${NUMBER},12/29,01,2020\n`;
	t.deepEqual(
		scanCsv(text, {}).map(({ expiry }) => expiry),
		[202001, 202912],
	);
});

test('a row with an expiry or a CVV is not one of totals, whatever the guest is called', (t) => {
	const guests = ['Total', 'Sub', 'End', 'T'];
	const text = `Guest,Card Number,Expiry,CVV,Note\n${guests.map((guest) => `${guest},3.78282E+14,12/29,,x\n`).join('')}`;
	t.deepEqual(
		scanCsv(text, {}).map(({ number }) => number.raw),
		guests.map(() => '3.78282E+14'),
	);
	t.deepEqual(
		scanCsv('Guest,Card Number,Expiry,CVV,Note\nEnd,37828,,123,x\n', {}).map(({ number, cvv }) => [
			number.raw,
			cvv?.raw,
		]),
		[['37828', '123']],
	);
	t.deepEqual(scanCsv('Guest,Card Number,Expiry,CVV,Note\nTotal,37828,,,x\n', {}), []);
});

test('a file that is not of the layout is refused without showing what stands in it', (t) => {
	const text = `${NUMBER},12/29,123\n5555555555554444,12/29,456\n`;
	for (const config of [{}, { columns: { cardNumber: { name: 'Card' } } }, { columns: { cardNumber: { index: 0 } } }]) {
		const error = t.throws(() => scanCsv(text, config), { instanceOf: FileError });
		t.notRegex(JSON.stringify([error.message, error.at]), /4111|5555|123/);
	}
});

test('the error of a missing column names the column and the header', (t) => {
	const error = t.throws(() => scanCsv('Karte;Betrag\n', { columns: { cardNumber: { name: 'PAN' } } }), {
		instanceOf: FileError,
		message: 'the header has no column "PAN"; it holds the columns "Karte", "Betrag"',
	});
	t.deepEqual(error.at, { offset: 0, line: 1, record: 1, field: 'PAN' });
});

test('any windows give the findings of the whole file, for every fixture', (t) => {
	const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
	fc.assert(
		fc.property(
			fc.constantFrom(...valid),
			sizes,
			fc.boolean(),
			({ format, fixture, options }, windowSizes, endsLate) => {
				const whole = scanAll(format as typeof csv, options as never, fixture.bytes);
				const cut = scanAll(format as typeof csv, options as never, fixture.bytes, { windowSizes, endsLate });
				if (JSON.stringify(whole) !== JSON.stringify(cut)) throw new Error(`${fixture.filter}/${fixture.name} differs`);
			},
		),
		{ numRuns: runs(600) },
	);
	t.pass();
});

test('rows after the head of the file do not depend on the windows either', (t) => {
	const filler = `x,"a\r\n""b""",${NUMBER},12/29\r\ny,,,\r`;
	const bytes = Buffer.from(`Id,Note,Card,Exp\r\n${filler.repeat(400)}`);
	const options = csv.options.parse({ columns: { cardNumber: { name: 'Card' }, expiry: { name: 'Exp' } } });
	const whole = scanAll(csv, options, bytes);
	t.is(whole.length, 400);
	for (const windowSizes of [[1], [2, 3], [63], [4096, 1]])
		t.deepEqual(scanAll(csv, options, bytes, { windowSizes }), whole);
});

test('a file cut anywhere is a valid shorter file or a FileError that names a position in it', (t) => {
	for (const { format, fixture, options } of valid) {
		const whole = scanAll(format as typeof csv, options as never, fixture.bytes).map(({ number }) => number.offset);
		for (let length = 0; length < fixture.bytes.length; length++) {
			try {
				const found = scanAll(format as typeof csv, options as never, fixture.bytes.subarray(0, length));
				// The last cell may be cut within its wrapper, so its own number may begin elsewhere.
				const before = found.slice(0, -1).map(({ number }) => number.offset);
				t.deepEqual(before, whole.slice(0, before.length));
				t.true(found.length <= whole.length);
			} catch (error) {
				if (!(error instanceof FileError)) throw error;
				t.true(error.at.offset <= length);
			}
		}
	}
});

test('bytes before and after the window mean nothing', (t) => {
	const text = `CardNumber\n${NUMBER}`;
	const around = Buffer.from(`99"9${text}999"\n`);
	const found = new Findings();
	const scanner = simplecsv.scanner(simplecsv.options.parse({}), 'tokenize');
	t.is(scanner.scan(around, 4, 4 + text.length, true, found), 4 + text.length);
	t.is(found.length, 1);
	t.like(found.items[0], { numberStart: 15, numberEnd: 31 });
});

test('an incomplete row is left for the next window, a CR at the end too', (t) => {
	const options = csv.options.parse({ header: false, delimiter: ',', columns: { cardNumber: { index: 0 } } });
	const scanner = csv.scanner(options, 'tokenize');
	const bytes = Buffer.from(`${'x\n'.repeat(3000)}${NUMBER}\r`);
	const found = new Findings();
	t.is(scanner.scan(bytes, 0, bytes.length, false, found), 6000);
	found.truncate(0);
	t.is(scanner.scan(bytes, 6000, bytes.length, true, found), bytes.length);
	t.is(found.items[0].record, 3001);
});
