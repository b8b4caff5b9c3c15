// Third parties for trying the recipes on one machine: a hotel's own system, a partner that sells or flies, a payment
// provider. They answer as such a party would and show at GET /last what reached them, card numbers and all.
//
//     node docs/recipes/stand-ins.mjs [port of the first one]

import { createServer } from 'node:http';

const FIRST_PORT = Number(process.argv[2] ?? 9101);
const PSP_KEY = 'Bearer sk_test_recipe';

const json = (status, value) => ({ status, type: 'application/json', body: JSON.stringify(value) });
const xml = (body) => ({ status: 200, type: 'text/xml; charset=utf-8', body });

/** Takes reservations. */
function hotel() {
	return xml(
		'<OTA_HotelResNotifRS xmlns="http://www.opentravel.org/OTA/2003/05" Version="1.0"><Success/></OTA_HotelResNotifRS>',
	);
}

/** An order with three ways to pay, the last of which has expired. */
const ORDER = `<OrderViewRS xmlns="urn:example:ndc">
  <Order OrderID="ORD-7"/>
  <PaymentCard><CardCode>VI</CardCode><CardNumber>4111111111111111</CardNumber><EffectiveExpireDate><Expiration>0439</Expiration></EffectiveExpireDate></PaymentCard>
  <PaymentCard><CardCode>MC</CardCode><CardNumber>5555555555554444</CardNumber><EffectiveExpireDate><Expiration>1139</Expiration></EffectiveExpireDate></PaymentCard>
  <PaymentCard><CardCode>AX</CardCode><CardNumber>378282246310005</CardNumber><EffectiveExpireDate><Expiration>0420</Expiration></EffectiveExpireDate></PaymentCard>
</OrderViewRS>
`;

/** A property management system, an airline, an echo, and one that never answers. */
function partner({ path, body }) {
	if (path === '/echo') return { status: 200, type: 'application/json', body };
	if (path === '/silence') return undefined;
	if (path === '/orders') return xml(ORDER);
	if (path === '/payments') return xml('<PaymentRS Status="Accepted"/>');
	if (path !== '/reservations') return json(404, { error: 'not found' });
	const { number } = JSON.parse(body).guarantee.card;
	return json(201, { confirmation: 'PMS-7', text: `Guaranteed with card ${number}` });
}

const DONE = { capture: 'captured', refund: 'refunded' };

/** A payment provider: one payment, which is authorised, captured and refunded. */
function psp({ path, body, headers }) {
	if (headers.authorization !== PSP_KEY) return json(401, { error: 'unknown key' });
	if (path === '/v1/payments') {
		const { number } = JSON.parse(body).source;
		if (number === '4000000000000002') return json(402, { id: 'pay_2', status: 'declined' });
		return json(201, { id: 'pay_1', status: 'authorised', card: number });
	}
	const [, done] = /^\/v1\/payments\/pay_1\/(capture|refund)$/.exec(path) ?? [];
	return done ? json(200, { id: 'pay_1', status: DONE[done] }) : json(404, { error: 'not found' });
}

for (const [offset, [name, answer]] of Object.entries({ HOTEL: hotel, PARTNER: partner, PSP: psp }).entries()) {
	let last = 'nothing yet';
	const server = createServer(async (request, response) => {
		const pieces = [];
		for await (const piece of request) pieces.push(piece);
		const body = Buffer.concat(pieces).toString();
		const { method, url, headers, rawHeaders } = request;
		if (method === 'GET' && url === '/last') return response.end(`${last}\n`);
		const lines = rawHeaders.flatMap((text, index) => (index % 2 === 0 ? [`${text}: ${rawHeaders[index + 1]}`] : []));
		last = [`${method} ${url}`, ...lines, '', body].join('\n');
		const told = reply(answer, { path: url.split('?')[0], body, headers });
		if (told) response.writeHead(told.status, { 'content-type': told.type }).end(told.body);
	});
	server.listen(FIRST_PORT === 0 ? 0 : FIRST_PORT + offset, '127.0.0.1', () => {
		console.log(`export ${name}=http://127.0.0.1:${server.address().port}`);
	});
}

/** What cannot be read is a 400. */
function reply(answer, asked) {
	try {
		return answer(asked);
	} catch {
		return json(400, { error: 'the body cannot be read' });
	}
}
