import test from 'ava';
import { ServiceError } from '../../src/errors.ts';
import { Members, parseJsonBody, parseXmlBody } from '../../src/http/input/request-body.ts';

const JSON_BODY = `{"@schemaVersion":"1.0","Card":{"Type":"Visa","Number":4111111111111111,"Virtual":{"@isMultiuse":false},
	"Expiry":{"Month":"04"},"Empty":"","None":null},"List":[{"A":"1"},{"A":"2"}],"Flag":true,"Count":7}`;
const XML_BODY = `<Root schemaVersion="1.0"><Card><Type>Visa</Type><Virtual isMultiuse="false"/><Number>4111111111111111</Number>
	<Expiry><Month> 04 </Month></Expiry><Empty/></Card><List><Item><A>1</A></Item><Item><A>2</A></Item></List>
	<Flag>true</Flag><Count>7</Count></Root>`;

for (const [format, body] of [
	['JSON', parseJsonBody(JSON_BODY)],
	['XML', parseXmlBody(XML_BODY)],
] as const) {
	test(`members are read alike from ${format}`, (t) => {
		const root = Members.of(body, 'root');
		t.is(root.findText('@schemaversion'), '1.0');
		const card = root.findObject('CARD')!;
		t.is(card.getText('number'), '4111111111111111');
		t.is(card.findObject('Virtual')!.findBoolean('@isMultiuse'), false);
		t.is(card.findObject('expiry')!.getText('Month'), '04');
		t.is(card.findText('Empty'), undefined);
		t.is(card.findText('None'), undefined);
		t.is(card.findText('Absent'), undefined);
		t.is(card.findObject('Absent'), undefined);
		t.false(card.has('None'));
		t.true(card.has('Type'));
		t.deepEqual(
			root.list('list').map((each) => each.getText('A')),
			['1', '2'],
		);
		t.deepEqual(root.list('Absent'), []);
		t.true(root.findBoolean('Flag'));
		t.is(root.findInteger('Count'), 7);
	});

	test(`a problem in ${format} names the path and the expectation`, (t) => {
		const root = Members.of(body, 'Root');
		const card = root.findObject('Card')!;
		const problems: [() => unknown, string][] = [
			[() => card.getText('Empty'), 'Card.Empty: is required'],
			[() => card.findText('Expiry'), 'Card.Expiry: expected a single value'],
			[() => card.findObject('Type'), 'Card.Type: expected an object'],
			[() => card.list('Type'), 'Card.Type: expected a list'],
			[() => card.findBoolean('Type'), 'Card.Type: expected true or false'],
			[() => card.findInteger('Type'), 'Card.Type: expected a whole number'],
			[() => root.list('List')[1].getText('B'), 'List[1].B: is required'],
		];
		for (const [read, moreInfo] of problems) {
			t.is((t.throws(read, { instanceOf: ServiceError }) as ServiceError).moreInfo, moreInfo);
		}
	});
}
