// Measures how long selectors take to fill a small body and to find a thousand cards in a large one, in processor time:
// `node bench/selectors.ts`.

import type { CardSelector } from '../src/work/relay/profiles/profile.ts';
import { compileSelectors } from '../src/work/relay/selectors/selectors.ts';

const NUMBER = '4111111111111111';
const card = {
	number: NUMBER,
	expiryMonth: '04',
	expiryYear: '2030',
	nameOnCard: 'A HOLDER',
	securityCode: '306',
	type: 'Visa',
};

const xmlCards: CardSelector[] = [
	{
		container: "//*[local-name()='PaymentCard']",
		number: { path: '@CardNumber' },
		expiryMonth: { path: '@ExpireDate', format: 'MM', substring: [0, 2] },
		expiryYear: { path: '@ExpireDate', format: 'YY', substring: [2, 2] },
		nameOnCard: { path: 'ota:CardHolderName' },
		securityCode: { path: '@SeriesCode' },
		type: { path: '@CardCode', map: { Visa: 'VI', MasterCard: 'MC' } },
	},
];
const xml = compileSelectors({ body: 'xml', namespaces: { ota: 'urn:ota' }, cards: xmlCards });
const viaLibrary = compileSelectors({
	body: 'xml',
	namespaces: { ota: 'urn:ota' },
	cards: [{ ...xmlCards[0], container: '//ota:PaymentCard[@CardCode]' }],
});

const jsonCards: CardSelector[] = [
	{
		container: '$.reservations[*].payment.card',
		number: { path: '$.number' },
		expiryMonth: { path: '$.expiry.month' },
		expiryYear: { path: '$.expiry.year' },
		nameOnCard: { path: '$.holder' },
		securityCode: { path: '$.cvv' },
		type: { path: '$.type', map: { Visa: 'VI', MasterCard: 'MC' } },
	},
];
const json = compileSelectors({ body: 'json', namespaces: {}, cards: jsonCards });
const jsonViaLibrary = compileSelectors({
	body: 'json',
	namespaces: {},
	cards: [{ ...jsonCards[0], container: '$.reservations[?@.payment].payment.card' }],
});

function xmlReservation(i: number): string {
	return `
			<HotelReservation CreateDateTime="2026-05-14T10:12:${i % 60}" ResStatus="Commit">
				<UniqueID Type="14" ID="R${i}00123"/>
				<RoomStays><RoomStay><RatePlans><RatePlan RatePlanCode="BAR"/></RatePlans>
					<TimeSpan Start="2026-06-01" End="2026-06-05"/>
					<BasicPropertyInfo HotelCode="H${i % 97}"/><Comments><Comment>Late arrival &amp; quiet room</Comment></Comments>
				</RoomStay></RoomStays>
				<ResGlobalInfo><Guarantee><GuaranteesAccepted><GuaranteeAccepted>
					<PaymentCard CardCode="VI" CardNumber="${NUMBER}" SeriesCode="306" ExpireDate="0430" CardType="1">
						<CardHolderName>GUEST ${i}</CardHolderName>
					</PaymentCard>
				</GuaranteeAccepted></GuaranteesAccepted></Guarantee>
				<Profile><Name>Guest ${i}</Name><Address><Street>Long Road ${i}</Street><City>Lisbon</City></Address></Profile></ResGlobalInfo>
			</HotelReservation>`;
}

function xmlBody(count: number): Buffer {
	const reservations = Array.from({ length: count }, (_, i) => xmlReservation(i)).join('');
	return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:wsse="http://docs.oasis-open.org/wss">
	<soap:Header><wsse:Security><wsse:UsernameToken><wsse:Username>partner</wsse:Username><wsse:BinarySecurityToken>${'bG9uZyB0b2tlbi'.repeat(48)}</wsse:BinarySecurityToken></wsse:UsernameToken></wsse:Security></soap:Header>
	<soap:Body><OTA_HotelResNotifRQ xmlns="urn:ota" Version="1.0" TimeStamp="2026-05-14T10:12:01" EchoToken="b1946ac9">
		<HotelReservations>${reservations}
		</HotelReservations>
	</OTA_HotelResNotifRQ></soap:Body>
</soap:Envelope>`);
}

function jsonBody(count: number): Buffer {
	const reservations = Array.from({ length: count }, (_, i) => ({
		id: `R${i}00123`,
		status: 'commit',
		created: '2026-05-14T10:12:01Z',
		rooms: [
			{
				code: 'DBL',
				plan: 'BAR',
				nights: 4,
				rates: [120.5, 120.5, 99, 101.25],
				guests: [{ name: `Guest ${i}`, age: 41 }],
			},
		],
		payment: {
			method: 'card',
			amount: { value: 441.25, currency: 'EUR' },
			card: { type: 'VI', number: NUMBER, expiry: { month: '04', year: '2030' }, holder: `GUEST ${i}`, cvv: '306' },
			billing: { street: `Long Road ${i}`, city: 'Lisbon', country: 'PT', postcode: `1000-${100 + (i % 800)}` },
		},
		contact: { email: `guest${i}@example.com`, phone: '+351 210 000 000', language: 'pt' },
		remarks:
			'Late arrival \\u0026 quiet room, away from the lift if possible; anniversary, so a bottle in the room would be '.repeat(
				3,
			),
	}));
	return Buffer.from(JSON.stringify({ version: 1, reservations, trace: 'b1946ac92492d2347c6235b4d2611184' }));
}

function time(title: string, repeats: number, run: () => unknown): void {
	for (let i = 0; i < repeats / 2 + 5; i++) run();
	let best = Number.POSITIVE_INFINITY;
	for (let round = 0; round < 5; round++) {
		const before = process.cpuUsage();
		for (let i = 0; i < repeats; i++) run();
		const { user, system } = process.cpuUsage(before);
		best = Math.min(best, (user + system) / repeats);
	}
	console.log(`${title}: ${best.toFixed(1)} µs`);
}

const [smallXml, largeXml, smallJson, largeJson] = [xmlBody(1), xmlBody(1000), jsonBody(2), jsonBody(1000)];
console.log(`bytes: ${smallXml.length} ${largeXml.length} ${smallJson.length} ${largeJson.length}`);
time('fill, small SOAP', 20_000, () => xml.fill(smallXml, [card]));
time('fill, small JSON', 20_000, () => json.fill(smallJson, [card]));
time('locate 1,000 in a large XML', 40, () => xml.locate(largeXml));
time('locate 1,000 in a large JSON', 40, () => json.locate(largeJson));
time('fill, small SOAP, by the library', 500, () => viaLibrary.fill(smallXml, [card]));
time('locate 1,000 in a large XML, by the library', 1, () => viaLibrary.locate(largeXml));
time('fill, small JSON, by the library', 500, () => jsonViaLibrary.fill(smallJson, [card]));
