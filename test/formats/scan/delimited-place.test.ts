import test from 'ava';
import { csv } from '../../../formats/csv.ts';
import { simplecsv } from '../../../formats/simplecsv.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';

/** Returns the label of the place of every `needle`, read in windows as small as a row allows. */
function placesOf(format: Format<never>, options: object, text: string, needle: string): (string | undefined)[] {
	const bytes = Buffer.from(text);
	const scanner = format.scanner(format.options.parse(options), 'tokenize');
	const found = new Findings();
	const labels: (string | undefined)[] = [];
	let from = 0;
	for (let to = 1; to <= bytes.length; to++) {
		const settled = scanner.scan(bytes, from, to, to === bytes.length, found);
		for (let at = bytes.indexOf(needle, from); at >= 0 && at < settled; at = bytes.indexOf(needle, at + 1)) {
			labels.push(scanner.fieldAt!(bytes, from, at));
		}
		from = settled;
	}
	return labels;
}

const simple = simplecsv as unknown as Format<never>;
const own = csv as unknown as Format<never>;

test('a place is called by the name of its column', (t) => {
	const text = 'Title 555\nId,Card Number,"Loyalty, Card"\r\n555,x,"a ""555"""\r\n\r\n1,,\n"2\n555",4,5555,555\n';
	t.deepEqual(placesOf(simple, {}, text, '555'), [
		undefined,
		'Id',
		'Loyalty, Card',
		'Id',
		'Loyalty, Card',
		'Loyalty, Card',
		'column 4',
	]);
});

test('places are asked for in any order, and those in the last row first', (t) => {
	const bytes = Buffer.from(`Id,Card Number,Note\r\n${'1,"a\n2",3\r\n'.repeat(40)}1,"b\n2",9\r\n\r\n`);
	const scanner = simple.scanner(simple.options.parse({}), 'tokenize');
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	const columns = ['Id', 'Card Number', 'Note'];
	for (const needle of ['9', '1,"b', '1,"a', '3\r', '2",9', '2",3', '9']) {
		const column = columns['129'.indexOf(needle[0])] ?? 'Note';
		t.is(scanner.fieldAt!(bytes, 0, bytes.indexOf(needle)), column, needle);
	}
});

test('a place without a name, or whose name holds digits, is called by its number', (t) => {
	const options = { header: false, delimiter: ';', columns: { cardNumber: { index: 0 } } };
	t.deepEqual(placesOf(own, options, '1;777;3\n2;3;777\n', '777'), ['column 2', 'column 3']);
	t.deepEqual(placesOf(simple, {}, 'Card Number;Ref 4111;\n1;777;777\n', '777'), ['column 2', 'column 3']);
});

test('offsets may be asked for in any order', (t) => {
	const bytes = Buffer.from(`Card Number,A,B\n${'1,2,3\n'.repeat(50)}`);
	const scanner = simple.scanner(simple.options.parse({}), 'tokenize');
	t.is(scanner.hasCardPlace, false);
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	t.is(scanner.hasCardPlace, true);
	const offsets = [16, 18, 20, 22, 300, 18, 302, 16, 314, 24];
	t.deepEqual(
		offsets.map((at) => scanner.fieldAt!(bytes, 0, at)),
		offsets.map((at) => ['Card Number', undefined, 'A', undefined, 'B'][(at - 16) % 6] ?? 'Card Number'),
	);
});
