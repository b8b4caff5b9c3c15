import test from 'ava';
import fc from 'fast-check';
import { CardParts, PART } from '../../src/base/card/card-parts.ts';
import { BatchCard } from '../../src/doors/http/batch/card.ts';
import { CardLine } from '../../src/work/batch/card-line.ts';
import { FIXTURE_TIME } from '../helpers/begun-database.ts';

const VISA = '4111111111111111';
const CARD = { BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' } };

function outcome({ fields, cvv, warning, error }: BatchCard) {
	const hex = (bytes: Uint8Array | null | undefined) => bytes && Buffer.from(bytes).toString('hex');
	if (!fields) return { error };
	const { expiry, type, digits, digitCount } = fields;
	const texts = [fields.spelling, fields.name, fields.issueNumber, fields.owner, fields.virtual, cvv].map(hex);
	return { error, warning, expiry, type, texts, digits: hex(digits.subarray(0, digitCount)) };
}

test('a card is found in its JSON only when all of it is there and plain', (t) => {
	const line = new CardLine(new CardParts());
	const json = Buffer.from(JSON.stringify({ '@schemaVersion': '1.0', ...CARD }));
	t.is(line.read(json, 0, json.length), json.length);
	for (let cut = 0; cut < json.length; cut++) t.is(line.read(json, 0, cut), -1, `cut at ${cut}`);
	const odd = ['{"bankcard":{}}', '{"BankCard":{"CVV":306}}', '{"BankCard":{"CVV":"1","CVV":"2"}}', '{}', '[]'];
	for (const text of [...odd, '{"BankCard":{"CVV":"306"}}', '{"@schemaVersion":"","@schemaVersion":""}']) {
		t.is(line.read(Buffer.from(text), 0, text.length), -1, text);
	}
});

test('the parts of a card are the same, whether its JSON is plain or has an escape', (t) => {
	const text = fc.oneof(
		fc.constantFrom(
			'',
			'Visa',
			'Elf',
			VISA,
			'4111-1111 1111 1111',
			'41111',
			'04',
			'13',
			'4',
			'2030',
			'1030',
			'306',
			'***',
		),
		fc.string({ maxLength: 30 }),
	);
	const member = fc.option(text, { nil: undefined, freq: 2 });
	const anyCard = fc.record({
		...{ Type: member, NameOnCard: member, IssueNumber: member, OwnerID: member, CVV: member },
		Number: fc.oneof({ weight: 9, arbitrary: fc.constant(VISA) }, text),
		ExpirationDate: fc.record({
			Month: fc.oneof({ weight: 9, arbitrary: fc.constant('04') }, text),
			Year: fc.oneof({ weight: 9, arbitrary: fc.constant('2030') }, text),
		}),
	});
	fc.assert(
		fc.property(anyCard, (content) => {
			const bytes = Buffer.from(JSON.stringify({ BankCard: content }));
			const plain = new BatchCard(FIXTURE_TIME);
			if (plain.line.read(bytes, 0, bytes.length) !== bytes.length) return;
			plain.readPlain();
			const escaped = new BatchCard(FIXTURE_TIME);
			escaped.readText(Buffer.from(bytes.toString().replace('"Number"', '"N\\u0075mber"')));
			t.deepEqual(outcome(plain), outcome(escaped));
		}),
		{ numRuns: 500 },
	);
});

test('the parts of a plain line are ranges of its bytes', (t) => {
	const parts = new CardParts();
	const json = Buffer.from(JSON.stringify(CARD));
	new CardLine(parts).read(json, 0, json.length);
	t.is(parts.of(PART.number).toString(), VISA);
	t.is(parts.of(PART.number).buffer, json.buffer);
	t.is(parts.of(PART.year).toString(), '2030');
	t.is(parts.of(PART.owner).length, 0);
});
