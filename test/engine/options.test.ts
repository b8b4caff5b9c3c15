import test from 'ava';
import { csv } from '../../formats/csv.ts';
import type { Format } from '../../src/engine/format.ts';
import { OptionsError, parseAccountOptions, parseOptions } from '../../src/engine/options.ts';

const format = csv as unknown as Format;

test('options are split into the common part and the own part of the format, and completed', (t) => {
	const { common, format: own } = parseOptions(format, { onRefused: 'mask', delimiter: ';' });
	t.like(common, { onRefused: 'mask', eliminateCardDuplication: false, report: { cards: 'exceptions', csv: false } });
	t.like(own as object, { delimiter: ';' });
});

test('every problem is named together', (t) => {
	const error = t.throws(() => parseOptions(format, { onRefused: 'explode', columns: 7, unheardOf: true }), {
		instanceOf: OptionsError,
	});
	for (const name of ['onRefused', 'columns', 'unheardOf']) t.regex(error.message, new RegExp(name));
});

const refusesNumber = test.macro({
	exec(t, options: unknown) {
		const expected = { instanceOf: OptionsError, message: /must not hold card numbers/ };
		for (const parse of [() => parseOptions(format, options), () => parseAccountOptions(options)]) {
			t.notRegex(t.throws(parse, expected).message, /\d{4}/);
		}
	},
	title: (title) => `options are kept in clear, so a card number is refused, and not repeated: ${title}`,
});
test('as the name of a column', refusesNumber, { columns: { cardNumber: { name: '4111111111111111' } } });
test('in groups', refusesNumber, { merchantId: '4111 1111 1111 1111' });
test('as a number', refusesNumber, { columns: { cardNumber: { index: 4111111111111111 } } });
test('as a key', refusesNumber, { '4111-1111-1111-1111': 1 });
