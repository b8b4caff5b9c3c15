import test from 'ava';
import { ServiceError } from '../../../src/base/errors.ts';
import { compileSelectors, type OutgoingCard, writeCodes } from '../../../src/work/relay/selectors/selectors.ts';
import { fillText } from '../../../src/work/relay/selectors/text.ts';

const CARD: OutgoingCard = {
	number: '4111111111111111',
	expiryMonth: '04',
	expiryYear: '2030',
	nameOnCard: 'A "B" & é',
	securityCode: '306',
	type: 'Visa',
};
const text = compileSelectors({ body: 'text', namespaces: {}, cards: [] });
const fill = (body: string, cards: OutgoingCard[], contentType?: string) =>
	text.fill(Buffer.from(body), cards, contentType).toString();

test('every placeholder is filled, and what a card does not have is nothing', (t) => {
	const body =
		'{{cardNumber}}|{{cardNumber:1}}|{{expirationMonth}}|{{expirationYear}}|{{expirationYear2}}|{{cvv}}|{{cardType}}|{{nameOnCard}}';
	t.is(fill(body, [CARD]), '4111111111111111|4111111111111111|04|2030|30|306|Visa|A "B" & é');
	t.is(fill(body, [{ number: '1' }]), '1|1||||||');
});

test('placeholders of several cards are told by their ordinals', (t) => {
	t.is(fill('{{cardNumber}}-{{cardNumber:2}}', [CARD, { number: '5' }]), '4111111111111111-5');
});

test('values are spelled as the content type wants them', (t) => {
	t.is(fill('"{{nameOnCard}}"', [CARD], 'application/vnd.x+json'), '"A \\"B\\" & é"');
	t.is(fill('{{nameOnCard}}', [CARD], 'text/xml; charset=utf-8'), 'A &quot;B&quot; &amp; é');
	t.is(fill('n={{nameOnCard}}', [CARD], 'application/x-www-form-urlencoded'), 'n=A+%22B%22+%26+%C3%A9');
	const latin1 = text.fill(
		Buffer.from('\xe4{{nameOnCard}}', 'latin1'),
		[{ number: '1', nameOnCard: 'é€' }],
		'text/plain; charset=latin1',
	);
	t.is(latin1.toString('latin1'), '\xe4\xe9?');
});

test('what ends a value in its content type never goes out of a name as it is', (t) => {
	const name = (nameOnCard: string) => [{ number: '1', nameOnCard }];
	for (const type of ['text/html', 'application/xhtml+xml', 'application/soap+xml']) {
		t.is(fill(`<a b='{{nameOnCard}}'/>`, name(`O'Brien "<&`), type), `<a b='O&#39;Brien &quot;&lt;&amp;'/>`, type);
	}
	for (const type of ['application/x-ndjson', 'application/jsonl', 'text/json', 'application/geo+json-seq']) {
		t.is(fill('"{{nameOnCard}}"', name('A"\n'), type), '"A\\"\\n"', type);
	}
	t.is(fill('1,{{nameOnCard}},2', name('A, "B"'), 'text/csv; charset=utf-8'), '1,"A, ""B""",2');
	t.is(fill('"x","Mr {{nameOnCard}}",2', name('A, "B"'), 'text/csv'), '"x","Mr A, ""B""",2');
	t.is(fill('{{nameOnCard}};2', name('ANNA B'), 'text/csv'), 'ANNA B;2');
	t.is(fill('PAY {{nameOnCard}}\r\nEND', name('A\r\nVOID\u2028"B"'), 'text/plain'), 'PAY A VOID "B"\r\nEND');
});

test('a value with a placeholder in it is not filled again', (t) => {
	t.is(fill('{{nameOnCard}}', [{ number: '1', nameOnCard: '{{cardNumber}} $& $1' }]), '{{cardNumber}} $& $1');
});

const refusals: [string, string, OutgoingCard[], RegExp][] = [
	['an unknown placeholder', '{{cardnumber}}', [CARD], /unknown placeholder at offset 0; expected one of cardNumber/],
	['a placeholder of Object', '{{constructor}}', [CARD], /unknown placeholder/],
	['a card that was not given', '{{cardNumber:2}}', [CARD], /ask for 2 cards/],
	['a card that nobody asks for', '{{cardNumber}}', [CARD, CARD], /2 tokens were given/],
	['no placeholder', '{"a":{"b":{}}}', [CARD], /no placeholder/],
	['card 0', '{{cvv:0}}', [CARD], /unknown placeholder/],
];
for (const [title, body, cards, expected] of refusals) {
	test(`a text body with ${title} is refused`, (t) => {
		const error = t.throws(() => fill(body, cards), { instanceOf: ServiceError });
		t.is(error?.reason, 'bad-input-data');
		t.regex(error?.moreInfo ?? '', expected);
	});
}

test('addresses are filled with an encoding of their own', (t) => {
	t.is(fillText('https://x/?h={{nameOnCard}}', [CARD], encodeURIComponent), 'https://x/?h=A%20%22B%22%20%26%20%C3%A9');
	t.throws(() => fillText('{{cvv:2}}', [CARD], encodeURIComponent), { instanceOf: ServiceError });
});

test('text bodies cannot be searched', (t) => {
	t.throws(() => text.locate(Buffer.from('4111111111111111')), { instanceOf: ServiceError });
});

test('a CVV can be written into a text that was filled before', (t) => {
	const body = Buffer.from('{{cvv:2}}{{cardNumber:2}}<é>{{nameOnCard}}|{{cvv}}|{{cvv:2}}');
	const cards = [CARD, { ...CARD, nameOnCard: undefined, securityCode: '0123' }];
	const { bytes, codePlaces } = text.fillBeforeCodes(
		body,
		cards.map((card) => ({ ...card, securityCode: undefined })),
		'text/xml',
	);
	const codes = cards.map(({ securityCode }) => securityCode);
	t.deepEqual(writeCodes(bytes, codePlaces, codes), text.fill(body, cards, 'text/xml'));
	t.deepEqual(writeCodes(bytes, codePlaces, []), bytes);
});
