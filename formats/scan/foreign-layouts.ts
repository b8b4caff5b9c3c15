// Recognises layouts of the trade that no filter reads by their first bytes, so that the refusal can name them and say
// what to send instead. Their fields have fixed columns or no names, so a scanner would find cards by chance only.

import { FileError } from '../../src/engine/format.ts';

/** A layout that one kind of scanner can read nevertheless: XML, or rows whose columns the options designate. */
export type ReadAnyway = 'xml' | 'columns';

interface ForeignLayout {
	readonly begins: RegExp;
	readonly says: string;
	readonly except?: ReadAnyway;
}

const EXPORT = 'send the same bookings as an export with named fields (filters CSV, SIMPLEJSON, TADC)';
const FEED = 'order the same report with named fields, as CSV or XML (filters CSV, GBT, TADC)';

/**
 * Sources: Travelport's MIR help, IATA's DISH, American Express' and Visa's descriptions of their feeds as importers of
 * expenses publish them, and the root element of Mastercard's schema.
 */
const LAYOUTS: readonly ForeignLayout[] = [
	{
		begins: /^T5\d[A-Z]\d{6}/,
		says: `a Galileo, Apollo or Worldspan interface record (MIR), not read: ${EXPORT}, or ask your operator for the plugin GALILEOMIR`,
	},
	{ begins: /^BFH\d/, says: `a BSP HOT file (DISH, begins with BFH), not read: ${EXPORT}` },
	{ begins: /^CFH\d/, says: `a BSP card sales file (DISH CSI, begins with CFH), not read: ${EXPORT}` },
	{
		begins: /^0[^,;|\t\r\n]{0,120}?(?:GL|KR)[ -]?0{0,2}(?:1025|1080|1205)/,
		says: `a feed of American Express with fixed columns (GL1025, GL1205, KR1025), not read: ${FEED}`,
	},
	{
		begins: /^[68]\t[^\t\r\n]{0,32}\t\d{1,10}\t\d{8}\t/,
		says: `a feed of Visa (Visa Commercial Format, VCF), not read: ${FEED}`,
		except: 'columns',
	},
	{
		begins: /^(?:<[?!][^>]*>\s*)*<(?:[\w.-]+:)?CDFTransmissionFile\b/,
		says: 'a feed of Mastercard (Common Data Format, CDF3): the filter TADC reads it, with selectors for its account numbers',
		except: 'xml',
	},
];
/** This many bytes tell the layout. */
const HEAD = 512;

/**
 * Refuses a file in a layout that is not read. Its text begins at `from` or behind blanks there.
 * @param reads says what the scanner reads although it is listed here
 * @throws FileError that names the layout
 */
export function refuseForeignLayout(bytes: Buffer, from: number, to: number, reads?: ReadAnyway): void {
	let at = from;
	let line = 1;
	// Hosts put control characters before a record.
	while (at < to && bytes[at] <= 0x20) if (bytes[at++] === 0x0a) line++;
	const head = bytes.toString('latin1', at, Math.min(to, at + HEAD));
	const layout = LAYOUTS.find(({ begins, except }) => begins.test(head) && (except === undefined || except !== reads));
	if (layout === undefined) return;
	const fault = { code: 'file-of-other-format', parameters: { found: layout.says } } as const;
	throw new FileError(`the file is ${layout.says}`, { offset: at, line }, fault);
}
