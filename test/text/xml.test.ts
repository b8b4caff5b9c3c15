import test from 'ava';
import fc from 'fast-check';
import sax from 'sax';
import { XmlReader } from '../../src/base/text/xml.ts';
import { XML_EVENT, type XmlProblem } from '../../src/base/text/xml-events.ts';
import { decodeMarkupText } from '../../src/base/text/xml-text.ts';
import { runs } from '../helpers/runs.ts';

/** Says which problem a text has, and where. */
class Problem extends Error {
	constructor(problem: XmlProblem | 'end', at: number) {
		super(`${problem} at ${at}`);
	}
}

const fail = (problem: XmlProblem, at: number) => new Problem(problem, at);

/** A document as a list: tags with their attributes, texts without the blanks around them, comments and instructions. */
type Read = unknown[];

/** Reads a document in windows of these sizes, each with other bytes around it. */
function read(document: Buffer, sizes: readonly number[]): { events: Read; line: number } {
	const reader = new XmlReader({ depth: 20, fail });
	const events: Read = [];
	let attributes: [string, string][] = [];
	for (let from = 0, to = 0, turn = 0; ; turn++) {
		to = Math.min(document.length, Math.max(from, to) + sizes[turn % sizes.length]);
		const bytes = Buffer.concat([document.subarray(0, to), Buffer.from('"><a')]);
		const name = () => bytes.toString('utf8', reader.nameStart, reader.nameEnd);
		const text = () => decodeMarkupText(bytes, reader.start, reader.stop).toString();
		let tag = '';
		const endTag = () => {
			events.push(['open', tag, attributes]);
			if (reader.isEmpty) events.push(['close', tag]);
		};
		reader.begin(bytes, from, to);
		for (let event = reader.next(); event !== XML_EVENT.NONE; event = reader.next()) {
			if (event === XML_EVENT.TAG) {
				tag = name();
				attributes = [];
				if (!reader.isInTag) endTag();
			} else if (event === XML_EVENT.ATTRIBUTE) attributes.push([name(), text()]);
			else if (event === XML_EVENT.TAG_END) endTag();
			else if (event === XML_EVENT.END_TAG) events.push(['close', name()]);
			else if (event === XML_EVENT.TEXT && !reader.isBlank) events.push(['text', text()]);
			else if (event === XML_EVENT.CDATA) events.push(['cdata', bytes.toString('utf8', reader.start, reader.stop)]);
			else if (event === XML_EVENT.COMMENT) events.push(['comment', bytes.toString('utf8', reader.start, reader.stop)]);
		}
		from = reader.at;
		// What follows the root element is no part of a text or a tag that could go on.
		const isLast = to === document.length;
		if (isLast && from < to && reader.cut >= 0) reader.leave();
		if (isLast && (reader.at < to || reader.section !== XML_EVENT.NONE || reader.depth > 0 || !reader.hasRoot))
			throw new Problem('end', to);
		reader.pause();
		if (isLast) return { events, line: reader.line };
	}
}

function readBySax(document: string): Read {
	const events: Read = [];
	const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
	parser.onerror = (error) => {
		throw error;
	};
	parser.onopentag = ({ name, attributes }) => {
		const trimmed = Object.entries(attributes).map(([key, value]) => [key, String(value).trim()]);
		events.push(['open', name, trimmed]);
	};
	parser.onclosetag = (name) => events.push(['close', name]);
	parser.ontext = (text) => {
		if (text.trim() !== '') events.push(['text', text.trim()]);
	};
	parser.oncdata = (text) => events.push(['cdata', text]);
	parser.oncomment = (text) => events.push(['comment', text]);
	parser.write(document).close();
	return events;
}

const name = fc.constantFrom('a', 'b:c', 'é', 'x-1');
const piece = fc.constantFrom(
	'41',
	' ',
	'ü',
	'&amp;',
	'&#65;',
	'&#x42;',
	"'",
	'>',
	'\n',
	'\r\n',
	'long text of a field',
);
const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const section = fc.constantFrom('<!-- a - b -->', '<![CDATA[<]]]]>', '<?i n?>', '<!--\n-->');
const attribute = fc.tuple(name, text, fc.constantFrom('', ' ', '\n')).map(([key, value, gap]) => {
	return { key, text: ` ${gap}${key}${gap}=${gap}"${value}"` };
});
const { element } = fc.letrec<{ element: string }>((tie) => ({
	element: fc
		.record({
			name,
			attributes: fc.uniqueArray(attribute, { maxLength: 3, selector: ({ key }) => key }),
			gap: fc.constantFrom('', ' ', '\r\n'),
			content: fc.array(fc.oneof({ depthSize: 'small', maxDepth: 5 }, text, section, tie('element')), { maxLength: 4 }),
		})
		.map(({ name, attributes, gap, content }) => {
			const start = `${name}${attributes.map((each) => each.text).join('')}${gap}`;
			return content.length === 0 ? `<${start}/>` : `<${start}>${content.join('')}</${name}${gap}>`;
		}),
}));
const document = fc
	.tuple(fc.constantFrom('', '<?xml version="1.0"?>\n'), element, fc.constantFrom('', '\r\n', '<!-- end -->\r'))
	.map((parts) => parts.join(''));
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

/** Joins texts that only a comment or an instruction divides for one of the two readers. */
function joined(events: Read): Read {
	return events.filter((event) => (event as unknown[])[0] !== 'text').concat(textOf(events));
}

const textOf = (events: Read) =>
	events.flatMap((event) => ((event as unknown[])[0] === 'text' ? [String((event as unknown[])[1])] : [])).join('');

test('any document is read as sax reads it, however it is cut into windows', (t) => {
	fc.assert(
		fc.property(document, sizes, (each, cuts) => {
			const found = read(Buffer.from(each), cuts);
			t.deepEqual(joined(found.events), joined(readBySax(each)), each);
			t.is(found.line, each.split(/\r\n|\r|\n/).length);
		}),
		{ numRuns: runs(3000) },
	);
});

const damage = fc.constantFrom('<', '>', '/', '&', '"', '=', ' ', '</a>', '<a>', '<!', '\u0001');

test('a document that sax refuses is refused', (t) => {
	let refused = 0;
	const damaged = fc.tuple(document, fc.nat(), fc.nat(2), damage).map(([each, place, gone, put]) => {
		const at = place % (each.length + 1);
		return each.slice(0, at) + put + each.slice(at + gone);
	});
	fc.assert(
		fc.property(damaged, sizes, (each, cuts) => {
			let isRefused = false;
			try {
				readBySax(each);
			} catch {
				isRefused = true;
			}
			if (!isRefused) return;
			refused++;
			// Whether an end tag is that of its element is for the readers of names to say.
			const message = t.throws(() => refuseUnmatched(read(Buffer.from(each), cuts).events), undefined, each)?.message;
			t.regex(message ?? '', / at |unmatched/);
		}),
		{ numRuns: runs(5000) },
	);
	t.true(refused > 100);
});

function refuseUnmatched(events: Read): void {
	const open: unknown[] = [];
	for (const [kind, name] of events as [string, unknown][]) {
		if (kind === 'open') open.push(name);
		else if (kind === 'close' && open.pop() !== name) throw new Error('unmatched');
	}
}
