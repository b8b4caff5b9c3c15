// What data-blocks.test.ts and data-blocks.slow.test.ts share.

import { json } from '../helpers/card-calls.ts';
import type { Caller } from '../helpers/http-app.ts';

export const PATH = '/api/datablocks';

export const put = async (caller: Caller, Payload: string, Reference?: string): Promise<string> =>
	(await caller.inject('POST', PATH, json({ Payload, Reference }))).json().Token;
