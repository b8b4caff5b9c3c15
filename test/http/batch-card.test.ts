import test from 'ava';
import fc from 'fast-check';
import { BatchCard } from '../../src/http/batch/card.ts';
import { CardLine } from '../../src/http/batch/card-line.ts';
import { FIXTURE_TIME } from '../helpers/begun-database.ts';
import { runs } from '../helpers/runs.ts';

const VISA = '4111111111111111';
const CARD = { BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' } };

test('the plain reading of a card and the careful one never differ', (t) => {
	const text = fc.oneof(
		fc.constantFrom(
			'',
			'Visa',
			'VI',
			'AMEX',
			'Elf',
			VISA,
			'4111-1111 1111 1111',
			'４１１１１１１１１１１１１１１１',
			'41111',
			'04',
			'13',
			'4',
			'2030',
			'1030',
			'306',
			'3066',
			'30',
			'***',
			' 306',
		),
		fc.string({ maxLength: 30 }),
	);
	const member = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
	const anyCard = fc.record({
		Type: member(text),
		Number: fc.oneof({ weight: 12, arbitrary: fc.constant(VISA) }, text),
		NameOnCard: member(text),
		ExpirationDate: fc.record({
			Month: fc.oneof({ weight: 12, arbitrary: fc.constant('04') }, text),
			Year: fc.oneof({ weight: 12, arbitrary: fc.constant('2030') }, text),
		}),
		IssueNumber: member(text),
		OwnerID: member(text),
		CVV: member(text),
	});
	let plain = 0;
	fc.assert(
		fc.property(anyCard, (content) => {
			const bytes = Buffer.from(JSON.stringify({ BankCard: content }));
			const fast = new BatchCard(FIXTURE_TIME);
			if (fast.line.read(bytes, 0, bytes.length) !== bytes.length || !fast.readPlain(bytes)) return;
			plain++;
			const careful = new BatchCard(FIXTURE_TIME);
			careful.readText(bytes);
			t.deepEqual(outcome(fast), outcome(careful));
		}),
		{ numRuns: runs(3000) },
	);
	t.true(plain > runs(200), `${plain} were plain`);
});

function outcome({ fields, cvv, warning, error }: BatchCard) {
	const hex = (bytes: Uint8Array | null | undefined) => bytes && Buffer.from(bytes).toString('hex');
	if (!fields) return { error };
	const { expiry, type, digits, digitCount } = fields;
	const texts = [fields.spelling, fields.name, fields.issueNumber, fields.owner, fields.virtual, cvv].map(hex);
	return { error, warning, expiry, type, texts, digits: hex(digits.subarray(0, digitCount)) };
}

test('a card is found in its JSON only when all of it is there and plain', (t) => {
	const line = new CardLine();
	const json = Buffer.from(JSON.stringify({ '@schemaVersion': '1.0', ...CARD }));
	t.is(line.read(json, 0, json.length), json.length);
	for (let cut = 0; cut < json.length; cut++) t.is(line.read(json, 0, cut), -1, `cut at ${cut}`);
	for (const odd of ['{"bankcard":{}}', '{"BankCard":{"CVV":306}}', '{"BankCard":{"CVV":"1","CVV":"2"}}', '{}', '[]']) {
		t.is(line.read(Buffer.from(odd), 0, odd.length), -1, odd);
	}
});
