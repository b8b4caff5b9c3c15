// Those tests of openapi.test.ts that take long.

import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { resolveResponse, schemaChecks } from '../helpers/openapi-document.ts';
import { OPENAPI_SCHEMA } from '../helpers/openapi-schema.ts';
import { open } from './openapi.setup.ts';

test('the document is public, of version 3.1, and names this installation', async (t) => {
	const { parts, client } = await open(t);
	const response = await parts.app.inject({ method: 'GET', url: '/openapi.json' });
	t.is(response.statusCode, 200);
	t.is(response.headers['content-type'], 'application/json; charset=utf-8');
	t.regex(client.document.openapi, /^3\.1\.\d$/);
	t.deepEqual(client.document.servers, [{ url: parts.settings.baseUrl }]);
});

test('the document is one of OpenAPI 3.1, with nothing in it that the standard does not have', async (t) => {
	const { client } = await open(t);
	const check = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(OPENAPI_SCHEMA);
	t.true(check(client.document), JSON.stringify(check.errors, null, '\t'));
	const tags = client.document.tags!.map(({ name }) => name);
	const used = Object.values(client.document.paths).flatMap((methods) =>
		Object.values(methods).flatMap((operation) => operation.tags),
	);
	t.deepEqual([...new Set(used)].sort(), tags.sort() as never, 'every tag is described');
});

test('every reference leads somewhere and every schema is one', async (t) => {
	const { client, operations } = await open(t);
	const text = JSON.stringify(client.document);
	for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
		const found = pointer
			.split('/')
			.reduce<unknown>((place, name) => (place as Record<string, unknown>)?.[name], client.document);
		t.truthy(found, pointer);
	}
	const compile = schemaChecks(client.document);
	for (const { name, operation } of operations) {
		for (const { schema } of operation.parameters ?? []) t.notThrows(() => compile(schema ?? {}), name);
		const contents = [
			operation.requestBody?.content,
			...Object.values(operation.responses).map(({ content }) => content),
		];
		for (const content of contents) {
			for (const { schema } of Object.values(content ?? {})) t.notThrows(() => compile(schema ?? {}), name);
		}
	}
});

test('every operation has a name of its own, a summary, its parameters and described answers', async (t) => {
	const { client, operations } = await open(t);
	const names = operations.map(({ operation }) => operation.operationId);
	t.is(new Set(names).size, names.length, names.join(', '));
	for (const { name, path, operation } of operations) {
		t.regex(operation.operationId, /^[a-z]\w+$/, name);
		for (const member of ['summary', 'description', 'tags', 'security'] as const) {
			t.truthy(operation[member], `${name}: ${member}`);
		}
		t.is(operation.tags?.length, 1, name);
		const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
		const expected = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter);
		t.deepEqual(inPath.map((parameter) => parameter.name).sort(), expected.sort(), name);
		t.true(
			inPath.every(({ required }) => required),
			name,
		);
		for (const [status, response] of Object.entries(operation.responses)) {
			t.regex(status, /^([1-5]\d\d|[1-5]XX|default)$/, name);
			t.truthy(resolveResponse(response, client.document).description, `${name} ${status}`);
		}
		const isPublic = operation.security?.length === 0;
		t.is('401' in operation.responses, !isPublic, name);
		for (const status of ['429', '503']) if (!isPublic) t.true(status in operation.responses, `${name} ${status}`);
		for (const status of ['400', '500']) t.true(status in operation.responses, `${name} ${status}`);
		if (operation['x-permission']) t.true('403' in operation.responses, name);
	}
});

test('generators can make identifiers of what stands in paths and answers', async (t) => {
	const { operations } = await open(t);
	for (const { name, path, operation } of operations) {
		for (const [, parameter] of path.matchAll(/\{([^}]*)\}/g)) t.regex(parameter, /^[A-Za-z]\w*$/, name);
		for (const status of Object.keys(operation.responses)) t.regex(status, /^([1-5]\d\d|default)$/, name);
	}
});

test('the document lists the headers that a call reads and those of its answer', async (t) => {
	const { client, operations } = await open(t);
	const get = (call: string) => operations.find(({ name }) => name === call)!.operation;
	const relay = get('POST /api/payments/paycard/relay');
	const sent = relay.parameters!.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
	t.true(
		['X-service-cardUri', 'X-service-Target-Authorization', 'Idempotency-Key'].every((name) => sent.includes(name)),
	);
	const captured = get('POST /api/payments/paycard/capture').responses[200].headers!;
	t.deepEqual(Object.keys(captured), [
		...['X-service-cardUri', 'X-service-Tokenization-Errors', 'X-service-Tokenization-Warnings'],
		...['X-Request-Id', 'X-service-Warnings'],
	]);
	const unavailable = resolveResponse(relay.responses[503], client.document);
	t.deepEqual(Object.keys(unavailable.headers!), ['Retry-After', 'X-Request-Id', 'X-service-Warnings']);
	// The client compares the headers of every answer with those that the document lists.
	const body = { BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } };
	const stored = await client.expect(201, 'POST /api/payments/paycard', { body });
	t.is(stored.headers['x-service-tokenization-warnings'], 'The Card type is missing');
});

test('a card is stored, looked at, listed and deleted through a client made of the document', async (t) => {
	const { client } = await open(t);
	const body = { BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } };
	const stored = await client.expect(201, 'POST /api/payments/paycard', { body, query: { ref: 'order-1' } });
	t.is(stored.body.BankCard.Number, '411111******1111');
	const call = { path: { cardToken: String(stored.headers.location).slice(-32) } };
	const metadata = await client.expect(200, 'GET /api/payments/paycard/{cardToken}/meta', call);
	t.is(metadata.body.LastDigits, '1111');
	const listed = await client.expect(200, 'GET /api/payments/paycard/meta', { query: { ref: 'order-1', num: 5 } });
	t.deepEqual(
		listed.body.map(({ URI }) => URI),
		[metadata.body.URI],
	);
	const asXml = { ...call, as: 'application/xml' } as const;
	const inXml = await client.expect(200, 'GET /api/payments/paycard/{cardToken}/meta', asXml);
	t.true(inXml.body.startsWith('<CardMetadata>'));
	await client.expect(200, 'DELETE /api/payments/paycard/{cardToken}', call);
	const gone = await client.expect(404, 'DELETE /api/payments/paycard/{cardToken}', call);
	t.is(gone.body?.code, -160);
	await client.expect(401, 'GET /api/payments/paycard/{cardToken}/meta', call);
	await t.throwsAsync(() => client.call('GET /api/payments/paycard/{cardToken}/meta', { path: { cardToken: 'x' } }));
});

test('the page loads its own files and the document, and its policy allows nothing else', async (t) => {
	const { parts } = await open(t);
	const page = await parts.app.inject({ method: 'GET', url: '/docs' });
	t.is(page.statusCode, 200);
	t.regex(page.headers['content-type'] as string, /^text\/html/);
	const policy = page.headers['content-security-policy'] as string;
	t.true(policy.includes("default-src 'none'; script-src 'self';"));
	t.false(/https:|\*|unsafe-eval/.test(policy));
	const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
	t.true(loaded.length >= 5);
	for (const url of [...loaded, '/docs/json']) {
		t.true(url.startsWith('/docs/'), url);
		t.is((await parts.app.inject({ method: 'GET', url })).statusCode, 200, url);
	}
	// The policy of the page would not run scripts and handlers that are written into it.
	t.false(/<script(?![^>]* src=)|<style|\son\w+=/.test(page.body));
});
