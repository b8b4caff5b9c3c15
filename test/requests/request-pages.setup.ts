// What request-pages.test.ts and request-pages.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import { asJson, json } from '../helpers/card-calls.ts';
import { openHttpRooms, TEST_BASE_URL } from '../helpers/http-rooms.ts';
import { openPage } from '../helpers/shared-browser.ts';

export async function open(t: ExecutionContext) {
	const rooms = await openHttpRooms(t);
	const hotel = await rooms.createCaller('hotel', { cvvRetention: true });
	const origin = await rooms.app.listen({ host: '127.0.0.1', port: 0 });
	const ask = async (more: object = {}, path = '/api/cardrequest') => {
		const made = (await hotel.inject('POST', path, json({ SenderID: 'hotel', ...more }))).json();
		return { id: made.requestID as string, url: made.url.replace(TEST_BASE_URL, origin) as string };
	};
	const opened = await openPage(t);
	const list = async (ref: string) =>
		(await hotel.inject('GET', `/api/payments/paycard/meta?ref=${ref}`, asJson)).json();
	return { rooms, hotel, origin, ask, list, ...opened };
}

export const FIELDS = { cardNumber: '4111111111111111', expiry: '1230', nameOnCard: 'MARIE DUPONT', cvv: '123' };
