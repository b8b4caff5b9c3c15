// Holds an XML body as a flat list of its nodes with their byte ranges. Simple expressions and the XPath library both
// work on it.

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

// Names the cells that each node has on the tape. Nodes are in document order; node 0 is the document.
export const KIND = 0;
/** Where the content of an element or a CDATA section begins; for an empty element (`<a/>`), where its slash is. */
export const START = 1;
export const END = 2;
/** The number of the first node after this node and everything in it. */
export const NEXT = 3;
export const PARENT = 4;
/** For an element: the id of its local name, which is 0 if no selector uses the name, and the id of its namespace. */
export const LOCAL = 5;
export const NAMESPACE = 6;
/** For an element: the index of its first attribute, and the index after that of its last attribute. */
export const ATTRIBUTES = 7;
export const ATTRIBUTES_END = 8;
export const NAME_START = 9;
export const LOCAL_START = 10;
export const NAME_END = 11;
export const STRIDE = 12;

// Names the cells that each attribute has on the tape.
export const A_START = 0;
export const A_END = 1;
export const A_LOCAL = 2;
export const A_NAMESPACE = 3;
export const A_NAME_START = 4;
export const A_LOCAL_START = 5;
export const A_NAME_END = 6;
export const A_OWNER = 7;
export const A_STRIDE = 8;

/**
 * All selectors together may examine this many nodes of one body; a node counts each time that it is examined. This
 * takes about half a second.
 */
const MAX_LOOKS = 50_000_000;

const FIRST_NODES = 256;
/**
 * A body with more nodes or more attributes than this is refused, because its whole tape is in memory (at most 48 MB
 * for nodes and 24 MB for attributes).
 */
const MAX_NODES = 1_000_000;
const MAX_ATTRIBUTES = 750_000;
export const MAX_XML_TAPE_BYTES = (MAX_NODES * STRIDE + MAX_ATTRIBUTES * A_STRIDE) * Int32Array.BYTES_PER_ELEMENT;
/** A tape that has grown larger than this is not kept for the next body. */
const MAX_KEPT_NODES = 65_536;

const NOTHING = Buffer.alloc(0);

/** A tape belongs to one scan, which fills it again for every body, so callers must copy what they keep. */
export class XmlTape {
	cells = new Int32Array(FIRST_NODES * STRIDE);
	count = 0;
	attributes = new Int32Array(FIRST_NODES * A_STRIDE);
	attributeCount = 0;
	bytes: Buffer = NOTHING;
	charset: Charset = UTF_8;
	/** Holds the URI of each namespace by its id; the id 0 means no namespace. */
	namespaces: readonly string[] = [''];
	/** The nodes of this body as the XPath library needs them; absent as long as no expression needed it. */
	document: unknown;
	/** Keeps the results of expressions from the document, which are the same for every container of the body. */
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

	/** Releases the body. If the body was large, the memory of its tape is freed at once. */
	end(): void {
		this.bytes = NOTHING;
		this.document = undefined;
		this.absolutes.clear();
		if (this.cells.length > MAX_KEPT_NODES * STRIDE) this.cells = released(this.cells, FIRST_NODES * STRIDE);
		if (this.attributes.length > MAX_KEPT_NODES * A_STRIDE) {
			this.attributes = released(this.attributes, FIRST_NODES * A_STRIDE);
		}
	}

	/**
	 * Counts examined nodes and refuses a body that needs too many. A path that goes up and down again could examine all
	 * nodes of the body for each node.
	 */
	spend(looks: number): void {
		checkPatience();
		this.#looks += looks;
		if (this.#looks > MAX_LOOKS) throw refusal('the selectors of the profile look at too many nodes of the body');
	}

	/** Adds a node and returns its row. The caller writes the rest of its cells. */
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

	/** Adds an attribute and returns its row. The caller writes the rest of its cells. */
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

// These two functions convert the index of an attribute to a node number and back. The node numbers of attributes are
// negative, so that one list can hold attributes and other nodes.

export const attributeNode = (attribute: number): number => -1 - attribute;
export const attributeOf = (node: number): number => -1 - node;

export function isElement(kind: number): boolean {
	return kind === XML_KIND.ELEMENT || kind === XML_KIND.EMPTY_ELEMENT;
}
