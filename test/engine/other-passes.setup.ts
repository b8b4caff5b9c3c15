// What other-passes.test.ts and other-passes.slow.test.ts share.

import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { openVaultParts, type Swapped, swap } from '../helpers/vault-parts.ts';

export const all = [...formats.values()] as unknown as Format<never>[];
export const VISA = '4111111111111111';
const AIR_HEAD = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';
const IUR_HEAD = 'AA20NOV0915M0117\nM50101  XX#0000000001/ 10/ 100/ 10/ONE/CA 1.1DUPONT\n';

/** Each function makes a file of its format with `text` in a place that no layout knows. */
export const FILES: Record<string, (text: string) => string> = {
	CSV: (text) => `CardNumber,ExpirationDate,Remark\n5555555555554444,12/29,"${text}"\n`,
	SIMPLECSV: (text) => `CardNumber,ExpirationDate,Remark\n5555555555554444,12/29,"${text}"\n`,
	GBT: (text) => `Card Number,Expiry Date,Remark\n5555555555554444,12/29,"${text}"\n`,
	SIMPLEJSON: (text) => `{"cardNumber":"5555555555554444","expirationDate":"12/29","remark":"${text}"}\n`,
	TADC: (text) => `<a><Card CardNumber="5555555555554444" ExpireDate="1229"/><Remark>${text}</Remark></a>`,
	AIR: (text) => `${AIR_HEAD}FPCCCA5555555555554444/1229\nRM ${text}\nENDX\n`,
	IUR: (text) => `${IUR_HEAD}M801 ${text}\n`,
};

interface Way {
	readonly filter: string;
	readonly text: string;
	readonly options?: object;
}

export async function run(t: Parameters<typeof openVaultParts>[0], { filter, text, options = {} }: Way) {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const there = await swap(parts, engine, { filter, direction: 'tokenize', options, bytes: Buffer.from(text) });
	return { parts, engine, there };
}

export const others = ({ entries }: Swapped) => entries.filter(({ outcome }) => outcome === 'otherNumber');
