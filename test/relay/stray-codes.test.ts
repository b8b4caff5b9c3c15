// Tests that no CVV passes a captured or pushed message except that of a card that was refused (shapes §11).

import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { AccountId } from '../../src/base/database/ids.ts';
import { type Bodies, openBodies } from '../../src/work/relay/bodies/bodies.ts';
import { parseReadyProfile, type ReadyProfile } from '../../src/work/relay/profiles/profile-document.ts';

const VISA = '4111111111111111';
const MASKED = '411111******1111';
const TOKEN = 'a054d362051545afd3f6f25107776579';
const NOW = new Date('2026-11-01T00:00:00Z');
/** A text that makes a body so long that it is read in a thread. */
const FILLING = 'x'.repeat(40_000);

const ready = (text: string) => parseReadyProfile(text, { environment: 'sandbox' });
const JSON_CARDS = ready(`
name: Json
direction: both
body: json
cards: [{ container: "$.cards[*]", number: $.number, expiryYear: $.year, expiryMonth: $.month, securityCode: $.cvv }]
`);
const XML_CARDS = ready(`
name: Xml
direction: both
body: xml
cards: [{ container: "//card", number: number, securityCode: "@cvv" }]
`);
const FORM = ready('name: Form\ndirection: both\nbody: form\ncards: [{ number: number, securityCode: cvv }]\n');
const USUAL = ready('name: Usual\ndirection: both\nbody: json\ncards: [{ container: $..payment, names: usual }]\n');

function open(t: ExecutionContext<unknown>): Bodies {
	const bodies = openBodies({ bodyThreads: 1, bodyMemoryBytes: 64 * 1024 * 1024 });
	t.teardown(() => bodies.close());
	return bodies;
}

/** Returns the body as it is passed on, with a masked number for each card that is accepted. */
async function passed(bodies: Bodies, profile: ReadyProfile, text: string): Promise<string> {
	const read = await bodies.read({ account: 1 as AccountId, profile, body: Buffer.from(text) }, NOW);
	return read.hidden([]).toString();
}

const single: [title: string, ReadyProfile, body: string, becomes: string][] = [
	['a masked number', JSON_CARDS, `{"cards":[{"number":"${MASKED}","cvv":"306"}]}`, '"306"→"***"'],
	['a token', JSON_CARDS, `{"cards":[{"number":"${TOKEN}","cvv":306}]}`, '306→"***"'],
	['an empty number', JSON_CARDS, '{"cards":[{"number":"","cvv":"3061"}]}', '3061→****'],
	['no number', JSON_CARDS, '{"cards":[{"cvv":"306"},{"x":1}]}', '306→***'],
	['an expired card', JSON_CARDS, `{"cards":[{"number":"${VISA}","month":1,"year":2020,"cvv":"306"}]}`, ''],
	['no number in XML', XML_CARDS, '<a><card cvv="306"/></a>', '306→***'],
	['a masked number in XML', XML_CARDS, `<a><card cvv="306"><number>${MASKED}</number></card></a>`, '306→***'],
	['a number that fails Luhn in XML', XML_CARDS, '<a><card cvv="306"><number>4111111111111112</number></card></a>', ''],
	['no number in a form', FORM, 'x=1&cvv=306', '306→***'],
	['no number in a form that is not escaped', FORM, 'x={"a": <1>}&cvv=306', '306→***'],
	['a token in a form', FORM, `number=${TOKEN}&cvv=306&cvv=307`, '306→***,307→***'],
	['no number, by a usual name', USUAL, '{"payment":{"cvc":"306"}}', '306→***'],
];
for (const [title, profile, body, changes] of single) {
	test(`shapes §11: a CVV beside ${title} ${changes === '' ? 'passes' : 'is starred'}`, async (t) => {
		const expected = changes.split(',').reduce((text, change) => {
			const [before, after] = change.split('→');
			return before === '' ? text : text.replace(before, after);
		}, body);
		t.is(await passed(open(t), profile, body), expected);
	});
}

test('shapes §11: a code that cards of two containers share is starred once, and stays where both are refused', async (t) => {
	const nested = ready(
		'name: N\ndirection: both\nbody: json\ncards:\n' +
			'  - { container: $, number: $.a.number, securityCode: $..cvv }\n' +
			'  - { container: $.b, number: $.number, securityCode: $.cvv }\n',
	);
	const body = (a: string, b: string) => `{"a":{"number":"${a}"},"b":{"number":"${b}","cvv":"306"}}`;
	const bodies = open(t);
	for (const [a, b] of [
		[VISA, VISA],
		[VISA, '12'],
		['12', MASKED],
		[MASKED, '12'],
	]) {
		t.is(await passed(bodies, nested, body(a, b)), body(a, b).replaceAll(VISA, MASKED).replace('306', '***'));
	}
	t.is(await passed(bodies, nested, body('12', '13')), body('12', '13'));
	// The outer container has no number. Both codes are its own, but the code of the inner card stays, because that card is
	// refused.
	const inner = `{"b":{"number":"12","cvv":"306"},"cvv":"307"}`;
	t.is(await passed(bodies, nested, inner), inner.replace('307', '***'));
});

const REFUSED = ['4111111111111112', '12', '4'.repeat(23)];
const part = {
	number: fc.constantFrom(VISA, MASKED, TOKEN, '', ...REFUSED, undefined),
	cvv: fc.constantFrom('306', '3061', '', '***', undefined),
};
const CARDS = fc.array(fc.record(part), { maxLength: 6 });

interface Written {
	readonly number?: string;
	readonly cvv?: string;
}

/** Returns what becomes of a card: only a refused one keeps what stood there. */
const hidden = ({ number, cvv }: Written): Written =>
	number !== undefined && REFUSED.includes(number)
		? { number, cvv }
		: { number: number === VISA ? MASKED : number, cvv: cvv?.replace(/\d/g, '*') };

const asXml = ({ number, cvv }: Written) =>
	`<card${cvv === undefined ? '' : ` cvv="${cvv}"`}>${number === undefined ? '' : `<number>${number}</number>`}</card>`;
const asForm = ({ number, cvv }: Written) =>
	['a=1', number === undefined ? [] : `number=${number}`, cvv === undefined ? [] : `cvv=${cvv}`].flat().join('&');

for (const [size, filling] of Object.entries({ small: '', large: FILLING })) {
	test(`shapes §11: of any ${size} message no CVV passes but that of a refused card`, async (t) => {
		const bodies = open(t);
		const spellings: [ReadyProfile, (cards: readonly Written[]) => string][] = [
			[JSON_CARDS, (cards) => JSON.stringify({ cards, filling })],
			[XML_CARDS, (cards) => `<a>${cards.map(asXml).join(' ')}<b>${filling}</b></a>`],
			[FORM, ([first = {}]) => `${asForm(first)}&filling=${filling}`],
		];
		await fc.assert(
			fc.asyncProperty(CARDS, async (cards) => {
				for (const [profile, write] of spellings) {
					// A text that is no CVV makes a card refused, so it is replaced here, where only the number may be the reason.
					const sent = cards.map((card) =>
						card.number === VISA && card.cvv === '***' ? { ...card, cvv: '306' } : card,
					);
					t.is(await passed(bodies, profile, write(sent)), write(sent.map(hidden)));
				}
			}),
			{ numRuns: filling === '' ? 300 : 40 },
		);
	});
}

test('a message to be filled knows nothing of codes without a number', async (t) => {
	const bodies = open(t);
	const message = (text: string) => ({ account: 1 as AccountId, profile: JSON_CARDS, body: Buffer.from(text) });
	const text = `{"cards":[{"cvv":"x"},{"number":"${TOKEN}","cvv":"y"},{"cvv":"z"},{"number":"${TOKEN}"}]}`;
	const filled = await bodies.fill(message(text), [{ number: VISA, securityCode: '306' }, { number: '12' }]);
	t.deepEqual(filled.codes, [1]);
	t.is(filled.body.toString(), `{"cards":[{"cvv":"x"},{"number":"${VISA}","cvv":"306"},{"cvv":"z"},{"number":"12"}]}`);
});
