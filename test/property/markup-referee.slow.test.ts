import test from 'ava';
import fc from 'fast-check';
import sax from 'sax';
import { tadc } from '../../formats/tadc.ts';
import { FileError } from '../../src/engine/format.ts';
import { type ScannedFinding, scanAll } from '../helpers/scan.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
const blanks = fc.constantFrom('', ' ', '\n', '\r\n\t');
const plain = fc.stringMatching(/^[ -%'-;=?-~\n]{0,12}$/);
const piece = fc.oneof(
	fc.constantFrom('4111111111111111', '378282246310005', '4111-1111', '&#52;111', '&amp;', '<!-- 4111 -->', '<?pi 4?>'),
	plain,
	plain.filter((text) => !text.includes(']]>')).map((text) => `<![CDATA[${text}]]>`),
);
const value = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
const names = fc.constantFrom(
	'PaymentCard',
	'p:Card',
	'CardNumber',
	'Number',
	'CardType',
	'ExpirationDate',
	'Name',
	'b-1',
);
const attribute = fc
	.tuple(
		fc.constantFrom('CardNumber', 'Number', 'CardCode', 'x:y'),
		blanks,
		fc.stringMatching(/^[ -!#-%(-;=-~]{0,12}$/),
		fc.constantFrom('"', "'"),
	)
	.map(([name, gap, text, quote]) => `${name}${gap}=${gap}${quote}${text}${quote}`);

const { element } = fc.letrec<{ element: string }>((tie) => ({
	element: fc
		.tuple(
			names,
			fc.uniqueArray(attribute, { maxLength: 2, selector: (text) => text.split(/[\s=]/)[0] }),
			blanks,
			fc.oneof(
				{ maxDepth: 5, depthSize: 'small' },
				value,
				fc.tuple(blanks, fc.array(tie('element'), { maxLength: 3 })).map(([gap, inner]) => gap + inner.join(gap)),
			),
		)
		.map(([name, attributes, gap, content]) => {
			const tag = [name, ...attributes].join(' ') + gap;
			return content === '' ? `<${tag}/>` : `<${tag}>${content}</${name}${gap}>`;
		}),
}));

const document = fc
	.tuple(fc.constantFrom('', '<?xml version="1.0"?>\n', '<!-- card -->'), element, blanks)
	.map(([head, root, tail]) => Buffer.from(`${head}<Batch>${root}</Batch>${tail}`));

/**
 * Returns the numbers that sax sees, in the order in which their tags or attributes end, and the values inside the elements
 * of numbers, one of which is the number if its element has no text of its own.
 */
function numbersBySax(bytes: Buffer): { numbers: string[]; inner: string[] } {
	const reader = sax.parser(true);
	const open: { name: string; text: string }[] = [];
	const numbers: string[] = [];
	const inner: string[] = [];
	const isNumber = (name: string, container: string | undefined) =>
		name === 'cardnumber' || (name === 'number' && (container === 'paymentcard' || container === 'card'));
	const local = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();
	const keep = (text: string) => {
		if (text.trim() !== '') numbers.push(text.trim());
	};
	reader.onopentag = ({ name, attributes }) => {
		open.push({ name: local(name), text: '' });
		for (const [key, text] of Object.entries(attributes)) {
			if (isNumber(local(key), local(name))) keep(String(text));
			if (open.some((each, i) => isNumber(each.name, open[i - 1]?.name))) inner.push(String(text).trim());
		}
	};
	reader.ontext = (text) => {
		if (open.length > 0) open[open.length - 1].text += text;
	};
	reader.oncdata = reader.ontext;
	reader.onclosetag = () => {
		const { name, text } = open.pop()!;
		if (isNumber(name, open.at(-1)?.name)) keep(text);
		if (open.some((each, i) => isNumber(each.name, open[i - 1]?.name))) inner.push(text.trim());
	};
	reader.onerror = (error) => {
		throw error;
	};
	reader.write(bytes.toString('latin1')).close();
	return { numbers, inner };
}

function textOf({ number, isEscaped }: ScannedFinding, bytes: Buffer): string {
	const end = number.offset + number.length;
	const span = isEscaped ? tadc.decode!(bytes, number.offset, end) : bytes.subarray(number.offset, end);
	return span.toString('latin1');
}

/** Returns the findings of a file, or its error with the place. */
function outcome(bytes: Buffer, windowSizes?: number[]): ScannedFinding[] | { message: string } {
	try {
		return scanAll(tadc, {}, bytes, { windowSizes, endsLate: windowSizes !== undefined });
	} catch (error) {
		if (!(error instanceof FileError)) throw error;
		return { message: error.message, ...error.at };
	}
}

test('the scanner finds the numbers that sax finds, however the document is written and cut', (t) => {
	fc.assert(
		fc.property(document, sizes, (bytes, windowSizes) => {
			const result = outcome(bytes);
			t.deepEqual(outcome(bytes, windowSizes), result);
			t.deepEqual(outcome(bytes, [1]), result);
			if (Array.isArray(result)) {
				const found = result.map((finding) => textOf(finding, bytes));
				const { numbers: expected, inner } = numbersBySax(bytes);
				const missed: string[] = [];
				const others = [...found];
				for (const number of expected) {
					const at = others.indexOf(number);
					if (at < 0) missed.push(number);
					else others.splice(at, 1);
				}
				t.deepEqual(missed, [], bytes.toString());
				// The scanner also finds numbers in card elements, with other text beside them too, in words such as `Number`, and
				// inside the element of a number.
				for (const other of others) t.true(/[\d\s-]{12,}/.test(other) || inner.includes(other), bytes.toString());
				t.deepEqual(
					found.filter((number) => !others.includes(number)),
					expected.filter((number) => !others.includes(number)),
				);
			} else t.regex(result.message, /both text and elements/, bytes.toString());
		}),
		{ numRuns: 300 },
	);
});

const MUTATIONS = ['', '<', '>', '/', '"', '&', ';', '=', '-', '!', '?', ']', ' ', 'a', '</a>', '<a>', '<!--'];

test('a damaged document that sax refuses is refused, at the same place in any windows', (t) => {
	fc.assert(
		fc.property(
			document,
			fc.nat(),
			fc.nat(3),
			fc.constantFrom(...MUTATIONS),
			sizes,
			(bytes, place, cut, put, windows) => {
				const at = place % (bytes.length + 1);
				const damaged = Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + cut)]);
				const result = outcome(damaged);
				t.deepEqual(outcome(damaged, windows), result);
				t.deepEqual(outcome(damaged, [1]), result);
				// sax does not see that `??>` ends an instruction.
				if (damaged.includes('??>')) return;
				if (!isAcceptedBySax(damaged)) t.false(Array.isArray(result), damaged.toString());
			},
		),
		{ numRuns: 400 },
	);
});

function isAcceptedBySax(bytes: Buffer): boolean {
	try {
		numbersBySax(bytes);
		return true;
	} catch {
		return false;
	}
}
