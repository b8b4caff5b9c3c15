import { type Static, Type } from '@sinclair/typebox';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { choice, flag, optionalText, text } from '../../src/doors/http/calls/fields.ts';
import { Members } from '../../src/doors/http/input/members.ts';
import { parseJsonBody, parseXmlBody } from '../../src/doors/http/input/request-body.ts';
import { noted } from '../../src/doors/http/input/schema-notes.ts';

const JSON_BODY = `{"@schemaVersion":"1.0","Card":{"Type":"Visa","Number":4111111111111111,"Virtual":{"@isMultiuse":false},
	"Expiry":{"Month":"04"},"Empty":"","None":null},"List":[{"A":"1"},{"A":"2"}],"Flag":true,"Count":7}`;
const XML_BODY = `<Root schemaVersion="1.0"><Card><Type>Visa</Type><Virtual isMultiuse="false"/><Number>4111111111111111</Number>
	<Expiry><Month> 04 </Month></Expiry><Empty/></Card><List><Item><A>1</A></Item><Item><A>2</A></Item></List>
	<Flag>true</Flag><Count>7</Count></Root>`;

const FLAG = Type.Unsafe<boolean | string>({ type: ['boolean', 'string'] });
const CARD = Type.Object({
	type: Type.Optional(Type.Unsafe<string | object | boolean | number | { A: string }[]>({})),
	number: text(''),
	Virtual: Type.Optional(Type.Object({ '@isMultiuse': Type.Optional(FLAG) })),
	EXPIRY: Type.Optional(Type.Unsafe<{ Month: string } | string>({ type: 'object' })),
	Empty: optionalText(''),
	None: optionalText(''),
	Absent: Type.Optional(Type.Unsafe<{ A: string } | string>({})),
});
const ROOT = {
	root: 'root',
	schema: Type.Object({
		'@schemaversion': optionalText(''),
		CARD,
		list: Type.Array(Type.Object({ A: text(''), B: text('') })),
		Absent: Type.Optional(Type.Array(Type.Object({}))),
		Flag: flag(),
		Count: Type.Integer(),
	}),
};

for (const [format, body] of [
	['JSON', parseJsonBody(JSON_BODY)],
	['XML', parseXmlBody(XML_BODY)],
] as const) {
	test(`members are read alike from ${format}, in any case of their names`, (t) => {
		const root = Members.of(body, ROOT);
		t.is(root.findText('@schemaversion'), '1.0');
		const card = root.getObject('CARD');
		t.is(card.getText('number'), '4111111111111111');
		t.is(card.findObject('Virtual')!.findBoolean('@isMultiuse'), false);
		t.is(card.findObject('EXPIRY')!.getText('Month'), '04');
		t.is(card.findText('Empty'), undefined);
		t.is(card.findText('None'), undefined);
		t.is(card.findText('Absent'), undefined);
		t.is(card.findObject('Absent'), undefined);
		t.false(card.has('None'));
		t.true(card.has('type'));
		t.deepEqual(
			root.list('list').map((each) => each.getText('A')),
			['1', '2'],
		);
		t.deepEqual(root.list('Absent'), []);
		t.true(root.findBoolean('Flag'));
		t.is(root.findInteger('Count'), 7);
	});

	test(`a problem in ${format} names the path and the expectation`, (t) => {
		const root = Members.of(body, ROOT);
		const card = root.getObject('CARD');
		const problems: [() => unknown, string][] = [
			[() => card.getText('Empty'), 'CARD.Empty: is required'],
			[() => card.getObject('Absent'), 'CARD.Absent: is required'],
			[() => card.findText('EXPIRY'), 'CARD.EXPIRY: expected a single value'],
			[() => card.findObject('type'), 'CARD.type: expected an object'],
			[() => card.list('type'), 'CARD.type: expected a list'],
			[() => card.findBoolean('type'), 'CARD.type: expected true or false'],
			[() => card.findInteger('type'), 'CARD.type: expected a whole number'],
			[() => root.list('list')[1].getText('B'), 'list[1].B: is required'],
		];
		for (const [read, moreInfo] of problems) t.is(moreInfoOf(t, read), moreInfo);
	});
}

function moreInfoOf(t: ExecutionContext, read: () => unknown) {
	return (t.throws(read, { instanceOf: ServiceError }) as ServiceError).moreInfo;
}

const RULES = {
	root: 'Rules',
	schema: Type.Object({
		Month: optionalText('', { pattern: '^(0[1-9]|1[0-2])$' }, { expected: 'two digits, 01 to 12' }),
		Kind: choice(['HostName', 'SFTP']),
		Name: optionalText('', { maxLength: 30 }, { isClear: true }),
		Quota: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
		Uses: Type.Optional(noted(Type.Array(Type.Object({ A: text('') }), { maxItems: 2 }), { things: 'uses' })),
		Part: Type.Optional(
			Type.Union([Type.Object({ Month: text('', { pattern: '^0$' }, { expected: 'nought' }) }), Type.Null()]),
		),
	}),
};
const xmlOf = (value: Record<string, unknown>): string =>
	Object.entries(value)
		.map(([name, inner]) => {
			if (Array.isArray(inner)) return `<${name}>${inner.map((each) => `<I>${xmlOf(each)}</I>`).join('')}</${name}>`;
			return `<${name}>${typeof inner === 'object' ? xmlOf(inner as Record<string, unknown>) : inner}</${name}>`;
		})
		.join('');

test('a member is checked against its schema when it is read, in JSON and XML alike', (t) => {
	const cases: [Record<string, unknown>, (body: Members<Rules>) => unknown, string][] = [
		[{ Month: '13' }, (body) => body.findText('Month'), 'Month: expected two digits, 01 to 12'],
		[{ Kind: 'host' }, (body) => body.getText('Kind'), 'Kind: expected one of HostName, SFTP'],
		[{ Name: 'x'.repeat(31) }, (body) => body.findText('Name'), 'Name: longer than 30 characters'],
		[{ Name: '4111111111111111' }, (body) => body.findText('Name'), 'Name: looks like a card number'],
		[{ Quota: 51 }, (body) => body.findInteger('Quota'), 'Quota: expected 1 to 50'],
		[{ Quota: 0 }, (body) => body.findInteger('Quota'), 'Quota: expected 1 to 50'],
		[{ Uses: [{ A: 1 }, { A: 2 }, { A: 3 }] }, (body) => body.list('Uses'), 'Uses: expected at most 2 uses'],
		[{ Part: { Month: '1' } }, (body) => body.findObject('Part')!.getText('Month'), 'Part.Month: expected nought'],
	];
	for (const [value, read, moreInfo] of cases) {
		t.is(
			moreInfoOf(t, () => read(Members.of({ format: 'json', value }, RULES))),
			moreInfo,
		);
		const xml = parseXmlBody(`<Rules>${xmlOf(value)}</Rules>`);
		t.is(
			moreInfoOf(t, () => read(Members.of(xml, RULES))),
			moreInfo,
		);
	}
	// A member that nobody reads is not checked, so a bad one does no harm.
	t.notThrows(() => Members.of({ format: 'json', value: { Month: '13', Kind: 'host' } }, RULES).findText('Name'));
	t.is(Members.of({ format: 'json', value: { Month: '13' } }, RULES).findUnchecked('Month'), '13');
	t.throws(() => Members.of({ format: 'json', value: { Month: '13' } }, RULES).findText('Month'));
});

type Rules = Static<(typeof RULES)['schema']>;

test('one of some names may be written in any case and is read as the schema has it', (t) => {
	fc.assert(
		fc.property(fc.constantFrom('HostName', 'SFTP'), fc.array(fc.boolean(), { minLength: 8 }), (name, capitals) => {
			const written = [...name].map((each, index) => (capitals[index] ? each.toUpperCase() : each.toLowerCase()));
			const value = { Kind: written.join('') };
			return Members.of({ format: 'json', value }, RULES).getText('Kind') === name;
		}),
	);
	t.pass();
});

test('the compiler knows which members a body has, of which kind they are and which must be there', (t) => {
	const read = (body: Members<Rules>) => {
		// @ts-expect-error the body has no such member
		body.findText('Year');
		// @ts-expect-error `findText` is only for members that may be absent
		body.findText('Kind');
		// @ts-expect-error the member is a text
		body.findInteger('Month');
		const kind: 'HostName' | 'SFTP' = body.getText('Kind');
		return kind;
	};
	t.is(read.length, 1);
});
