import test from 'ava';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { catalogue } from '../../src/base/errors.ts';
import type { Schemas } from '../helpers/generated/api.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { openApiClient } from '../helpers/openapi-client.ts';
import { resolveResponse } from '../helpers/openapi-document.ts';
import { open } from './openapi.setup.ts';

test('parameters have the type and the values that are to be sent', async (t) => {
	const { parts, operations } = await open(t);
	const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
	const schemasOf = (wanted: string) => {
		const found = parameters.filter(({ name }) => name === wanted);
		t.true(found.length > 0, wanted);
		return found.map(({ schema }) => schema!);
	};
	for (const schema of schemasOf('filter'))
		t.deepEqual([...(schema.enum as string[])].sort(), [...parts.formats.keys()].sort());
	for (const name of ['async', 'eliminateCardDuplication', 'saveCVV', 'overwrite']) {
		for (const { type } of schemasOf(name)) t.is(type, 'boolean', name);
	}
	for (const { type } of schemasOf('timeout')) t.is(type, 'integer');
	for (const name of ['httpMethod', 'destinationType'])
		for (const schema of schemasOf(name)) t.true(Array.isArray(schema.enum), name);
	for (const call of ['relay', 'capture']) {
		const { operation } = operations.find(({ name }) => name === `POST /api/payments/paycard/${call}`)!;
		t.true(operation.parameters!.find(({ name }) => name === 'profileName')!.required, call);
	}
});

test('the document lists card types, lengths, and the headers of every answer', async (t) => {
	const { client, operations } = await open(t);
	const { BankCard, CardMetadata } = client.document.components!.schemas as Record<
		string,
		{ properties: Record<string, never> }
	>;
	t.deepEqual(BankCard.properties.Type, {
		...{ description: 'Checked against the number; a mismatch is a warning. Codes such as `VI` are taken too.' },
		...{ type: ['string', 'null'], enum: [...CARD_TYPES, null] },
	} as never);
	t.like(BankCard.properties.Number, { minLength: 12, maxLength: 22 });
	t.like(CardMetadata.properties.CardType, { anyOf: [{ enum: [...CARD_TYPES] }, { type: 'null' }] });
	t.like(CardMetadata.properties.LastDigits, { anyOf: [{ minLength: 4, maxLength: 4 }, { type: 'null' }] });
	for (const { name, operation } of operations) {
		for (const [status, given] of Object.entries(operation.responses)) {
			const headers = Object.keys(resolveResponse(given, client.document).headers ?? {});
			t.true(headers.includes('X-Request-Id') && headers.includes('X-service-Warnings'), `${name} ${status}`);
		}
		const strict = operation.parameters!.some((parameter) => parameter.name === 'X-service-Strict');
		t.is(strict, !name.includes('/api/inbound/'), name);
	}
});

/**
 * Matches routes that are not documented: the document itself, pages with what they load or send, the list of what they
 * load, and the preflight calls that browsers make by themselves.
 */
const UNDOCUMENTED =
	/^GET \/(docs|assets|lib\/|openapi\.json|integrity\.json)|^OPTIONS \/api\/eWalletOperation\/session|^POST \S+\/capture(card|cvv)$|^GET \S+\/capture(card|cvv)\/:secret$|^\w+ \/card(view|request)\//;

test('every route of the app is documented, but for the document itself, pages and what pages send', async (t) => {
	const { parts, operations } = await open(t);
	const documented = operations
		// Writes paths as the router prints them, and leaves out HEAD, which the router adds to every GET itself.
		.map(({ name }) => name.replace('/{rest}', '*').replace(/\{(\w+)\}/g, ':$1'))
		.filter((name) => !name.startsWith('HEAD '))
		.sort();
	const registered = parts.app
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
		.found.filter((name) => !UNDOCUMENTED.test(name));
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
	const session = await client.expect(200, 'POST /api/payments/paycard/tempsession');
	t.regex(session.body, /^ts_/);
	t.is((await client.call('GET /api')).statusCode, 200);
	// @ts-expect-error there is no such operation
	await t.throwsAsync(() => client.call('GET /api/nothing'), { message: /not documented/ });
	// @ts-expect-error the operation has no such parameter
	await t.throwsAsync(() => client.call('GET /api', { query: { x: 1 } }), { message: /x is not documented/ });
});

test('a client made of the document is refused as documented', async (t) => {
	const { parts } = await open(t);
	const stranger = await openApiClient(parts.app, { 'x-service-api-key': 'wrong' });
	const refused = await stranger.expect(401, 'POST /api/payments/paycard/tempsession');
	t.is(refused.body, undefined);
});

test('spec §7.4: a file that the page does not have is an empty 404, wherever its path leads', async (t) => {
	const parts = await openHttpApp(t);
	for (const path of ['x', '..%2fx', '%00', '%5c..%5cx', '.git', 'sub/']) {
		const response = await parts.app.inject({ method: 'GET', url: `/docs/static/${path}` });
		t.deepEqual([response.statusCode, response.body], [404, ''], path);
	}
	t.false(parts.logText().includes('"level":"error"'));
});

test('every named schema is in the document once, and generated clients have a type of that name', async (t) => {
	const { client, operations } = await open(t);
	const names = Object.keys(client.document.components.schemas);
	for (const name of ['BankCard', 'CardData', 'MaskedCard', 'CardMetadata', 'Job', 'JobReport', 'StandardError']) {
		t.true(names.includes(name), name);
	}
	const text = JSON.stringify(client.document);
	for (const name of names) {
		t.regex(name, /^[A-Z]\w+$/);
		t.true(text.includes(`"$ref":"#/components/schemas/${name}"`), `${name} is referred to`);
	}
	for (const { name, operation } of operations) {
		const contents = [
			operation.requestBody?.content,
			...Object.values(operation.responses).map((each) => each.content),
		];
		for (const content of contents) {
			for (const { schema } of Object.values(content ?? {})) {
				t.false(
					'properties' in (schema ?? {}) && !name.includes('/cvvRetentionPolicy/') && !name.includes('validateResults'),
					name,
				);
			}
		}
	}
	const card: Schemas['BankCard'] = { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } };
	const stored = await client.expect(201, 'POST /api/payments/paycard', {
		body: { BankCard: card } satisfies Schemas['CardData'],
	});
	const masked: Schemas['MaskedBankCard'] = stored.body.BankCard;
	t.is(masked.Number, '411111******1111');
});
