import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { loadPresets } from '../../src/work/relay/profiles/presets.ts';
import { tryProfile } from '../../src/work/relay/profiles/profile-trial.ts';
import { compileSelectors } from '../../src/work/relay/selectors/selectors.ts';

const PRESETS_DIR = fileURLToPath(new URL('../../config/presets', import.meta.url));
const shipped = loadPresets(PRESETS_DIR, 'production');
const now = new Date('2026-11-21');

function presetsOf(t: ExecutionContext, files: Record<string, string>): string {
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(directory, { recursive: true, force: true }));
	for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
	return directory;
}

test('the presets that come along are fit for production and say what they are for', (t) => {
	t.deepEqual(
		[...shipped.keys()],
		['FormCard', 'JsonReservations', 'NdcOrderCreate', 'OtaHotelResNotif', 'OtaResRetrieve'],
	);
	for (const preset of shipped.values()) {
		t.is(preset.direction, 'tokenize');
		t.truthy(preset.description && preset.contentType);
		t.is(preset.targetUri, undefined);
	}
	for (const file of readdirSync(PRESETS_DIR)) t.regex(readFileSync(join(PRESETS_DIR, file), 'utf8'), /^# /);
});

const finds = test.macro({
	exec(t, name: string, body: string, contentType?: string) {
		const { cards, selectors } = tryProfile(
			{ ...shipped.get(name)!, selectors: compileSelectors(shipped.get(name)!) },
			{ body: Buffer.from(body), contentType, now },
		);
		t.is(cards.length, 1, JSON.stringify(selectors));
		t.like(cards[0], { number: '411111******1111', brand: 'Visa', passesLuhn: true, expiry: '2039-04', refusal: null });
		t.deepEqual(cards[0].warnings, []);
		t.deepEqual([...cards[0].parts].sort(), [
			'expiryMonth',
			'expiryYear',
			'nameOnCard',
			'number',
			'securityCode',
			'type',
		]);
	},
	title: (name = '') => `a preset finds ${name}`,
});

const OTA = 'http://www.opentravel.org/OTA/2003/05';
const paymentCard = (prefix = '') =>
	`<${prefix}PaymentCard CardCode="VI" CardNumber="4111111111111111" ExpireDate="0439" SeriesCode="306">` +
	`<${prefix}CardHolderName>A HOLDER</${prefix}CardHolderName></${prefix}PaymentCard>`;
const guarantee = (card: string) =>
	`<HotelReservations><HotelReservation><ResGlobalInfo><Guarantee><GuaranteesAccepted><GuaranteeAccepted>${card}` +
	'</GuaranteeAccepted></GuaranteesAccepted></Guarantee></ResGlobalInfo></HotelReservation></HotelReservations>';

test(
	'an OTA card in its namespace',
	finds,
	'OtaHotelResNotif',
	`<OTA_HotelResNotifRQ xmlns="${OTA}">${guarantee(paymentCard())}</OTA_HotelResNotifRQ>`,
);
test(
	'an OTA card in no namespace',
	finds,
	'OtaHotelResNotif',
	`<OTA_HotelResNotifRQ>${guarantee(paymentCard())}</OTA_HotelResNotifRQ>`,
);
test(
	'an OTA card with a prefix in SOAP',
	finds,
	'OtaHotelResNotif',
	`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><o:OTA_HotelResNotifRQ xmlns:o="${OTA}">${paymentCard('o:')}</o:OTA_HotelResNotifRQ></s:Body></s:Envelope>`,
);
test(
	'an OTA card with elements for number and series code',
	finds,
	'OtaHotelResNotif',
	`<OTA_HotelResNotifRQ xmlns="${OTA}"><PaymentCard CardCode="VI" ExpireDate="0439"><CardHolderName>A HOLDER</CardHolderName>` +
		'<CardNumber><PlainText>4111111111111111</PlainText></CardNumber><SeriesCode><PlainText>306</PlainText></SeriesCode>' +
		'</PaymentCard></OTA_HotelResNotifRQ>',
);
test(
	'an OTA card in an answer',
	finds,
	'OtaResRetrieve',
	`<OTA_ResRetrieveRS xmlns="${OTA}"><ReservationsList>${paymentCard()}</ReservationsList></OTA_ResRetrieveRS>`,
);
const ndc = (card: string) =>
	`<OrderCreateRQ xmlns="http://www.iata.org/IATA/EDIST/2017.2"><Query><Payments><Payment><Method><PaymentCard>${card}` +
	'</PaymentCard></Method></Payment></Payments></Query></OrderCreateRQ>';
test(
	'an NDC card of an older release',
	finds,
	'NdcOrderCreate',
	ndc(
		'<CardCode>VI</CardCode><CardNumber>4111111111111111</CardNumber><SeriesCode>306</SeriesCode>' +
			'<CardHolderName>A HOLDER</CardHolderName><EffectiveExpireDate><Expiration>0439</Expiration></EffectiveExpireDate>',
	),
);
test(
	'an NDC card of a newer release',
	finds,
	'NdcOrderCreate',
	ndc(
		'<CardBrandCode>VI</CardBrandCode><CardHolderName>A HOLDER</CardHolderName><CardNumber>4111111111111111</CardNumber>' +
			'<CardSecurityCode>306</CardSecurityCode><ExpirationDate>0439</ExpirationDate>',
	),
);
test(
	'a card in JSON',
	finds,
	'JsonReservations',
	JSON.stringify({
		reservations: [
			{ id: 1, payment: null },
			{
				id: 2,
				payment: {
					card: {
						number: '4111111111111111',
						expiryMonth: 4,
						expiryYear: 2039,
						holder: 'A',
						cvv: '306',
						brand: 'Visa',
					},
				},
			},
		],
	}),
);
test(
	'a card in a form',
	finds,
	'FormCard',
	'room=1&cardNumber=4111+1111+1111+1111&expiryMonth=04&expiryYear=39&cardHolder=A+HOLDER&cvv=306&cardType=VI',
);

test('a bad preset is told with file and place, and all of them at once', (t) => {
	const good = 'name: Good\ndescription: x\ndirection: tokenize\nbody: form\ncards: [{ number: n }]\n';
	const directory = presetsOf(t, {
		'a.yaml': good,
		'b.yml': `${good}oops: 1\n`,
		'c.json': '{"name":"C","description":"x","direction":"both","body":"form","cards":[{"number":"n"}]}',
		'd.yaml': good,
		'notes.txt': 'not a preset',
	});
	const error = t.throws(() => loadPresets(directory, 'sandbox'), { instanceOf: ServiceError });
	t.is(
		error.moreInfo,
		[
			`the profile in ${join(directory, 'b.yml')} is not usable:`,
			'  line 6, column 1, /oops: no such key; one of name, description, direction, body, targetUri, hosts, httpMethod, contentType, namespaces, cards, tokenHeader, inPlace, cardInUri, authorization, clientCertificate, authorities',
			`the profile in ${join(directory, 'c.json')} is not usable:`,
			'  line 1, column 43, /direction: expected tokenize: a preset is for tokenization',
			`${join(directory, 'd.yaml')}: the preset Good stands in ${join(directory, 'a.yaml')} already`,
		].join('\n'),
	);
});

test('a directory that is not there is told by the setting that names it', (t) => {
	const error = t.throws(() => loadPresets('/nowhere/presets', 'sandbox'), { instanceOf: ServiceError });
	t.is(error.moreInfo, 'relay.presetsDir: /nowhere/presets cannot be read (ENOENT)');
});
