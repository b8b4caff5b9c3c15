// Checks the examples of the OpenAPI document: every operation is called with what they show, and answers what they show.

import test from 'ava';
import { callShown, openShown } from '../helpers/openapi-calls.ts';
import { resolveResponse, schemaChecks } from '../helpers/openapi-document.ts';

/** The answers that the document shows nowhere, or not as they are, each with the reason. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
	'GET /api': 'a certificate is bytes',
	'GET /api/jobs/{id}/output': 'any file',
	'GET /api/paymentGateway': 'as many as there are drivers',
	'GET /api/routes/{name}/runs': 'what a run has done',
	...Object.fromEntries(
		['capturecard', 'capturecvv', 'displaycard/{token}'].flatMap((page) => [
			[`GET /api/payments/${page}`, 'a page'],
			[`GET /api/payments/paycard/${page}`, 'a page'],
		]),
	),
};

/** What the query asks for in addition, to get this answer. */
const ASKED_FOR: Readonly<Record<string, string>> = {
	'POST /api/files/tokenize 202': 'async=true&name=may.csv',
	'POST /api/files/detokenize 202': 'async=true&name=may.csv',
	'GET /api/payments/paycard/meta 200 text/csv': 'format=csv',
	'GET /api/jobs/{id}/report 200 text/csv': 'format=csv',
};

/** Replaces the tokens, ids and times that the service made up, so that two answers can be compared. */
function settled(text: string): string {
	return (
		text
			.replace(/\b[0-9a-f]{32}\b/gi, 'TOKEN')
			.replace(/\b([tw]s|c[rv])_[\w-]+/g, 'SECRET')
			.replace(/\bwhsec_[\w+/=]+/g, 'SECRET')
			.replace(/(\bcode\W+)\d{6}/g, '$1CODE')
			.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
			.replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'REQUEST')
			.replace(/\bapi-key \d+\b/g, 'KEY')
			.replace(/\b[0-9a-hjkmnp-tv-z]{26}\b/gi, 'ID')
			.replace(/(AuthorizationCode\W+)[0-9A-Z]{6}/g, '$1CODE')
			.replace(/\bagency-\d+\b/g, 'agency')
			// Replaces the last four digits of a network token, which are random.
			.replace(/(\d{6}\*+)\d{4}/g, '$1LAST')
	);
}

test('every example of a request body is taken as it stands, in every type it is shown in', async (t) => {
	const opened = await openShown(t);
	for (const listed of opened.operations) {
		const { name, operation } = listed;
		for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
			t.not(example, undefined, `${name} ${type}`);
			const response = await callShown(opened, listed, { type });
			t.regex(String(response.statusCode), /^20[012]$/, `${name} ${type}: ${response.body}`);
		}
		const isBodyless = /tempsession$|duplicate$|networkToken$|jobs.*retry$|merchants|routes.*run$|rotate$/.test(name);
		if (/^(POST|PUT) /.test(name)) t.is(operation.requestBody === undefined, isBodyless, name);
	}
});

test('every operation answers what its examples show, in every type they are shown in', async (t) => {
	const opened = await openShown(t);
	for (const listed of opened.operations) {
		const { name, operation } = listed;
		for (const [status, { content, headers = {} }] of Object.entries(operation.responses)) {
			if (!status.startsWith('2') || name in NOT_COMPARED) continue;
			for (const [as, { example }] of content ? Object.entries(content) : [['', { example: '' }] as const]) {
				const answer = `${name} ${status} ${as}`;
				t.not(example, undefined, answer);
				const response = await callShown(opened, listed, {
					type: Object.keys(operation.requestBody?.content ?? {})[0],
					accept: as === 'application/xml' || as === 'text/csv' ? as : 'application/json',
					query: ASKED_FOR[`${name} ${status}`] ?? ASKED_FOR[answer],
				});
				t.is(String(response.statusCode), status, `${answer}: ${response.body}`);
				t.is('location' in response.headers, 'Location' in headers, `${answer}: Location`);
				if (as !== '') t.is(String(response.headers['content-type']).split(';')[0], as, answer);
				if (!/\/json$/.test(as)) t.is(settled(response.body), settled(String(example)), answer);
				else t.deepEqual(JSON.parse(settled(response.body)), JSON.parse(settled(JSON.stringify(example))), answer);
			}
		}
	}
});

test('examples are as their schemas say', async (t) => {
	const { document, operations } = await openShown(t);
	const compile = schemaChecks(document);
	for (const { name, operation } of operations) {
		for (const { name: parameter, schema, example } of operation.parameters ?? []) {
			if (example !== undefined) t.true(compile(schema ?? {})(example), `${name} ${parameter}`);
		}
		const contents = [
			operation.requestBody?.content,
			...Object.values(operation.responses).map((response) => resolveResponse(response, document).content),
		];
		for (const content of contents) {
			for (const [type, { schema, example, examples = {} }] of Object.entries(content ?? {})) {
				const check = compile(schema ?? {});
				for (const value of [
					...(example === undefined ? [] : [example]),
					...Object.values(examples).map((each) => each.value),
				]) {
					t.true(check(value), `${name} ${type}: ${JSON.stringify(check.errors)}`);
				}
			}
		}
	}
});
