// Refuses JSONPath expressions that only the library can evaluate and whose work could grow faster than the body. If an
// expression selects a value twice, the library keeps it twice, so every further `..` or list in the expression could
// multiply the work.

import type { JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { UnusableSelector } from '../problems.ts';

interface AstNode {
	readonly type?: string;
	readonly name?: string;
	readonly selectors?: readonly unknown[];
	readonly left?: AstNode;
	readonly right?: AstNode;
}

/**
 * Checks that an expression uses only the features of JSONPath that are available to selectors.
 * @throws UnusableSelector that names a feature that is not available
 */
export function checkJsonPath(query: JsonPathQuery): void {
	const nodes = [...nodesIn(query)];
	const descendants = nodes.filter(({ type }) => type === 'DescendantSegment').length;
	if (descendants > 1) throw new UnusableSelector('expected at most one ".." beside a filter, a slice or a list');
	const lists = nodes.filter(({ selectors }) => selectors !== undefined && selectors.length > 1).length;
	if (lists > 1) throw new UnusableSelector('expected at most one list of selectors in brackets');
	for (const node of nodes) if (node.type === 'FilterSelector') for (const inner of nodesIn(node)) checkInFilter(inner);
}

function* nodesIn(tree: unknown): Generator<AstNode> {
	if (typeof tree !== 'object' || tree === null) return;
	if (!Array.isArray(tree)) yield tree as AstNode;
	for (const value of Object.values(tree)) yield* nodesIn(value);
}

/**
 * Checks one element of a filter's syntax tree. A filter is evaluated for every candidate value, so it may only look at
 * the candidate itself. It may compare a part of the candidate with a literal or a function, but not with another part.
 */
function checkInFilter({ type, name, left, right }: AstNode): void {
	if (type === 'FunctionExpr' && (name === 'match' || name === 'search')) {
		throw new UnusableSelector(`${name}() is not available: regular expressions are refused`);
	}
	if (type === 'DescendantSegment') throw new UnusableSelector('".." is not available inside a filter');
	if (type === 'JsonPathQuery' || type === 'AbsSingularQuery') {
		throw new UnusableSelector('"$" is not available inside a filter; compare with a literal');
	}
	if (type === 'ComparisonExpr' && left?.type === 'RelSingularQuery' && right?.type === 'RelSingularQuery') {
		throw new UnusableSelector('expected a literal or a function on one side of a comparison');
	}
}
