// Counts which numbers the search outside the card fields takes for cards by chance, in files that hold no cards: in text
// that says nothing of them, and in places whose names say what they are for.

import { DECOYS } from './decoys.ts';
import { Dice } from './dice.ts';
import { NAMED_COLUMNS, namedPlace } from './named-places.ts';
import type { Transfer } from './referee.ts';

/** The kinds of long numbers that booking systems make and decoys do not have; some are Luhn-valid by chance. */
const LONG_NUMBERS: Record<string, (dice: Dice) => string> = {
	'order of 13 to 19 digits': (dice) => dice.digits(dice.between(13, 19)),
	'grouped reference': (dice) => `${dice.digits(4)} ${dice.digits(4)} ${dice.digits(4)} ${dice.digits(4)}`,
	'number behind letters': (dice) => `${dice.letters(3)}${dice.digits(16)}`,
};

const { amount: _amount, locator: _locator, masked: _masked, ...numbers } = DECOYS;
const KINDS: Record<string, (dice: Dice) => string> = { ...numbers, ...LONG_NUMBERS };
export const KIND_NAMES = Object.keys(KINDS);

/** The kinds whose digits are all random; the other kinds are real ones, such as tickets and phones. */
export const CHANCE_KINDS = Object.keys(LONG_NUMBERS);

/** No line holds a card, so none is expected, and the report is a full one, because every number in it counts. */
const OPTIONS = { expectCards: false, report: { cards: 'all' } };

const RECORD_LINES = 50;

/** How a file of one filter is made: what comes before, between and behind its lines. `line` makes a line from a number. */
interface Shape {
	readonly filter: string;
	readonly head: string;
	readonly foot: string;
	line(text: string, isLast: boolean): string;
	/** The head if the numbers stand in named places, and a line of such a place. */
	readonly namedHead?: string;
	named(dice: Dice, isLast: boolean): string;
	/** The text between records of fifty lines, for formats that have records. */
	readonly between?: string;
}

const AIR_HEAD = [
	'AIR-BLK207;7A;;232;0000000000;1A0000000;001001',
	'AMD 1;1/1;',
	'GW1;1A',
	'MUC1A ABCDEF001;0101;',
	'FPCASH',
	'',
];
const IUR_HEAD = [
	'AA29DEC0400M0117                    000000099 00000 2  ABCDEF        611111110000000001 AAAA * BB 000000',
	...Array.from({ length: 15 }, () => ''),
	'M101MUSTER/ERIKA MRS',
	...Array.from({ length: 5 }, () => '01'),
	'M201ADT00000000000X 2   RST       EUR  100.00',
	'0102',
	'01',
	'CA',
	...Array.from({ length: 8 }, () => ''),
	'',
];

const SHAPES: readonly Shape[] = [
	{
		filter: 'CSV',
		head: 'Booking,Number,Card Number\n',
		foot: '',
		line: (text) => `A1,${text},\n`,
		namedHead: `${NAMED_COLUMNS.join(';')};Card Number\n`,
		named: (dice) => `${namedPlace(dice, 'column').join('')};\n`,
	},
	{
		filter: 'SIMPLEJSON',
		head: '[{"cardNumber":null},\n',
		foot: ']\n',
		line: (text, isLast) => `{"booking":"A1","number":"${text}"}${isLast ? '' : ','}\n`,
		named: (dice, isLast) => {
			const [name, text] = namedPlace(dice, 'name');
			const value = /^[1-9]\d*$/.test(text) && dice.percent(30) ? text : `"${text}"`;
			return `{"booking":"A1","${name}":${value},"type":"VISA"}${isLast ? '' : ','}\n`;
		},
	},
	{
		filter: 'TADC',
		head: '<Message><Account><AcctNbr></AcctNbr></Account>\n',
		foot: '</Message>\n',
		line: (text) => `<Booking><Nbr>${text}</Nbr></Booking>\n`,
		named: (dice) => {
			const [name, text] = namedPlace(dice, 'name');
			const element = name.replace(/[^\p{L}]/gu, '');
			const isAttribute = dice.percent(30);
			return isAttribute
				? `<Booking ${element}="${text}" Type="VISA"/>\n`
				: `<Booking><${element}>${text}</${element}></Booking>\n`;
		},
	},
	{
		filter: 'AIR',
		head: AIR_HEAD.join('\n'),
		foot: 'ENDX\n',
		line: (text) => `RM REF ${text.toUpperCase()}\n`,
		named: (dice) => `${namedPlace(dice, 'air').join('')}\n`,
		between: `ENDX\n${AIR_HEAD.join('\n')}`,
	},
	{
		filter: 'IUR',
		head: IUR_HEAD.join('\n'),
		foot: '',
		line: (text) => `M801REF ${text.toUpperCase()}\n`,
		named: (dice) => `${namedPlace(dice, 'iur').join('')}\n`,
		between: IUR_HEAD.join('\n'),
	},
];

/** What was found in lines without a card. */
export interface FalseFindings {
	readonly filter: string;
	readonly lines: number;
	/** How many numbers were swapped for tokens, which must be none. */
	readonly swapped: number;
	/** How many numbers were reported as `otherNumber`, by kind. */
	readonly told: ReadonlyMap<string, number>;
	/** How many lines have a number of each kind. */
	readonly perKind: number;
}

/** Tokenizes `lines` lines in all, divided among the kinds of files, and returns what was found in each of these. */
export async function falseFindings(transfer: Transfer, seed: string, lines: number): Promise<FalseFindings[]> {
	const all: FalseFindings[] = [];
	const perShape = Math.ceil(lines / SHAPES.length);
	for (const shape of SHAPES) {
		const { bytes, kindOfLine } = fileOf(shape, new Dice(`${seed}/false/${shape.filter}`), perShape);
		const file = {
			filter: shape.filter,
			seed,
			bytes,
			places: [],
			options: OPTIONS,
			hasNoKnownPlace: false,
		};
		const { summary, entries } = await transfer(file, 'tokenize', bytes);
		const told = new Map<string, number>();
		for (const { outcome, line } of entries) {
			if (outcome !== 'otherNumber') continue;
			const kind = KIND_NAMES[kindOfLine[line]];
			told.set(kind, (told.get(kind) ?? 0) + 1);
		}
		all.push({
			filter: shape.filter,
			lines: perShape,
			swapped: summary.cards,
			told,
			perKind: perShape / KIND_NAMES.length,
		});
	}
	return all;
}

/** What was found in named places, where nothing must be. */
export interface NamedFindings {
	readonly filter: string;
	readonly lines: number;
	readonly found: number;
	/** The lines with a finding, at most ten, to show what went wrong. */
	readonly examples: readonly string[];
	/** Whether any byte of the file changed. */
	readonly isChanged: boolean;
}

/** Masks what is found in `lines` lines in all with numbers in named places, divided among the kinds of files. */
export async function namedFindings(transfer: Transfer, seed: string, lines: number): Promise<NamedFindings[]> {
	const all: NamedFindings[] = [];
	const perShape = Math.ceil(lines / SHAPES.length);
	for (const shape of SHAPES) {
		const dice = new Dice(`${seed}/named/${shape.filter}`);
		const parts = [shape.namedHead ?? shape.head];
		for (let at = 0; at < perShape; at++) {
			if (at > 0 && at % RECORD_LINES === 0) parts.push(shape.between ?? '');
			parts.push(shape.named(dice, at === perShape - 1));
		}
		const bytes = Buffer.from([...parts, shape.foot].join(''));
		const options = { ...OPTIONS, otherNumbers: 'mask' };
		const file = { filter: shape.filter, seed, bytes, places: [], options, hasNoKnownPlace: false };
		const { summary, entries, bytes: output } = await transfer(file, 'tokenize', bytes);
		const text = entries.length > 0 ? bytes.toString().split('\n') : [];
		all.push({
			filter: shape.filter,
			lines: perShape,
			found: summary.otherNumbers + summary.cards + summary.refused,
			examples: entries.slice(0, 10).map(({ line }) => text[line - 1]),
			isChanged: !output.equals(bytes),
		});
	}
	return all;
}

function fileOf(shape: Shape, dice: Dice, lines: number): { bytes: Buffer; kindOfLine: Uint8Array } {
	const newlines = (text: string) => text.split('\n').length - 1;
	const parts = [shape.head];
	const between = shape.between ?? '';
	const kindOfLine = new Uint8Array(
		newlines(shape.head) + lines + Math.ceil(lines / RECORD_LINES) * newlines(between) + 2,
	);
	let line = newlines(shape.head);
	for (let at = 0; at < lines; at++) {
		if (at > 0 && at % RECORD_LINES === 0) {
			parts.push(between);
			line += newlines(between);
		}
		const kind = at % KIND_NAMES.length;
		parts.push(shape.line(KINDS[KIND_NAMES[kind]](dice), at === lines - 1));
		kindOfLine[++line] = kind;
	}
	parts.push(shape.foot);
	return { bytes: Buffer.from(parts.join('')), kindOfLine };
}
