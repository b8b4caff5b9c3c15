import test from 'ava';
import fc from 'fast-check';
import { simplejson } from '../../../formats/simplejson.ts';
import { tadc } from '../../../formats/tadc.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';

/** Matches a mark of twelve digits, which stands in place of a number and only once in a text. */
const MARK = /7\d{11}/g;
let marks = 0;
const mark = () => String(700_000_000_000 + marks++);

/** Returns what a scanner calls the place of every mark of a text. */
function placesOf<O>(format: Format<O>, text: string, size: number): Record<string, string | undefined> {
	const bytes = Buffer.from(text);
	const scanner = format.scanner(format.options.parse({}), 'tokenize');
	const found = new Findings();
	const places: Record<string, string | undefined> = {};
	let settled = 0;
	for (let to = 0; to < bytes.length; ) {
		to = Math.min(bytes.length, to + size);
		found.length = 0;
		const from = settled;
		settled = scanner.scan(bytes, from, to, to === bytes.length, found);
		for (const { 0: digits, index } of bytes.toString('latin1', 0, settled).matchAll(MARK)) {
			if (index >= from) places[digits] = scanner.fieldAt!(bytes, from, index + 3 < settled ? index + 3 : index);
		}
	}
	return places;
}

const name = fc.constantFrom('a', 'note', 'Beleg Nr', 'n"q', 'x\\', 'ä', 'k:1');
const shown = (key: string) => key.replace(/["\\]/g, '?');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		fc.constantFrom('mark', 'quoted', null, true, 'a "quoted, {string}": [1', 5),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(name, tie('value'), { maxKeys: 4 }),
	),
}));

/** Returns the value with marks put into it, and notes in `keys` the key under which each stands. */
function marked(value: unknown, key: string | undefined, keys: Record<string, string | undefined>): unknown {
	if (value === 'mark' || value === 'quoted') {
		const digits = mark();
		keys[digits] = key;
		return value === 'mark' ? Number(digits) : `say "${digits}", please`;
	}
	if (Array.isArray(value)) return value.map((element) => marked(element, key, keys));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([own, inner]) => [own, marked(inner, shown(own), keys)]));
}

test('the key of a number is named, wherever in a JSON text it stands and however that is cut', (t) => {
	fc.assert(
		fc.property(value, fc.constantFrom(undefined, 1), fc.integer({ min: 1, max: 90 }), (tree, space, size) => {
			const keys: Record<string, string | undefined> = {};
			const text = JSON.stringify(marked(tree, undefined, keys), null, space) + ' '.repeat(20);
			t.deepEqual(placesOf(simplejson, text, text.length), keys, text);
			// A string that a window cuts is passed over in parts, so a mark in it may have no place here.
			const cut = placesOf(simplejson, text, size);
			for (const [digits, key] of Object.entries(cut)) t.is(key, keys[digits], `${text} by ${size}`);
		}),
		{ numRuns: 300 },
	);
});

test('every number of a text full of them is named without reading the text again for each', (t) => {
	const text = `[${Array.from({ length: 20_000 }, () => `{"ref":"${mark()}"}`).join(',')}]`;
	const started = process.cpuUsage();
	t.deepEqual(new Set(Object.values(placesOf(simplejson, text, 262_144))), new Set(['ref']));
	t.true(process.cpuUsage(started).user < 5_000_000);
});

test('a key or an element name that may be a number is no name, and a mark in a key has none', (t) => {
	const json = `{"70000000":"${mark()}","k${mark()}":1,"b":"x"}`;
	t.deepEqual(Object.values(placesOf(simplejson, json, json.length)), [undefined, undefined]);
	const xml = `<r a70000000="${mark()}"><b70000000>${mark()}</b70000000></r>`;
	t.deepEqual(Object.values(placesOf(tadc, xml, xml.length)), [undefined, undefined]);
});

test('the element or attribute of a number is named, in text, CDATA and comments', (t) => {
	const parts: [string, string][] = [];
	const at = (owner: string, write: (digits: string) => string) => {
		const digits = mark();
		parts.push([digits, owner]);
		return write(digits);
	};
	const text = [
		'<?xml version="1.0"?><r>',
		at('Note', (digits) => `<Note lang="a > b">see ${digits}<b/> or </Note>`),
		at('Note', (digits) => `<Note><b>x</b>${digits}</Note>`),
		at('p:Ref', (digits) => `<Note a='1' p:Ref = "no. ${digits}" c="d"/>`),
		at('Remark', (digits) => `<Remark><![CDATA[<b> ${digits} ]]></Remark>`),
		at('r', (digits) => `<!-- <x> ${digits} -->`),
		at('r', (digits) => `text ${digits}`),
		'</r>',
	].join('\r\n');
	for (const size of [text.length, 100, 61]) {
		for (const [digits, owner] of Object.entries(placesOf(tadc, text, size))) {
			t.is(owner, Object.fromEntries(parts)[digits], `${digits} by ${size}`);
		}
	}
	t.is(Object.keys(placesOf(tadc, text, text.length)).length, parts.length);
});

test('a token in place of a bare JSON number takes quotes along, in a string it does not, and into a number none fits', (t) => {
	const shapeAt = (text: string) => {
		const bytes = Buffer.from(text);
		const start = text.search(/\d{13}/);
		const scanner = simplejson.scanner({}, 'tokenize');
		scanner.scan(bytes, 0, bytes.length, true, new Findings());
		return scanner.shapeAt!(bytes, 0, start, start + 13);
	};
	const bare = [
		'4222222222222',
		'{"a":4222222222222}',
		'[1,4222222222222,2]',
		'[\n4222222222222\n]',
		'{"a\\"": 4222222222222 }',
	];
	const inString = [
		'"4222222222222"',
		'{"a":"see 4222222222222 , or"}',
		'["\\": 4222222222222 ,"]',
		'["a","b, 4222222222222 "]',
	];
	const glued = ['[-4222222222222]', '[4222222222222.5]'];
	inString.push('{"4222222222222":1}');
	t.deepEqual(
		bare.map(shapeAt),
		bare.map(() => 'quoted'),
	);
	t.deepEqual(
		inString.map(shapeAt),
		inString.map(() => 'plain'),
	);
	t.deepEqual(
		glued.map(shapeAt),
		glued.map(() => 'fixed'),
	);
});

const hasPlace = <O>(format: Format<O>, text: string) => {
	const bytes = Buffer.from(text);
	const scanner = format.scanner(format.options.parse({}), 'tokenize');
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	return scanner.hasCardPlace;
};

test('a place for a card number is seen with and without a number in it', (t) => {
	for (const text of [
		'{"cardNumber":null}',
		'{"ccNumber":"4111XXXXXXXX1111"}',
		'{"card":{"number":""}}',
		'{"number":null,"exp_month":null,"cvc":null}',
		'{"card":"4111111111111111"}',
	]) {
		t.true(hasPlace(simplejson, text), text);
	}
	for (const text of ['{}', '', '{"number":"4111111111111111"}', '{"card":"Visa"}', '{"expiry":"12/29"}']) {
		t.false(hasPlace(simplejson, text), text);
	}
	for (const text of [
		'<r CardNumber=""/>',
		'<r><PAN/></r>',
		'<Card><Number/></Card>',
		'<TravelTran><Account><AcctNbr/></Account></TravelTran>',
	]) {
		t.true(hasPlace(tadc, text), text);
	}
	for (const text of [
		'<r/>',
		'<r><Number>4111111111111111</Number></r>',
		'<r><Card>Visa</Card></r>',
		'<Account><AcctNbr/></Account>',
	]) {
		t.false(hasPlace(tadc, text), text);
	}
});
