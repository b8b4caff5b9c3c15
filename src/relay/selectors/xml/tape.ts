// An XML body as a flat list of its nodes with their byte ranges: what both ways of selecting look at.

import { type Cells, grown, released } from '../cells.ts';
import { type Charset, UTF_8 } from '../charset.ts';
import { checkPatience } from '../patience.ts';
import { refusal } from '../problems.ts';

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
/** More are refused: all of them stand in memory, 48 MB and 24 MB. */
const MAX_NODES = 1_000_000;
const MAX_ATTRIBUTES = 750_000;
export const MAX_XML_TAPE_BYTES = (MAX_NODES * STRIDE + MAX_ATTRIBUTES * A_STRIDE) * Int32Array.BYTES_PER_ELEMENT;
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
	}

	/** Lets go of the body, and of the memory of a large one at once. */
	end(): void {
		this.bytes = NOTHING;
		this.document = undefined;
		this.absolutes.clear();
		if (this.cells.length > MAX_KEPT_NODES * STRIDE) this.cells = released(this.cells, FIRST_NODES * STRIDE);
		if (this.attributes.length > MAX_KEPT_NODES * A_STRIDE) {
			this.attributes = released(this.attributes, FIRST_NODES * A_STRIDE);
		}
	}

	/** Pays for nodes looked at: paths up and down again could look at all of them for each. */
	spend(looks: number): void {
		checkPatience();
		this.#looks += looks;
		if (this.#looks > MAX_LOOKS) throw refusal('the selectors of the profile look at too many nodes of the body');
	}

	/** Adds a node; returns its row. The rest of its cells are the caller's to write. */
	add(kind: number, start: number, end: number, parent: number): number {
		const row = this.count * STRIDE;
		if (row === this.cells.length) this.cells = doubled(this.cells, MAX_NODES * STRIDE, 'nodes');
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
		if (row === this.attributes.length)
			this.attributes = doubled(this.attributes, MAX_ATTRIBUTES * A_STRIDE, 'attributes');
		return row;
	}
}

function doubled(cells: Cells, most: number, what: string): Cells {
	if (cells.length >= most) throw refusal(`the body has more XML ${what} than can be looked through`);
	return grown(cells, Math.min(most, cells.length * 2));
}

// Nodes as selectors give them: attributes are the negative numbers, so that one list can hold both.

export const attributeNode = (attribute: number): number => -1 - attribute;
export const attributeOf = (node: number): number => -1 - node;

export function isElement(kind: number): boolean {
	return kind === XML_KIND.ELEMENT || kind === XML_KIND.EMPTY_ELEMENT;
}
