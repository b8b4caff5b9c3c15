import test from 'ava';
import fc from 'fast-check';
import {
	CURRENCIES,
	findExponent,
	type Money,
	minorUnits,
	moneyOf,
	readMoney,
} from '../../src/work/payments/gateway/money.ts';

const reads = test.macro((t, text: string, currency: string, minor: number) => {
	const read = readMoney(text, currency) as Money;
	t.is(read.minor, minor);
	t.is(moneyOf(read.minor, currency).minor, minor);
});

test('10.23 is 1023 cents, which no multiplication gives', reads, String(JSON.parse('10.23')), 'USD', 1023);
test('a whole amount', reads, '10', 'EUR', 1000);
test('one decimal', reads, '0.1', 'EUR', 10);
test('a currency without decimals', reads, '500', 'JPY', 500);
test('a currency with three decimals', reads, '1.005', 'KWD', 1005);
test('a currency with four decimals', reads, '0.0001', 'CLF', 1);
test('zeros behind what the currency has say nothing', reads, '10.230', 'USD', 1023);

test('an amount has one spelling, whatever it came in', (t) => {
	const spelled = (text: string, currency: string) => (readMoney(text, currency) as Money).text;
	t.is(spelled('10', 'USD'), '10.00');
	t.is(spelled('0010.5', 'USD'), '10.50');
	t.is(spelled('10.2300000', 'USD'), '10.23');
	t.is(spelled('00500', 'JPY'), '500');
	t.is(spelled('0000000000000000000001', 'KWD'), '1.000');
	t.deepEqual(readMoney('10000000000000', 'USD'), { field: 'Amount', expectation: 'is too large' });
	t.is((readMoney('9999999999999.99', 'USD') as Money).minor, 999_999_999_999_999);
});

test('the table has every exponent once', (t) => {
	t.is(new Set(CURRENCIES).size, CURRENCIES.length);
	t.is(findExponent('usd'), undefined);
	t.is(findExponent('ISK'), 0);
});

test('any amount of any currency comes back from its minor units', (t) => {
	const amounts = fc.record({ minor: fc.integer({ min: 0, max: 1e11 }), currency: fc.constantFrom(...CURRENCIES) });
	fc.assert(
		fc.property(amounts, ({ minor, currency }) => {
			const money = moneyOf(minor, currency);
			t.is((readMoney(money.text, currency) as Money).minor, minor);
			t.is(minorUnits(money), minor);
			// An answer has the amount as a JSON number, which must mean the same.
			t.is((readMoney(String(Number(money.text)), currency) as Money).minor, minor);
		}),
	);
});

test('a provider with other units gets them, or is told that they cannot be said', (t) => {
	t.is(minorUnits(readMoney('5', 'ISK') as Money, { ISK: 2 }), 500);
	t.is(minorUnits(readMoney('5.00', 'IDR') as Money, { IDR: 0 }), 5);
	t.is(minorUnits(readMoney('5.25', 'IDR') as Money, { IDR: 0 }), undefined);
	// An amount of a hundred times as many units is larger than a number can hold exactly.
	t.is(minorUnits(readMoney('999999999999999', 'ISK') as Money, { ISK: 2 }), undefined);
});
