import test from 'ava';
import { bodyFormat, errorFormat, successFormat } from '../../src/doors/http/negotiation/negotiation.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

type Format = 'json' | 'xml';

const negotiates = test.macro({
	exec(t, accept: string | undefined, success: Format, error: Format) {
		t.is(successFormat(accept), success);
		t.is(errorFormat(accept), error);
	},
	title: (_, accept, success, error) =>
		`spec §7.2: Accept ${accept === undefined ? 'absent' : `'${accept}'`} gives ${success} answers and ${error} errors`,
});
test(negotiates, undefined, 'json', 'xml');
test(negotiates, '', 'json', 'xml');
test(negotiates, '*/*', 'json', 'xml');
test(negotiates, 'text/html', 'json', 'xml');
test(negotiates, 'application/json', 'json', 'json');
test(negotiates, 'text/json', 'json', 'xml');
test(negotiates, 'application/xml', 'xml', 'xml');
test(negotiates, 'text/xml', 'xml', 'xml');
test(negotiates, 'text/html, application/json', 'json', 'xml');
test(negotiates, 'text/html, application/xml', 'json', 'xml');
test(negotiates, 'text/html,application/xml', 'xml', 'xml');
test(negotiates, 'Application/JSON', 'json', 'xml');
test(negotiates, 'Application/XML', 'json', 'xml');
test(negotiates, 'application/json; charset=utf-8', 'json', 'xml');
test(negotiates, 'application/xml; charset=utf-8', 'json', 'xml');
test(negotiates, 'application/xml;q=0.9', 'json', 'xml');
test(negotiates, 'application/json,application/xml', 'json', 'xml');
test(negotiates, 'application/xml,application/json', 'xml', 'xml');
test(negotiates, ' application/json', 'json', 'xml');
test(negotiates, ' application/xml', 'json', 'xml');
test(negotiates, 'application/json,', 'json', 'xml');
test(negotiates, 'constructor,__proto__,application/xml', 'xml', 'xml');

const readsBody = test.macro({
	exec(t, contentType: string | undefined, format: Format | undefined) {
		t.is(bodyFormat(contentType), format);
	},
	title: (_, contentType, format) => `shapes §1: a body of type ${contentType} is read as ${format}`,
});
test(readsBody, 'application/json', 'json');
test(readsBody, 'text/json; charset=utf-8', 'json');
test(readsBody, 'Application/Vnd.Agency+JSON', 'json');
test(readsBody, 'application/xml', 'xml');
test(readsBody, 'text/xml;charset=utf-8', 'xml');
test(readsBody, 'application/soap+xml', 'xml');
test(readsBody, 'application/jsonx', undefined);
test(readsBody, 'text/plain', undefined);
test(readsBody, undefined, undefined);

const JSON_TYPE = 'text/json; charset=utf-8';
const XML_TYPE = 'application/xml; charset=utf-8';

test('spec §7.2.3, §7.1: answers are text/json with null, or XML with the absent left out', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const json = await caller.inject('GET', '/probe', { headers: { accept: 'application/json' } });
	t.is(json.headers['content-type'], JSON_TYPE);
	t.is(json.json().nothing, null);
	const xml = await caller.inject('GET', '/probe', { headers: { accept: 'application/xml' } });
	t.is(xml.headers['content-type'], XML_TYPE);
	t.regex(xml.body, /^<Caller><userId>agency<\/userId>.*<method>api-key<\/method><\/Caller>$/);
	t.false(xml.body.includes('nothing'));
	const list = await caller.inject('GET', '/probe/list', { headers: { accept: 'text/xml' } });
	t.is(list.body, '<ArrayOfItem><Item><A>1</A></Item><Item><A>2</A></Item></ArrayOfItem>');
	t.deepEqual((await caller.inject('GET', '/probe/list')).json(), [{ A: 1 }, { A: 2 }]);
});

test('spec §7.2.1: the format of an error does not follow the format of the body', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const call = (headers: Record<string, string>, payload: string) =>
		caller.inject('POST', '/probe', { headers, payload });
	const xml = await call({ 'content-type': 'application/json' }, '{}');
	t.is(xml.headers['content-type'], XML_TYPE);
	t.is(
		xml.body,
		'<ErrorBlock><code>-125</code><message>Bad input data</message><moreInfo>Name: is required</moreInfo></ErrorBlock>',
	);
	const json = await call({ 'content-type': 'application/xml', accept: 'application/json' }, '<Probe/>');
	t.is(json.headers['content-type'], JSON_TYPE);
	t.deepEqual(json.json(), { code: -125, message: 'Bad input data', moreInfo: 'Name: is required' });
});

test('spec §7.2.4: invalid fields stand in an object named errors, in the format of successful answers', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	for (const accept of ['*/*', 'text/html, application/json', 'application/json']) {
		const response = await caller.inject('GET', '/probe/fields', { headers: { accept } });
		t.is(response.statusCode, 400);
		t.is(response.headers['content-type'], JSON_TYPE);
		t.deepEqual(response.json(), {
			errors: { amount: ['expected a number above 0'], currencyCode: ['is required'] },
		});
	}
	const xml = await caller.inject('GET', '/probe/fields', { headers: { accept: 'application/xml' } });
	t.is(
		xml.body,
		'<ValidationErrors><errors><error field="amount"><message>expected a number above 0</message></error>' +
			'<error field="currencyCode"><message>is required</message></error></errors></ValidationErrors>',
	);
});

test('query names are matched without regard to case, and unknown ones do not count', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	t.deepEqual((await caller.inject('GET', '/probe/query?NUM=7&ReF=a+b%26c&other=x&other=y')).json(), {
		num: 7,
		ref: 'a b&c',
	});
});
