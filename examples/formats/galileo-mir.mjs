// A plugin for the interface records of Galileo and Apollo (MIR), which a host sends to the back office of an agency.
//
// The layout is Travelport's, as its public help describes it (support.travelport.com/webhelp/MIR, "A11 Form of Payment"): a record
// begins with a header T5, its sections have a label such as A11, and each item of a section ends with a carriage return. An item A11
// has fixed columns: the kind of payment in 3 to 4, the amount in 5 to 16, the code of the card in 18 and 19, its number, left-justified,
// in 20 to 39, and its expiry (MMYY) in 40 to 43. Assumed: every item of the section repeats the label.
//
// Twenty columns have no space for a token of 32 characters. So the number is masked in its columns (XXXXXXXXXXXX1111) and the
// token is put at the end of the item as a tail, ` TKN-` and the token, behind everything that a reader of fixed columns looks at.

const CR = 0x0d;
const LF = 0x0a;
const BLANK = 0x20;
const LABEL = [0x41, 0x31, 0x31]; // A11
const [KIND, CODE, NUMBER, EXPIRY, END] = [3, 18, 20, 40, 44];
const TAIL = [0x20, 0x54, 0x4b, 0x4e, 0x2d]; // ` TKN-`
const TOKEN_LENGTH = 32;

const begins = (bytes, at, with_) => with_.every((byte, i) => bytes[at + i] === byte);
const isDigit = (byte) => byte >= 0x30 && byte <= 0x39;
const isLetter = (byte) => byte >= 0x41 && byte <= 0x5a;
const isHex = (byte) => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** `T5`, the code of the host (1G, 1V, 1P), and the accounting code with the kind of record: `T51G773392`. */
function isHeader(bytes, at) {
	if (bytes[at] !== 0x54 || bytes[at + 1] !== 0x35 || !isDigit(bytes[at + 2]) || !isLetter(bytes[at + 3])) return false;
	for (let i = at + 4; i < at + 10; i++) if (!isDigit(bytes[i])) return false;
	return true;
}

/** Where the tail at the end of an item begins, or -1. */
function tailOf(bytes, start, end) {
	const at = end - TAIL.length - TOKEN_LENGTH;
	if (at < start + END || !begins(bytes, at, TAIL)) return -1;
	for (let i = at + TAIL.length; i < end; i++) if (!isHex(bytes[i])) return -1;
	return at;
}

/** The card of an item A11, or undefined. */
function cardOf(bytes, start, end) {
	if (end - start < END || !begins(bytes, start, LABEL)) return undefined;
	if (bytes[start + KIND] !== 0x43 || bytes[start + KIND + 1] !== 0x43) return undefined; // CC
	const first = start + NUMBER;
	let after = start + EXPIRY;
	while (after > first && bytes[after - 1] === BLANK) after--;
	if (after === first) return undefined;
	const beside = { type: [start + CODE, start + CODE + 2], expiry: [start + EXPIRY, start + END] };
	if (bytes[first] !== 0x58) return { ...beside, number: [first, after], tail: end };
	// The columns are masked: by us, with a token behind, or by the host.
	const tail = tailOf(bytes, start, end);
	return tail === -1 ? undefined : { ...beside, number: [tail + TAIL.length, end], mask: [first, after] };
}

export default {
	filter: 'GALILEOMIR',
	title: 'Galileo and Apollo MIR',
	tokenCase: 'upper',
	expiryFormat: 'MMYY',
	faults: ['the file is no interface record of Galileo or Apollo: it does not begin with a header T5'],

	open() {
		let records = 0;
		return {
			scan(bytes, isLast) {
				const cards = [];
				let settled = 0;
				for (let at = 0; at < bytes.length || isLast; at++) {
					if (at < bytes.length && bytes[at] !== CR && bytes[at] !== LF) continue;
					const isWhole = at < bytes.length || isLast;
					let start = settled;
					// Hosts put control characters before a record.
					while (start < at && bytes[start] <= BLANK) start++;
					if (isWhole && start < at) {
						if (isHeader(bytes, start)) records++;
						else if (records === 0) return { fault: 0, at: start };
						const card = cardOf(bytes, start, at);
						if (card !== undefined) cards.push({ ...card, record: records });
					}
					settled = Math.min(at + 1, bytes.length);
					if (at >= bytes.length) break;
				}
				return { settled, cards };
			},
		};
	},
};
