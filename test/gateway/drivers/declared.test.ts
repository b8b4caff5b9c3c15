import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import type { OutboundCall } from '../../../src/base/outbound/http-client.ts';
import { DeclarationError } from '../../../src/base/settings/declared-file.ts';
import { readAnswer } from '../../../src/work/payments/gateway/drivers/answer-reader.ts';
import { parseDeclaration } from '../../../src/work/payments/gateway/drivers/declaration.ts';
import { declaredDriver } from '../../../src/work/payments/gateway/drivers/declared.ts';
import { parseTemplate, type Syntax, TemplateError } from '../../../src/work/payments/gateway/drivers/template.ts';
import { readXmlValues } from '../../../src/work/payments/gateway/drivers/xml-text.ts';
import type { Result } from '../../../src/work/payments/gateway/operation.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { CVV, card, context, order, VISA } from '../servers/gateways.ts';

const EXAMPLE = readFileSync(new URL('../../../config/gateways/example-acquirer.yaml', import.meta.url), 'utf8');
const NAMES = new Set(['a', 'b']);

function open(
	text: string,
	answer: () => Promise<{ status: number; body: string }> = async () => ({ status: 200, body: '' }),
) {
	const sent: OutboundCall[] = [];
	const outbound = {
		async call(call: OutboundCall) {
			sent.push(call);
			const { status, body } = await answer();
			return { status, headers: [], body: Buffer.from(body) };
		},
	};
	const { declaration, placeOf } = parseDeclaration(text, 'gateways/x.yaml');
	return { driver: declaredDriver(declaration, { placeOf, outbound }), sent };
}

const refuses = test.macro((t, change: (text: string) => string, message: RegExp) => {
	const changed = change(EXAMPLE);
	t.not(changed, EXAMPLE);
	const error = t.throws(() => open(changed), { instanceOf: DeclarationError });
	t.regex(error.message, message);
});

const put = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
test('a key that is not known', refuses, put('baseUrl:', 'baseURL:'), /^gateways\/x\.yaml:\d+: /);
test(
	'a placeholder that is not known',
	refuses,
	put('{{amount.minor}}', '{{amount.cents}}'),
	/x\.yaml:\d+: operations\.PreAuth\.body\.json: \{\{amount\.cents\}\} is not known/,
);
test(
	'a card number where there is no card',
	refuses,
	put('/captures', '/captures?n={{card.number}}'),
	/operations\.Capture\.path: \{\{card\.number\}\} is not known/,
);
test(
	'a section that does not close',
	refuses,
	put('{{/myRef}}', ''),
	/operations\.PreAuth\.body\.json: .*is not closed|closes nothing/,
);
test(
	'a template that makes no JSON',
	refuses,
	put('"capture": false,', '"capture": false'),
	/operations\.PreAuth\.body: does not make JSON/,
);
test(
	'a value that may be absent, outside of a section',
	refuses,
	put('{{#card.cvv}}"cvv": "{{card.cvv}}",{{/card.cvv}}', '"cvv": "{{card.cvv}}",'),
	/\{\{card\.cvv\}\} has no value/,
);
test(
	'a credential that need not be given, outside of a section',
	refuses,
	put(/^ {4}secret: false$/m, '    secret: false\n    required: false'),
	/operations\.PreAuth\.body: \{\{credentials\.MerchantId\}\} has no value/,
);
test(
	'a header of which the same is true',
	refuses,
	put('description: Key of the interface.', 'required: false'),
	/operations\.PreAuth\.headers\.Authorization: \{\{credentials\.ApiKey\}\} has no value/,
);
test(
	'a path that leads out of the base address',
	refuses,
	put('path: /transactions/', 'path: /../transactions/'),
	/query\.path: a value that cannot stand in a path/,
);
test(
	'a place that is no JSON pointer',
	refuses,
	put('result: /status', 'result: status'),
	/x\.yaml:\d+: answer\.result: expected a place in json/,
);
test(
	'a result that is none of ours',
	refuses,
	put('declined: Rejected', 'declined: Refused'),
	/x\.yaml:\d+: answer\.results\.declined: /,
);
test('no address', refuses, put(/^baseUrl:.*$/m, ''), /baseUrl/);
test('text that is no YAML', refuses, (text) => `${text}\n\t- : {`, /not YAML/);
test(
	'no way to read the answer',
	refuses,
	put(/^answer:\n(?: .*\n|\n)*/m, ''),
	/operations\.PreAuth: no answer is declared/,
);

test('the example sends what it declares, encoded for where it stands', async (t) => {
	const { driver, sent } = open(EXAMPLE, async () => ({ status: 200, body: '{"status":"authorised","id":7}' }));
	const credentials = { ApiKey: 'key-1', MerchantId: 'M "1"' };
	const outcome = await driver.send(
		order('PreAuth'),
		context({ credentials }, { card: { ...card(), name: 'O"Neil \\ é' } }),
	);
	t.like(outcome, { result: 'Success', gatewayReference: '7' });
	t.is(sent[0].url.href, 'https://api.acquirer.example/v1/payments');
	t.deepEqual(JSON.parse(sent[0].body!.toString()), {
		...{ merchant: 'M "1"', transaction: '01kzattempt00000000000000a', capture: false, amount: 1023, currency: 'USD' },
		reference: 'order-1',
		card: { holder: 'O"Neil \\ é', cvv: CVV, number: VISA, expiry: '04/30' },
	});
	const without = { ...card(), cvv: undefined, name: undefined };
	await driver.send(order('PreAuth', { myRef: undefined }), context({ credentials }, { card: without }));
	t.deepEqual(Object.keys(JSON.parse(sent[1].body!.toString()).card), ['number', 'expiry']);
	await driver.send(order('Void', { gatewayReference: 'a:b?c' }), context({ credentials }));
	t.is(sent[2].url.href, 'https://api.acquirer.example/v1/payments/a%3Ab%3Fc?transaction=01kzattempt00000000000000a');
	t.is(sent[2].body, null);
});

const failsWith = test.macro(async (t, error: ServiceError, result: Result | 'unknown') => {
	const { driver } = open(EXAMPLE, () => Promise.reject(error));
	const outcome = await driver.send(
		order('Charge'),
		context({ credentials: { ApiKey: 'k', MerchantId: 'm' } }, { card: card() }),
	);
	t.is(typeof outcome === 'string' ? outcome : outcome.result, result);
});
const unreachable = (code: string) =>
	new ServiceError('target-unreachable', { cause: Object.assign(new Error(code), { code }) });
test('a refused connection: nothing was sent', failsWith, unreachable('ECONNREFUSED'), 'TemporaryFailure');
test('a name that does not resolve: nothing was sent', failsWith, unreachable('ENOTFOUND'), 'TemporaryFailure');
test('a connection that was closed: nobody knows', failsWith, unreachable('ECONNRESET'), 'unknown');
test('a cause that is not known: nobody knows', failsWith, new ServiceError('target-unreachable'), 'unknown');
test('a deadline: nobody knows', failsWith, new ServiceError('request-timed-out'), 'unknown');
test('an address that may not be called', failsWith, new ServiceError('bad-input-data'), 'FatalFailure');
test('a client that is busy: nothing was sent', failsWith, new ServiceError('too-many-calls'), 'TemporaryFailure');

const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });
const wraps = test.macro(
	(
		t,
		syntax: Syntax,
		around: (inner: string) => string,
		read: (made: string) => string | undefined,
		texts: fc.Arbitrary<string>,
	) => {
		const template = parseTemplate(around('{{a}}'), syntax, NAMES);
		fc.assert(
			fc.property(texts, (text) => {
				t.is(read(template.render(new Map([['a', text]]))), text);
			}),
		);
	},
);
// Makes texts that XML can carry. They hold no control characters, and begin and end with a letter, because a reader may
// drop blanks at the ends.
const xmlText = fc.string({ maxLength: 40 }).map((text) => `x${text}x`);
test(
	'any text comes back from a JSON string',
	wraps,
	'json',
	(inner) => `{"k":"${inner}"}`,
	(made) => JSON.parse(made).k,
	anyText,
);
test(
	'any text comes back from a bare JSON value',
	wraps,
	'json',
	(inner) => `{"k":${inner}}`,
	(made) => String(JSON.parse(made).k),
	anyText,
);
test(
	'any text comes back from an XML element',
	wraps,
	'xml',
	(inner) => `<k>${inner}</k>`,
	(made) => readXmlValues(made, ['/k'])?.get('/k'),
	xmlText,
);
test(
	'any text comes back from an XML attribute',
	wraps,
	'xml',
	(inner) => `<k v="${inner}"/>`,
	(made) => readXmlValues(made, ['/k/@v'])?.get('/k/@v'),
	xmlText,
);
test(
	'any text comes back from a form field',
	wraps,
	'form',
	(inner) => `k=${inner}&l=1`,
	(made) => new URLSearchParams(made).get('k') ?? undefined,
	fc.string({ maxLength: 40 }),
);
test(
	'any text is one part of a path',
	wraps,
	'path',
	(inner) => `/p/${inner}/q`,
	(made) => decodeURIComponent(made.split('/')[2]),
	fc.string({ maxLength: 40 }),
);

test('a value that is only dots leads nowhere else', async (t) => {
	const { driver, sent } = open(
		EXAMPLE.replace('{{gatewayReference}}/captures', '{{#myRef}}{{myRef}}{{/myRef}}/captures'),
	);
	for (const myRef of ['.', '..']) {
		const outcome = await driver.send(
			order('Capture', { gatewayReference: 'acq:1', myRef }),
			context({ credentials: { ApiKey: 'key-1', MerchantId: 'M' } }),
		);
		t.like(outcome, {
			result: 'FatalFailure',
			description: 'Nothing was sent: a value that cannot stand in a path',
		});
	}
	t.deepEqual(sent, []);
});

test('a header takes no line of its own', (t) => {
	const template = parseTemplate('Bearer {{a}}', 'header', NAMES);
	t.throws(() => template.render(new Map([['a', 'x\r\nEvil: 1']])), { instanceOf: TemplateError });
});

test('values are read from JSON, XML and forms', (t) => {
	const read = (body: string, format: 'json' | 'xml' | 'form', place: string) =>
		readAnswer(Buffer.from(body), format, [place])?.get(place);
	t.is(read('{"a":{"b/c":[1,true]}}', 'json', '/a/b~1c/1'), 'true');
	t.is(read('{"a":{"b":null}}', 'json', '/a/b'), undefined);
	t.is(read('{"a":1}', 'json', '/constructor'), undefined);
	t.is(read('nonsense', 'json', '/a'), undefined);
	t.is(
		read('<?xml version="1.0"?><s:R xmlns:s="u"><s:A code="05"> no &amp; never </s:A><A>2</A></s:R>', 'xml', '/R/A'),
		'no & never',
	);
	t.is(read('<R><A code="05"/></R>', 'xml', '/R/A/@code'), '05');
	t.is(read('<!DOCTYPE R [<!ENTITY e "x">]><R>&e;</R>', 'xml', '/R'), undefined);
	t.is(read('<R><A></R>', 'xml', '/R/A'), undefined);
	t.is(read('result=1&text=a+b%26c', 'form', 'text'), 'a b&c');
});

test('an answer that is no XML, or too deep, is refused at the first place that shows it', (t) => {
	// The first of these took a second, when the rest of the answer was read too.
	for (const text of [
		'<'.repeat(1024 * 1024),
		'<!--'.repeat(262_144),
		'<a>'.repeat(150_000) + '</a>'.repeat(150_000),
	]) {
		const startedAt = performance.now();
		t.is(readXmlValues(text, ['/a']), undefined);
		t.true(performance.now() - startedAt < 200, text.slice(0, 10));
	}
});

test('an answer is read up to a size that takes some milliseconds', async (t) => {
	const { driver, sent } = open(EXAMPLE);
	const credentials = { ApiKey: 'key-1', MerchantId: 'M' };
	await driver.send(order('Capture', { gatewayReference: 'acq:1' }), context({ credentials }));
	t.is(sent[0].maxAnswerBytes, 128 * 1024);
});
