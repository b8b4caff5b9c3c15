import type { Place } from './place.ts';

/**
 * How a body of one format is read and selected from. Nodes are numbers that mean something to the format and to the
 * body they were found in, until the next body is opened; 0 is the whole body.
 */
export interface BodyFormat<Body> {
	/** Called for all selectors before any body is opened. @throws UnusableSelector */
	compile(expression: string): Query<Body>;
	/** Whether any of the compiled expressions is left to a library, whose steps nobody counts. */
	readonly usesLibrary?: boolean;
	/** @throws ServiceError('bad-input-data') when it cannot be read as its format. */
	open(bytes: Buffer, contentType: string | undefined): Body;
	/** Lets go of the body; places found in it stay good. */
	close(body: Body): void;
	/** Undefined where no text can stand: an element with elements in it, an array. */
	findPlace(body: Body, node: number): Place | undefined;
	/**
	 * What has a name directly in a node, or with `isDeep` anywhere in it: fields of a form, members, elements and
	 * attributes. Elements of an array go by the name of the array.
	 */
	named(body: Body, context: number, isDeep: boolean): NamedNode[];
}

/** Local name, without escapes. */
export interface NamedNode {
	readonly name: string;
	readonly node: number;
}

/** Nodes that an expression selects from a node, in document order, none twice. */
export type Query<Body> = (body: Body, context: number) => readonly number[];
