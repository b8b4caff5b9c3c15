// Checks values inside objects and arrays that are themselves the value of a card field.

import test, { type ExecutionContext } from 'ava';
import { simplejson } from '../../../formats/simplejson.ts';
import { EXPIRY_ABSENT } from '../../../src/base/card/expiry.ts';
import { Findings } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';

const NUMBER = '4111111111111111';
const WINDOWS = [undefined, [1], [7]] as const;

function scan(t: ExecutionContext, text: string) {
	const options = simplejson.options.parse({});
	const [found, ...others] = WINDOWS.map((windowSizes) =>
		scanAll(simplejson, options, Buffer.from(text), { windowSizes }),
	);
	for (const other of others) t.deepEqual(other, found);
	return found;
}

function notices(text: string): string[] {
	const bytes = Buffer.from(text);
	const found = new Findings();
	simplejson.scanner(simplejson.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, found);
	return [...found.notices];
}

const isCard = test.macro({
	exec(t: ExecutionContext, text: string, cvv: string | undefined, expiry: number) {
		const cards = scan(t, text);
		t.is(cards.length, 1);
		t.is(cards[0].number.raw, NUMBER);
		t.is(cards[0].cvv?.raw, cvv);
		t.is(cards[0].expiry, expiry);
		t.deepEqual(notices(text), []);
	},
	title: (title) => `${title} is read as one card`,
});

const CARD = `"cardNumber":"${NUMBER}"`;

test('a CVV in an object of DynamoDB', isCard, `{${CARD},"expiry":"12/29","cvv":{"S":"123"}}`, '123', 202912);
test('a CVV in an object of MongoDB', isCard, `{${CARD},"expiry":"12/29","cvv":{"$numberInt":"123"}}`, '123', 202912);
test('a CVV as a bare number in an object', isCard, `{${CARD},"expiry":"12/29","cvv":{"N":123}}`, '123', 202912);
test('a CVV under a word for a number', isCard, `{${CARD},"expiry":"12/29","cvv":{"number":"123"}}`, '123', 202912);
test(
	'a card of XML elements',
	isCard,
	`{"CardNumber":["${NUMBER}"],"CVV":["123"],"ExpireDate":["0120"]}`,
	'123',
	202001,
);
test(
	'a card of XML elements without a CVV',
	isCard,
	`{"CardNumber":["${NUMBER}"],"ExpireDate":["0120"]}`,
	undefined,
	202001,
);
test(
	'an expiry with its parts in arrays',
	isCard,
	`{${CARD},"ExpirationDate":[{"Month":["12"],"Year":["2029"]}]}`,
	undefined,
	202912,
);
test('an array of year and month', isCard, `{${CARD},"expiryDate":[2029,12]}`, undefined, 202912);
test('an array of year, month and day', isCard, `{${CARD},"expiryDate":[2029,12,31]}`, undefined, 202912);
test('an array of month and year', isCard, `{${CARD},"expiryDate":["12","29"]}`, undefined, 202912);
test('an expiry of the keys m and y', isCard, `{${CARD},"expiry":{"m":1,"y":20}}`, undefined, 202001);
test(
	'a date under words of a booking',
	isCard,
	`{${CARD},"month":{"count":1},"year":{"count":20}}`,
	undefined,
	EXPIRY_ABSENT,
);
test('a CVV object that holds no code', isCard, `{${CARD},"expiry":"12/29","cvv":{"result":"M"}}`, undefined, 202912);

test('stars in an object are found again, so that detokenizing finds them', (t) => {
	const [card] = scan(t, `{"cardNumber":"${'ab'.repeat(16)}","cvv":{"S":"***"}}`);
	t.is(card.cvv?.raw, '***');
});

test('a number in an object with an unknown key is left to the search outside the card fields', (t) => {
	t.deepEqual(scan(t, `{"cardNumber":{"S":"${NUMBER}"},"cvv":{"S":"123"}}`), []);
});

const tells = test.macro({
	exec(t: ExecutionContext, text: string, pattern: RegExp | undefined) {
		const found = notices(text);
		t.is(found.length, pattern === undefined ? 0 : 1, found.join('\n'));
		if (pattern !== undefined) t.regex(found[0], pattern);
	},
	title: (title, _, pattern) => `${title} is ${pattern === undefined ? 'not ' : ''}told`,
});

const UNREAD = /^The key cvv is called like the security code/;
const SPLIT = /^The key cardNumber holds a part of a card number/;

test('a CVV object with two values', tells, `{${CARD},"cvv":{"a":"123","b":"x"}}`, UNREAD);
test('a CVV in an array inside its object', tells, `{${CARD},"cvv":{"L":[{"S":"123"}]}}`, UNREAD);
test(
	'a number in three parts',
	tells,
	'{"cardNumber":{"first6":"411111","middle6":"111111","last4":"1111"},"expiry":"12/29"}',
	SPLIT,
);
test('JSON: a number in two parts', tells, '{"cardNumber":{"bin":"411111","rest":1111111111}}', SPLIT);
test(
	'a number with a wrong check digit in three parts',
	tells,
	'{"cardNumber":{"first6":"411111","middle6":"111111","last4":"1112"}}',
	undefined,
);
test(
	'the first and last digits of a number',
	tells,
	'{"cardNumber":{"bin":"41111111","last4":"1111","length":16}}',
	undefined,
);
test(
	'a number in four members with the words for one',
	tells,
	'{"number1":"4111","number2":"1111","number3":"1111","number4":"1111","expiry":"12/29"}',
	/^The key number1 holds a part of a card number/,
);
test(
	'a number in four members in a card object',
	tells,
	'{"card":{"card1":"4111","card2":1111,"card3":1111,"card4":1111}}',
	/^The key card1 holds a part of a card number/,
);
test(
	'a number in four members of other names',
	tells,
	'{"number":"4111","number2":"1111","account":"11111111"}',
	undefined,
);
test(
	'each CVV object of an array, under the name of the array,',
	tells,
	`{${CARD},"cvv":[{"a":"123","b":"x"},{"a":"123","b":"x"}]}`,
	UNREAD,
);

const DATES = /^The key expiry holds several expiries/;
test('a list of several expiries', tells, `{${CARD},"expiry":["12/29","01/30"]}`, DATES);
test(
	'a list of expiries before that of the cards',
	tells,
	`{"expiry":["12/29","01/30"],"cards":["${NUMBER}","${NUMBER}"]}`,
	DATES,
);
test(
	'a list of expiries beside a list of card objects',
	tells,
	`{"cards":[{${CARD}},{${CARD}}],"expiry":["1229","0130","0231"]}`,
	DATES,
);
test('a list of expiries without a card', tells, '{"expiry":["12/29","01/30"],"card":"Visa"}', undefined);
test('a card beside several expiries has none', (t) => {
	const [card, ...others] = scan(t, `{${CARD},"expiry":["12/29","01/30"]}`);
	t.is(card.expiry, EXPIRY_ABSENT);
	t.deepEqual(others, []);
});

const split = (name: string) => new RegExp(`^The key ${name} holds a part of a card number`);
test(
	'a number in the members bin, middle and last4',
	tells,
	'{"bin":"411111","middle":"111111","last4":"1111"}',
	split('bin'),
);
test('a number in such members as bare numbers', tells, '{"bin":411111,"middle":111111,"last4":1111}', split('bin'));
test(
	'a number in such members of other spellings and order',
	tells,
	'{"last_four":"1111","id":"77","card-first-6":"411111","exp":"12/29","mid_digits":"111111"}',
	split('card-first-6'),
);
test('JSON: a number in bin and rest', tells, '{"card":{"iin":"37828224","rest":"6310005"}}', split('iin'));
test(
	'a number in prefix, center and suffix',
	tells,
	'[{"prefix":"4111","center":"11111111","suffix":1111}]',
	split('prefix'),
);
test(
	'a number in four parts with ordinals',
	tells,
	'{"part1":"4111","part2":"1111","amount":"120000","part3":"1111","part4":"1111"}',
	split('part1'),
);
test(
	'a number in four fields of a form',
	tells,
	'{"card":"4111","card2":"1111","card3":"1111","card4":"1111","cardType":"VI"}',
	split('card'),
);
test(
	'a number in parts beside a whole one',
	tells,
	`{${CARD},"first6":"411111","middle6":"111111","last4":"1111"}`,
	split('first6'),
);
test('a number in an array of a word for one', tells, '{"number":["4111","1111","1111","1111"]}', split('number'));
test(
	'the first six and last four digits',
	tells,
	'{"first6":"411111","last4":"1111","amount":120000,"expiry":"12/29"}',
	undefined,
);
test('an amount beside first and last digits', tells, '{"bin":"411111","amount":"111111","last4":"1111"}', undefined);
test('a masked middle', tells, '{"bin":"411111","middle":"XXXXXX","last4":"1111"}', undefined);
test(
	'the ends of a range',
	tells,
	'{"first":"41111111","last":"11111111","start":"41111111","end":"11111111"}',
	undefined,
);
test(
	'fields of a form that holds no card',
	tells,
	'{"field1":"4111","field2":"1111","field3":"1111","field4":"1111"}',
	undefined,
);
test('parts with a wrong check digit', tells, '{"bin":"411111","middle":"111111","last4":"1112"}', undefined);
test('two numbers of which one has an ordinal', tells, '{"number":"41111111","number2":"11111111"}', undefined);

test('a number in parts is told whatever the windows are, and its object changes nothing else', (t) => {
	const object = '{"bin":"411111","note":"123","middle":"111111","last4":"1111","x":{"cvv":"123"}}';
	const text = `[${object},${object},{"a":[{"first6":"411111"},{"middle6":"111111"},{"last4":"1111"}]},{${CARD},"cvv":"123"}]`;
	const bytes = Buffer.from(text);
	for (const size of [1, 5, 64, bytes.length]) {
		const scanner = simplejson.scanner(simplejson.options.parse({}), 'tokenize');
		const found = new Findings();
		for (let settled = 0, to = 0; to < bytes.length; ) {
			to = Math.min(bytes.length, to + size);
			found.length = 0;
			settled = scanner.scan(bytes, settled, to, to === bytes.length, found);
		}
		t.deepEqual([...found.notices].filter((notice) => /part of a card/.test(notice)).length, 1, `windows of ${size}`);
		t.is(found.notices.size, 3);
	}
	t.is(scan(t, text)[0].cvv?.raw, '123');
});
