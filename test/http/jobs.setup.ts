// What jobs.test.ts and jobs.slow.test.ts share.

import type { Caller } from '../helpers/http-app.ts';

export const FILE = `CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n4111111111111112,12,2029\n`;
const CSV = { 'content-type': 'text/csv' };

export async function put(caller: Caller, payload: string, query = '', direction = 'tokenize') {
	const url = `/api/files/${direction}?filter=SIMPLECSV&async=true${query}`;
	return caller.inject('POST', url, { headers: CSV, payload });
}
