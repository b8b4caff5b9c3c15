// What delimited-wide-header.test.ts and delimited-wide-header.slow.test.ts share.

import { formats } from '../../../formats/index.ts';
import { FileError, Findings } from '../../../src/engine/format.ts';

export const ROW = '4111111111111111,12,2030\r\n';
export const FILTERS = ['SIMPLECSV', 'GBT', 'CSV'] as const;

/** Returns how many cards are found in a file, or why it is refused. */
export function read(filter: string, text: string): number | string {
	const format = formats.get(filter)!;
	const bytes = Buffer.from(text);
	const findings = new Findings();
	try {
		format.scanner(format.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, findings);
		return findings.length;
	} catch (error) {
		if (error instanceof FileError) return error.message;
		throw error;
	}
}
