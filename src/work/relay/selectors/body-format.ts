import type { Place } from './place.ts';

/** A node is a number that is valid until the next body is opened; node 0 is the whole body. */
export interface BodyFormat<Body> {
	/**
	 * Compiles an expression. It is called for all selectors before any body is opened.
	 * @throws UnusableSelector if the expression is not valid or uses a feature that is not available
	 */
	compile(expression: string): Query<Body>;
	/**
	 * True if a library evaluates one of the compiled expressions. The library has no time limit, so bodies are then
	 * always read in a separate thread.
	 */
	readonly usesLibrary?: boolean;
	/**
	 * @throws ServiceError if it cannot be read in this format: 'message-malformed' for what looks like XML and is not
	 * well-formed, otherwise 'bad-input-data'
	 */
	open(bytes: Buffer, contentType: string | undefined): Body;
	/** Releases the body; places found in it stay valid. */
	close(body: Body): void;
	/** Returns the place of a node; undefined for one that cannot contain text: an element with elements, or an array. */
	findPlace(body: Body, node: number): Place | undefined;
	/**
	 * Returns the values that have a name, directly in a node or, with `isDeep`, anywhere inside it: the fields of a
	 * form, the members of a JSON object, the elements and attributes of XML. Elements of an array get the name of the
	 * array.
	 */
	named(body: Body, context: number, isDeep: boolean): NamedNode[];
}

/** A node and its name, without a namespace prefix and without escapes. */
export interface NamedNode {
	readonly name: string;
	readonly node: number;
}

/** Returns the nodes that an expression selects from a node, in document order and without duplicates. */
export type Query<Body> = (body: Body, context: number) => readonly number[];
