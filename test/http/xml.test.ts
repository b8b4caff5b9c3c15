import test from 'ava';
import fc from 'fast-check';
import sax from 'sax';
import { ServiceError } from '../../src/base/errors.ts';
import { parseXml } from '../../src/doors/http/input/xml-reader.ts';
import { escapeXml, writeXml, writeXmlList } from '../../src/doors/http/negotiation/xml-writer.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { runs } from '../helpers/runs.ts';

/** Reads the text and the attribute as another XML reader sees them. */
function readBack(xml: string): { text: string; attribute: string } {
	const read = { text: '', attribute: '' };
	const parser = sax.parser(true);
	parser.ontext = (text) => {
		read.text += text;
	};
	parser.onattribute = ({ value }) => {
		read.attribute = value;
	};
	parser.write(xml).close();
	return read;
}

const carried = (text: string) =>
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters are those that XML cannot carry
	text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

const anyText = fc.oneof(
	fc.string({ unit: anyCharacter }),
	fc.string({
		unit: fc.constantFrom('<', '>', '&', '"', "'", ']]>', '\r', '\n', '\t', '&amp;', '\ud800', '\u0000', 'é'),
	}),
);

test('another XML reader reads back what our writer wrote, for any text', (t) => {
	fc.assert(
		fc.property(anyText, anyText, (text, attribute) => {
			const xml = writeXml('A', { '@b': attribute, C: text });
			t.deepEqual(readBack(xml), { text: carried(text), attribute: carried(attribute) });
			// Readers turn a carriage return that is not escaped into a line feed.
			t.false(/[\r\t]/.test(xml));
		}),
	);
});

test('our XML reader reads back what our writer wrote, with members, lists and absent values', (t) => {
	const xml = writeXml('Card', { '@v': 1, Type: 'Visa', None: null, Not: undefined, Empty: '', Inner: { A: true } });
	t.is(xml, '<Card v="1"><Type>Visa</Type><Empty></Empty><Inner><A>true</A></Inner></Card>');
	const root = parseXml(xml);
	t.is(root.attributes.get('v'), '1');
	t.deepEqual(
		root.children.map(({ name }) => name),
		['Type', 'Empty', 'Inner'],
	);
	t.is(writeXmlList('X', []), '<ArrayOfX></ArrayOfX>');
	t.is(
		writeXml('L', { Items: [{ A: 1 }, { A: 2 }] }, { Items: 'Item' }),
		'<L><Items><Item><A>1</A></Item><Item><A>2</A></Item></Items></L>',
	);
	t.is(writeXml('D', { At: new Date(0) }), '<D><At>1970-01-01T00:00:00.000Z</At></D>');
	t.is(escapeXml('a<b>&"c"'), 'a&lt;b&gt;&amp;&quot;c&quot;');
});

test('the reader takes any namespace, keeps order and leaves declarations out', (t) => {
	const root = parseXml('<a:R xmlns:a="u:1" xmlns="u:2" a:id="7"><B> x </B><a:C/><B>y</B></a:R>');
	t.is(root.name, 'R');
	t.deepEqual([...root.attributes], [['id', '7']]);
	t.deepEqual(
		root.children.map(({ name, text }) => [name, text]),
		[
			['B', 'x'],
			['C', ''],
			['B', 'y'],
		],
	);
});

test('a refusal names the line and never the content', (t) => {
	const error = t.throws(() => parseXml('<R>\n<B>secret</C></R>'), { instanceOf: ServiceError })!;
	t.is((error as ServiceError).reason, 'message-malformed');
	t.is((error as ServiceError).moreInfo, 'line 2: not well-formed XML');
});

test('any text is a document or a refusal', (t) => {
	const piece = fc.constantFrom(
		'<',
		'>',
		'/',
		'a',
		' ',
		'<a>',
		'</a>',
		'<a/>',
		'&',
		';',
		'<!',
		'--',
		'<?',
		'?>',
		'"',
		'=',
		'\0',
		']]>',
	);
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string({ unit: anyCharacter }),
				fc.array(piece).map((all) => all.join('')),
			),
			(text) => {
				try {
					return parseXml(text).name.length > 0;
				} catch (error) {
					return error instanceof ServiceError && error.reason === 'message-malformed';
				}
			},
		),
		{ numRuns: runs(1000) },
	);
	t.pass();
});

test('shapes §1.23: XML with too many attributes is refused while it is read', (t) => {
	const attributes = (count: number) => Array.from({ length: count }, (_, n) => `a${n}="b"`).join(' ');
	t.notThrows(() => parseXml(`<r><a ${attributes(5_000)}/><a ${attributes(5_000)}/></r>`));
	t.throws(() => parseXml(`<r><a ${attributes(5_000)}/><a ${attributes(5_001)}/></r>`), {
		message: /more than 10000 attributes/,
	});
});
