import test from 'ava';
import { catalogue } from '../../src/errors.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';
import { type Operation, openApiClient, resolveResponse, schemaChecks } from '../helpers/openapi-client.ts';

async function open(t: Parameters<typeof openHttpRooms>[0]) {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const client = await openApiClient(rooms.app, { 'x-service-api-key': caller.apiKey });
	const operations = Object.entries(client.document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			name: `${method.toUpperCase()} ${path}`,
			path,
			operation,
		})),
	);
	return { rooms, client, operations };
}

test('the document is public, of version 3.1, and names this installation', async (t) => {
	const { rooms, client } = await open(t);
	const response = await rooms.app.inject({ method: 'GET', url: '/openapi.json' });
	t.is(response.statusCode, 200);
	t.is(response.headers['content-type'], 'application/json; charset=utf-8');
	t.regex(client.document.openapi, /^3\.1\.\d$/);
	t.deepEqual(client.document.servers, [{ url: rooms.settings.baseUrl }]);
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
		t.truthy(operation.summary, name);
		const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
		const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
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
		t.is('429' in operation.responses, !isPublic, name);
	}
});

test('every route of the app is documented, but for the document itself and its page', async (t) => {
	const { rooms, operations } = await open(t);
	const documented = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1')).sort();
	const registered = rooms.app
		.printRoutes({ commonPrefix: false })
		.split('\n')
		.reduce<{ stack: string[]; found: string[] }>(
			({ stack, found }, line) => {
				const entry = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line);
				if (!entry) return { stack, found };
				const depth = entry[1].length / 4;
				const path = [...stack.slice(0, depth), entry[2]];
				for (const method of entry[3]?.split(', ') ?? []) {
					if (method !== 'HEAD') found.push(`${method} ${path.join('').replaceAll(/\(\^.*?\$\)/g, '')}`);
				}
				return { stack: path, found };
			},
			{ stack: [], found: [] },
		)
		.found.filter((name) => !/^GET \/(docs|openapi\.json)/.test(name));
	t.deepEqual([...new Set(registered)].sort(), documented);
});

test('one row per reason of the catalogue stands on the page, and one example per reason with a body', async (t) => {
	const { client } = await open(t);
	const responses = JSON.stringify(client.document.components.responses);
	for (const [reason, { code }] of Object.entries(catalogue)) {
		const rows = client.document.info.description.split('\n').filter((line) => line.startsWith(`| \`${reason}\` |`));
		t.is(rows.length, 1, reason);
		t.is(responses.includes(`"${reason}":{"value"`), code !== null, reason);
	}
});

test('a client made of the document gets on with the service', async (t) => {
	const { client } = await open(t);
	const token = await client.call('POST /api/payments/paycard/tempsession');
	t.is(token.statusCode, 200);
	const certificate = await client.call('GET /api');
	t.is(certificate.statusCode, 200);
	await t.throwsAsync(() => client.call('GET /api/nothing'), { message: /not documented/ });
	await t.throwsAsync(() => client.call('GET /api', { query: { x: 1 } }), { message: /x is not documented/ });
});

test('a client made of the document is refused as documented', async (t) => {
	const { rooms } = await open(t);
	const stranger = await openApiClient(rooms.app, { 'x-service-api-key': 'wrong' });
	t.is((await stranger.call('POST /api/payments/paycard/tempsession')).statusCode, 401);
});

test('a card is stored, looked at, listed and deleted through a client made of the document', async (t) => {
	const { client } = await open(t);
	const body = { BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } };
	const stored = await client.call('POST /api/payments/paycard', { body, query: { ref: 'order-1' } });
	t.is(stored.statusCode, 201);
	const cardToken = String(stored.headers.location).split('/').at(-1)!;
	const metadata = await client.call('GET /api/payments/paycard/{cardToken}/meta', { path: { cardToken } });
	t.is(metadata.json().LastDigits, '1111');
	t.is((await client.call('GET /api/payments/paycard/meta', { query: { ref: 'order-1', num: 5 } })).json().length, 1);
	const call = { path: { cardToken } };
	t.is((await client.call('DELETE /api/payments/paycard/{cardToken}', call)).statusCode, 200);
	t.is((await client.call('DELETE /api/payments/paycard/{cardToken}', call)).statusCode, 404);
	t.is((await client.call('GET /api/payments/paycard/{cardToken}/meta', call)).statusCode, 401);
	await t.throwsAsync(() => client.call('GET /api/payments/paycard/{cardToken}/meta', { path: { cardToken: 'x' } }));
});

test('every example of a request body is taken as it stands, in every type it is shown in', async (t) => {
	const { rooms, operations } = await open(t);
	const caller = await rooms.createCaller('keeper', { cvvRetention: true });
	let taken = 0;
	for (const { name, operation } of operations) {
		for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
			if (example === undefined) continue;
			const [method, template] = name.split(' ');
			const card = {
				BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' },
			};
			const stored = await caller.inject('POST', '/api/payments/paycard', {
				headers: { 'content-type': 'application/json' },
				payload: JSON.stringify(card),
			});
			const url = template
				.replace('{cardToken}', String(stored.headers.location).split('/').at(-1)!)
				.replace('{destinationType}/{destinationData}', 'HostName/partner.example');
			const payload = typeof example === 'string' ? example : JSON.stringify(example);
			const response = await caller.inject(method as 'POST', url, { headers: { 'content-type': type }, payload });
			t.regex(String(response.statusCode), /^20[01]$/, `${name} ${type}: ${response.body}`);
			taken++;
		}
	}
	t.true(taken >= 9);
	for (const { name, operation } of operations) {
		const isBodyless = /tempsession$|duplicate$|networkToken$|retry$|merchants/.test(name);
		if (/^(POST|PUT) /.test(name)) t.is(operation.requestBody === undefined, isBodyless, name);
	}
});

test('examples of bodies are as their schemas say', async (t) => {
	const { client, operations } = await open(t);
	const compile = schemaChecks(client.document);
	const bodies = (operation: Operation) => [
		operation.requestBody?.content,
		...Object.values(operation.responses).map((response) => resolveResponse(response, client.document).content),
	];
	let checked = 0;
	for (const { name, operation } of operations) {
		for (const content of bodies(operation)) {
			for (const [type, { schema, example, examples }] of Object.entries(content ?? {})) {
				if (!/json$/.test(type) || !schema) continue;
				const check = compile(schema);
				const values = [
					...(example === undefined ? [] : [example]),
					...Object.values(examples ?? {}).map(({ value }) => value),
				];
				for (const value of values) {
					checked++;
					t.true(check(value), `${name}: ${JSON.stringify(check.errors)}`);
				}
			}
		}
	}
	t.true(checked > 0);
});

test('the page loads its own files and the document, and its policy allows nothing else', async (t) => {
	const { rooms } = await open(t);
	const page = await rooms.app.inject({ method: 'GET', url: '/docs' });
	t.is(page.statusCode, 200);
	t.regex(page.headers['content-type'] as string, /^text\/html/);
	const policy = page.headers['content-security-policy'] as string;
	t.true(policy.includes("default-src 'none'; script-src 'self';"));
	t.false(/https:|\*|unsafe-eval/.test(policy));
	const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
	t.true(loaded.length >= 5);
	for (const url of [...loaded, '/docs/json']) {
		t.true(url.startsWith('/docs/'), url);
		t.is((await rooms.app.inject({ method: 'GET', url })).statusCode, 200, url);
	}
	// Scripts and handlers written into the page would not run under the policy.
	t.false(/<script(?![^>]* src=)|<style|\son\w+=/.test(page.body));
});
