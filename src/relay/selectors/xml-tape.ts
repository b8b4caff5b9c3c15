// An XML body as a flat list of its nodes with their byte ranges: what both ways of selecting look at.

import { type Charset, UTF_8 } from './charset.ts';
import { refusal } from './problems.ts';

export const XML_KIND = {
	DOCUMENT: 0,
	ELEMENT: 1,
	EMPTY_ELEMENT: 2,
	TEXT: 3,
	CDATA: 4,
	COMMENT: 5,
	INSTRUCTION: 6,
} as const;

// One node in cells. Nodes stand in document order; 0 is the document.
export const KIND = 0;
/** Of an element where its content begins, of an empty one (`<a/>`) its slash; of a section its inside. */
export const START = 1;
export const END = 2;
/** The node after this one and all that is in it. */
export const NEXT = 3;
export const PARENT = 4;
/** Of an element: id of its local name among the known ones, and of its namespace. */
export const LOCAL = 5;
export const NAMESPACE = 6;
/** Of an element: its attributes, by their index. */
export const ATTRIBUTES = 7;
export const ATTRIBUTES_END = 8;
export const NAME_START = 9;
export const LOCAL_START = 10;
export const NAME_END = 11;
export const STRIDE = 12;

// One attribute in cells.
export const A_START = 0;
export const A_END = 1;
export const A_LOCAL = 2;
export const A_NAMESPACE = 3;
export const A_NAME_START = 4;
export const A_LOCAL_START = 5;
export const A_NAME_END = 6;
export const A_OWNER = 7;
export const A_STRIDE = 8;

/** For one body, by all selectors together: about half a second. */
const MAX_LOOKS = 50_000_000;

const FIRST_NODES = 256;
/** A tape that grew further is not kept for the next body. */
const MAX_KEPT_NODES = 65_536;

const NOTHING = Buffer.alloc(0);

/** Belongs to one scan, which fills it anew for every body; copy what must last. */
export class XmlTape {
	cells = new Int32Array(FIRST_NODES * STRIDE);
	count = 0;
	attributes = new Int32Array(FIRST_NODES * A_STRIDE);
	attributeCount = 0;
	bytes: Buffer = NOTHING;
	charset: Charset = UTF_8;
	/** Namespaces by id; 0 is none. */
	namespaces: readonly string[] = [''];
	/** What the library's way made of this body. */
	document: unknown;
	/** What expressions that begin at the document selected in this body. */
	readonly absolutes = new Map<unknown, readonly number[]>();
	#looks = 0;

	begin(bytes: Buffer, charset: Charset): void {
		this.count = 0;
		this.attributeCount = 0;
		this.charset = charset;
		this.end();
		this.bytes = bytes;
		this.#looks = 0;
		if (this.cells.length > MAX_KEPT_NODES * STRIDE) this.cells = new Int32Array(FIRST_NODES * STRIDE);
		if (this.attributes.length > MAX_KEPT_NODES * A_STRIDE) this.attributes = new Int32Array(FIRST_NODES * A_STRIDE);
	}

	/** Lets go of the body. */
	end(): void {
		this.bytes = NOTHING;
		this.document = undefined;
		this.absolutes.clear();
	}

	/** Pays for nodes looked at: paths up and down again could look at all of them for each. */
	spend(looks: number): void {
		this.#looks += looks;
		if (this.#looks > MAX_LOOKS) throw refusal('the selectors of the profile look at too many nodes of the body');
	}

	/** Adds a node; returns its row. The rest of its cells are the caller's to write. */
	add(kind: number, start: number, end: number, parent: number): number {
		const row = this.count * STRIDE;
		if (row === this.cells.length) this.cells = doubled(this.cells);
		const { cells } = this;
		cells[row + KIND] = kind;
		cells[row + START] = start;
		cells[row + END] = end;
		cells[row + PARENT] = parent;
		cells[row + NEXT] = ++this.count;
		return row;
	}

	/** The same for an attribute. */
	addAttribute(): number {
		const row = this.attributeCount++ * A_STRIDE;
		if (row === this.attributes.length) this.attributes = doubled(this.attributes);
		return row;
	}
}

function doubled(cells: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(cells.length * 2);
	larger.set(cells);
	return larger;
}

// Nodes as selectors give them: attributes are the negative numbers, so that one list can hold both.

export const attributeNode = (attribute: number): number => -1 - attribute;
export const attributeOf = (node: number): number => -1 - node;

export function isElement(kind: number): boolean {
	return kind === XML_KIND.ELEMENT || kind === XML_KIND.EMPTY_ELEMENT;
}
