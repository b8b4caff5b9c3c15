import type { Place } from './place.ts';

/**
 * Reads a body of one format and selects from it. Nodes are numbers that are valid for this format and body until the
 * next body is opened; 0 is the whole body.
 */
export interface BodyFormat<Body> {
	/**
	 * Compiles an expression. It is called for all selectors before any body is opened.
	 * @throws UnusableSelector
	 */
	compile(expression: string): Query<Body>;
	/**
	 * True if a library evaluates one of the compiled expressions. The library has no time limit, so bodies are then
	 * always read in a separate thread.
	 */
	readonly usesLibrary?: boolean;
	/**
	 * Opens a body.
	 * @throws ServiceError('bad-input-data') if it cannot be read in its format
	 */
	open(bytes: Buffer, contentType: string | undefined): Body;
	/** Releases the body; places found in it stay valid. */
	close(body: Body): void;
	/**
	 * Returns the place of a node, or undefined for a node that cannot contain text: an element with child elements, or
	 * an array.
	 */
	findPlace(body: Body, node: number): Place | undefined;
	/**
	 * Returns the named values directly in a node, or with `isDeep` anywhere in it: fields of a form, members, elements
	 * and attributes. Elements of an array have the name of the array.
	 */
	named(body: Body, context: number, isDeep: boolean): NamedNode[];
}

/** A node with its local name, without escapes. */
export interface NamedNode {
	readonly name: string;
	readonly node: number;
}

/** Returns the nodes that an expression selects from a node, in document order and without duplicates. */
export type Query<Body> = (body: Body, context: number) => readonly number[];
