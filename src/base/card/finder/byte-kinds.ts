// Tells of what kinds the bytes of a text are, as one bit for each byte. With these bits a search goes through a file 32 bytes
// at a time, and looks at single bytes only where something may be found. The processor can classify 16 bytes at once, but
// JavaScript cannot ask it to. So the loop is a function of WebAssembly, which this file writes instruction by instruction.

/** The kinds of bytes. 32 bytes are described by one word of 32 bits for each kind; the bit of the first byte is the lowest. */
export const KIND = { DIGIT: 0, HIGH: 1, SEPARATOR: 2, GAP: 3 } as const;
/** The number of kinds, and so of the words for 32 bytes. */
export const KIND_COUNT = 4;
/** At most this many bytes are classified at once. */
export const MOST_BYTES = 16_384;
/** A word of 32 bits describes as many bytes. */
export const BITS = 32;
/** The exclamation mark is of no kind. */
const OF_NO_KIND = 0x21;

interface Row {
	readonly kind: number;
	readonly high: readonly number[];
	readonly low: readonly number[];
}

/**
 * A byte is of a kind if its upper four bits are in `high` and its lower four bits in `low` of one row. `GAP` has all ASCII
 * bytes that may divide groups of digits, and a few others (backslash, DEL, i and NUL), so a search must look closer. There is
 * room for eight rows. `HIGH` needs none: it is the highest bit of a byte.
 */
const ROWS: readonly Row[] = [
	{ kind: KIND.DIGIT, high: [3], low: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
	{ kind: KIND.SEPARATOR, high: [2], low: [0, 13, 14] },
	{ kind: KIND.GAP, high: [2], low: [0, 7, 10, 11, 12, 15] },
	{ kind: KIND.GAP, high: [3], low: [10, 11, 13] },
	{ kind: KIND.GAP, high: [5, 7], low: [12, 14, 15] },
	{ kind: KIND.GAP, high: [0, 6], low: [0, 9] },
];

/** The instructions of WebAssembly that are used here, as its specification numbers them. */
const OP = { LOOP: 0x03, END: 0x0b, BRANCH_IF: 0x0d, GET: 0x20, SET: 0x21, STORE_16: 0x3b } as const;
const I32 = { CONSTANT: 0x41, LESS: 0x49, ADD: 0x6a, XOR: 0x73 } as const;
/** The instructions for 16 bytes at once have this prefix. */
const SIMD = 0xfd;
const V128 = {
	LOAD: 0x00,
	CONSTANT: 0x0c,
	SWIZZLE: 0x0e,
	EQUAL: 0x23,
	AND: 0x4e,
	BITMASK: 0x64,
	SHIFT_RIGHT: 0x6d,
} as const;
const TYPE = { I32: 127, V128: 123, FUNCTION: 96, NO_VALUE: 64 } as const;
const SECTION = { TYPES: 1, FUNCTIONS: 3, MEMORY: 5, EXPORTS: 7, CODE: 10 } as const;
/** The parameters of the function, then its variables. */
const LOCAL = { FROM: 0, TO: 1, OUTPUT: 2, BYTES: 3, ROWS: 4 } as const;
const PAGE = 65_536;
const WORD = 4;

type Code = readonly number[];
const get = (local: number): Code => [OP.GET, local];
const set = (local: number): Code => [OP.SET, local];
const constant = (value: number): Code => [I32.CONSTANT, ...signed(value)];
const vector = (bytes: readonly number[]): Code => [SIMD, V128.CONSTANT, ...bytes];
const simd = (instruction: number, ...operands: number[]): Code => [SIMD, ...unsigned(instruction), ...operands];
const add = (local: number, value: number): Code => [...get(local), ...constant(value), I32.ADD, ...set(local)];

/** Writes the function `(from, to, output)`, which classifies the bytes from `from` to `to` of its memory. */
function classifier(): Code {
	return [
		...[OP.LOOP, TYPE.NO_VALUE],
		...half(0),
		...half(1),
		...add(LOCAL.OUTPUT, KIND_COUNT * WORD),
		...add(LOCAL.FROM, BITS),
		...[...get(LOCAL.FROM), ...get(LOCAL.TO), I32.LESS, OP.BRANCH_IF, 0],
		...[OP.END, OP.END],
	];
}

/** Classifies 16 bytes: those at `FROM`, or the 16 bytes behind them. */
function half(index: number): Code {
	const table = (half: 'high' | 'low') => {
		return vector(
			Array.from({ length: 16 }, (_, four) =>
				ROWS.reduce((bits, row, i) => bits | (row[half].includes(four) ? 1 << i : 0), 0),
			),
		);
	};
	const bytes = get(LOCAL.BYTES);
	return [
		...[...get(LOCAL.FROM), ...simd(V128.LOAD, 0, index * 16), ...set(LOCAL.BYTES)],
		...[...table('low'), ...bytes, ...vector(Array(16).fill(0x0f)), ...simd(V128.AND), ...simd(V128.SWIZZLE)],
		...[...table('high'), ...bytes, ...constant(4), ...simd(V128.SHIFT_RIGHT), ...simd(V128.SWIZZLE)],
		...[...simd(V128.AND), ...set(LOCAL.ROWS)],
		...Object.values(KIND).flatMap((kind) => [
			...get(LOCAL.OUTPUT),
			...(kind === KIND.HIGH ? [...bytes, ...simd(V128.BITMASK)] : bitsOf(kind)),
			...[OP.STORE_16, 0, kind * WORD + index * 2],
		]),
	];
}

/** Gives one bit for each byte whose rows have one of `kind`. */
function bitsOf(kind: number): Code {
	const rows = ROWS.reduce((bits, row, i) => bits | (row.kind === kind ? 1 << i : 0), 0);
	const isNone = [
		...vector(Array(16).fill(rows)),
		...simd(V128.AND),
		...vector(Array(16).fill(0)),
		...simd(V128.EQUAL),
	];
	return [...get(LOCAL.ROWS), ...isNone, ...simd(V128.BITMASK), ...constant(0xffff), I32.XOR];
}

interface Compiled {
	readonly memory: { readonly buffer: ArrayBuffer };
	classify(from: number, to: number, output: number): void;
}

/** What is used of the global object; the types of Node do not have it. */
declare const WebAssembly: {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object) => { readonly exports: unknown };
};

function compile(): Compiled {
	const body = [1, 2, TYPE.V128, ...classifier()];
	const pages = 1 + Math.ceil(((MOST_BYTES / BITS) * KIND_COUNT * WORD) / PAGE);
	const name = (text: string) => listOf([...Buffer.from(text)].map((byte) => [byte]));
	const sections = [
		section(SECTION.TYPES, [[TYPE.FUNCTION, 3, TYPE.I32, TYPE.I32, TYPE.I32, 0]]),
		section(SECTION.FUNCTIONS, [[0]]),
		section(SECTION.MEMORY, [[1, pages, pages]]),
		section(SECTION.EXPORTS, [
			[...name('memory'), 2, 0],
			[...name('classify'), 0, 0],
		]),
		section(SECTION.CODE, [[...unsigned(body.length), ...body]]),
	];
	const module = new WebAssembly.Module(Uint8Array.from([...Buffer.from('\0asm'), 1, 0, 0, 0, ...sections.flat()]));
	return new WebAssembly.Instance(module).exports as Compiled;
}

function section(id: number, items: readonly Code[]): Code {
	const content = listOf(items);
	return [id, ...unsigned(content.length), ...content];
}

function listOf(items: readonly Code[]): Code {
	return [...unsigned(items.length), ...items.flat()];
}

/** Writes a number in groups of seven bits, the lowest first; the highest bit of each byte says that another one follows. */
function unsigned(value: number): Code {
	return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
	return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}

const { memory, classify } = compile();
const input = Buffer.from(memory.buffer, 0, MOST_BYTES);
const output = new Int32Array(memory.buffer, MOST_BYTES);

/**
 * Returns the words that describe `bytes[from, to)`, `KIND_COUNT` for each 32 bytes; bits behind `to` are 0. They are valid
 * until the next call. No copy of the bytes stays in memory.
 */
export function readKinds(bytes: Buffer, from: number, to: number): Int32Array {
	const length = to - from;
	const whole = (length + BITS - 1) & -BITS;
	bytes.copy(input, 0, from, to);
	if (whole > length) input.fill(OF_NO_KIND, length, whole);
	classify(0, whole, MOST_BYTES);
	input.fill(0, 0, whole);
	return output;
}

/** Returns the position of the first bit from `at` on that is set in `words` words, or behind all of them if none is. */
export function nextBit(bits: Int32Array, words: number, at: number): number {
	let word = at >>> 5;
	if (word >= words) return words * BITS;
	let left = bits[word] & (-1 << at);
	while (left === 0) {
		if (++word >= words) return words * BITS;
		left = bits[word];
	}
	return word * BITS + 31 - Math.clz32(left & -left);
}
