// Lists the XPath features that selectors may use: those that visit nodes of the body, and comparisons. Two kinds of
// features are not listed: those that read from elsewhere, and those whose work is not in proportion to the nodes that
// they visit. The number of visits is limited in `xpath-library.ts`.

import type { Element } from 'slimdom';
import { UnusableSelector } from '../problems.ts';
import { childOfAst, childrenOfAst } from './xpath-ast.ts';

const FUNCTIONS = new Set([
	...['local-name', 'name', 'namespace-uri', 'string', 'normalize-space', 'string-length', 'number', 'boolean'],
	...['starts-with', 'ends-with', 'contains', 'substring', 'substring-before', 'substring-after', 'concat'],
	...['upper-case', 'lower-case', 'translate', 'position', 'last', 'count', 'exists', 'empty', 'not', 'true', 'false'],
]);
const FUNCTION_NAMESPACE = 'http://www.w3.org/2005/xpath-functions';

const NODE_OPERATORS = new Set(['unionOp', 'intersectOp', 'exceptOp']);
const GENERAL_COMPARISONS = new Set([
	...['equalOp', 'notEqualOp', 'lessThanOp', 'lessThanOrEqualOp', 'greaterThanOp', 'greaterThanOrEqualOp'],
]);
const OTHER_OPERATORS = new Set([
	...['andOp', 'orOp', 'eqOp', 'neOp', 'ltOp', 'leOp', 'gtOp', 'geOp', 'isOp', 'nodeBeforeOp', 'nodeAfterOp'],
	...['addOp', 'subtractOp', 'multiplyOp', 'divOp', 'idivOp', 'modOp', 'unaryMinusOp', 'unaryPlusOp'],
	'stringConcatenateOp',
]);
const CONSTANTS = new Set(['stringConstantExpr', 'integerConstantExpr', 'decimalConstantExpr', 'doubleConstantExpr']);
const TESTS = new Set(['anyKindTest', 'textTest', 'commentTest', 'piTest', 'nameTest', 'Wildcard', 'anyElementTest']);

/**
 * Checks that an expression uses only the features of XPath that are available to selectors, and that it selects nodes. It
 * must not select plain values, such as numbers: duplicates of nodes are removed and those of plain values are not, so their
 * number could double at every step.
 * @throws UnusableSelector that names a feature that is not available
 */
export function checkXPath(ast: Element): void {
	const name = ast.localName;
	if (name === 'contextItemExpr') return;
	if (name === 'pathExpr') for (const step of childrenOfAst(ast)) checkStep(step);
	else if (name === 'sequenceExpr') for (const item of childrenOfAst(ast)) checkXPath(item);
	else if (NODE_OPERATORS.has(name)) for (const operand of operandsOf(ast)) checkXPath(operand);
	else throw notAvailable(ast);
}

function checkStep(step: Element): void {
	if (step.localName === 'rootExpr') return;
	for (const part of childrenOfAst(step)) {
		if (part.localName === 'xpathAxis' || TESTS.has(part.localName)) continue;
		if (part.localName === 'filterExpr') for (const inner of childrenOfAst(part)) checkXPath(inner);
		else if (part.localName === 'predicates') for (const predicate of childrenOfAst(part)) checkValue(predicate);
		else throw notAvailable(part);
	}
}

function checkValue(ast: Element): void {
	const name = ast.localName;
	if (CONSTANTS.has(name)) return;
	if (name === 'functionCallExpr') checkCall(ast);
	else if (GENERAL_COMPARISONS.has(name)) checkComparison(ast);
	else if (OTHER_OPERATORS.has(name)) for (const operand of operandsOf(ast)) checkValue(operand);
	else if (name === 'sequenceExpr') for (const item of childrenOfAst(ast)) checkValue(item);
	else checkXPath(ast);
}

function checkCall(ast: Element): void {
	const functionName = childOfAst(ast, 'functionName');
	const name = functionName?.textContent ?? '';
	const uri = functionName?.attributes.find(({ localName }) => localName === 'URI')?.value ?? FUNCTION_NAMESPACE;
	if (!FUNCTIONS.has(name) || uri !== FUNCTION_NAMESPACE) {
		throw new UnusableSelector(`${name}() is not available in selectors; available are ${[...FUNCTIONS].join(', ')}`);
	}
	for (const argument of childrenOfAst(childOfAst(ast, 'arguments') as Element)) checkValue(argument);
}

/**
 * Checks a comparison. XPath compares each value on one side with each value on the other, so one side must be a single
 * value. Otherwise the work would grow too fast.
 */
function checkComparison(ast: Element): void {
	const operands = operandsOf(ast);
	for (const operand of operands) checkValue(operand);
	if (!operands.some(isSingle)) {
		throw new UnusableSelector('expected a literal, an attribute or a function on one side of a comparison');
	}
}

function isSingle(ast: Element): boolean {
	if (CONSTANTS.has(ast.localName) || ast.localName === 'functionCallExpr' || ast.localName === 'contextItemExpr')
		return true;
	const steps = ast.localName === 'pathExpr' ? childrenOfAst(ast) : [];
	const [step] = steps;
	if (steps.length !== 1 || step.localName !== 'stepExpr') return false;
	return childOfAst(step, 'xpathAxis')?.textContent === 'attribute' && childOfAst(step, 'nameTest') !== undefined;
}

function operandsOf(ast: Element): Element[] {
	return childrenOfAst(ast).flatMap((operand) => {
		if (!/^(?:firstOperand|secondOperand|operand)$/.test(operand.localName)) throw notAvailable(ast);
		return childrenOfAst(operand);
	});
}

function notAvailable(ast: Element): UnusableSelector {
	const construct = ast.localName.replace(/[^A-Za-z]/g, '');
	return new UnusableSelector(
		`${construct} is not available: expected a path to elements, attributes or text, with predicates that compare`,
	);
}
