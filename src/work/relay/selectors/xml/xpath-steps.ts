// Compiles simple XPath expressions to steps, which are then followed on the tape without the XPath library. The
// library's own parser reads the expression, so that the steps and the library agree on its meaning.

import type { Element } from 'slimdom';
import { isPlainName, type KnownNames } from '../known-names.ts';
import type { NamespaceScope } from './namespaces.ts';
import { attributeOfAst, childOfAst, childrenOfAst, type PrefixResolver } from './xpath-ast.ts';

export const AXIS = {
	CHILD: 1,
	DESCENDANT: 2,
	ATTRIBUTE: 3,
	DESCENDANT_ATTRIBUTE: 4,
	TEXT: 5,
	DESCENDANT_TEXT: 6,
	PARENT: 7,
} as const;
type Axis = (typeof AXIS)[keyof typeof AXIS];

export interface XmlStep {
	readonly axis: Axis;
	/** The id of the local name that the step requires; 0 means any name. */
	readonly local: number;
	/** The id of the namespace that the step requires; -1 means any namespace. */
	readonly namespace: number;
}

export interface XmlSteps {
	/** True if the steps begin at the document, no matter where the expression is evaluated. */
	readonly isAbsolute: boolean;
	readonly steps: readonly XmlStep[];
}

/** Holds the name that a step requires. If a member is undefined, any local name or any namespace is accepted. */
interface NameTest {
	readonly local?: string;
	readonly namespace?: string;
}

const AXES: Record<string, { readonly plain: Axis; readonly descendant: Axis } | undefined> = {
	child: { plain: AXIS.CHILD, descendant: AXIS.DESCENDANT },
	attribute: { plain: AXIS.ATTRIBUTE, descendant: AXIS.DESCENDANT_ATTRIBUTE },
};

/** Compiles expressions that consist of names on the child, descendant and attribute axes, `text()`, `.` and `..`. */
export class XmlStepCompiler {
	readonly #names: KnownNames;
	readonly #namespaces: NamespaceScope;
	readonly #resolve: PrefixResolver;

	constructor(names: KnownNames, namespaces: NamespaceScope, resolve: PrefixResolver) {
		this.#names = names;
		this.#namespaces = namespaces;
		this.#resolve = resolve;
	}

	/** Returns the steps of an expression, or undefined if only the library can evaluate it. */
	find(expression: Element): XmlSteps | undefined {
		if (expression.localName === 'contextItemExpr') return { isAbsolute: false, steps: [] };
		if (expression.localName !== 'pathExpr') return undefined;
		const [first, ...others] = childrenOfAst(expression);
		const isAbsolute = first?.localName === 'rootExpr';
		const steps: XmlStep[] = [];
		let isDescendant = false;
		for (const ast of isAbsolute ? others : [first, ...others]) {
			if (isSelf(ast)) {
				if (isDescendant) return undefined;
			} else if (!isDescendant && isDescendantOrSelf(ast)) isDescendant = true;
			else {
				const step = this.#step(ast, isDescendant);
				const before = steps.at(-1)?.axis;
				if (step === undefined || before === AXIS.TEXT || before === AXIS.DESCENDANT_TEXT) return undefined;
				steps.push(step);
				isDescendant = false;
			}
		}
		return isDescendant ? undefined : { isAbsolute, steps };
	}

	#step(ast: Element, isDescendant: boolean): XmlStep | undefined {
		const axisName = childOfAst(ast, 'xpathAxis')?.textContent ?? '';
		const predicates = childOfAst(ast, 'predicates');
		const test = childrenOfAst(ast).find(({ localName }) => localName !== 'xpathAxis' && localName !== 'predicates');
		if (test === undefined) return undefined;
		if (axisName === 'parent' && test.localName === 'anyKindTest' && !predicates && !isDescendant) {
			return { axis: AXIS.PARENT, local: 0, namespace: -1 };
		}
		if (axisName === 'child' && test.localName === 'textTest' && !predicates) {
			return { axis: isDescendant ? AXIS.DESCENDANT_TEXT : AXIS.TEXT, local: 0, namespace: -1 };
		}
		const axes = AXES[axisName];
		const tests = axes && this.#tests(test, predicates, axisName === 'attribute');
		return tests && this.#named(isDescendant ? axes.descendant : axes.plain, tests);
	}

	#named(axis: Axis, tests: readonly NameTest[]): XmlStep | undefined {
		const locals = new Set(tests.flatMap(({ local }) => local ?? []));
		const namespaces = new Set(tests.flatMap(({ namespace }) => namespace ?? []));
		if (locals.size > 1 || namespaces.size > 1) return undefined;
		const [local] = locals;
		const [namespace] = namespaces;
		if (local !== undefined && !isPlainName(local)) return undefined;
		if (namespace !== undefined && namespace !== '' && !isPlainName(namespace)) return undefined;
		return {
			axis,
			local: local === undefined ? 0 : this.#names.add(local),
			namespace: namespace === undefined ? -1 : this.#namespaces.add(namespace),
		};
	}

	#tests(test: Element, predicates: Element | undefined, isAttribute: boolean): NameTest[] | undefined {
		const name = this.#nameTest(test, isAttribute);
		const asked =
			predicates === undefined ? [] : childrenOfAst(predicates).flatMap((ast) => namePredicate(ast) ?? [undefined]);
		if (name === undefined || asked.includes(undefined)) return undefined;
		return [name, ...(asked as NameTest[])];
	}

	#nameTest(test: Element, isAttribute: boolean): NameTest | undefined {
		if (test.localName === 'nameTest') {
			const uri = attributeOfAst(test, 'URI');
			const prefix = attributeOfAst(test, 'prefix') ?? '';
			const namespace = uri ?? (isAttribute && prefix === '' ? '' : this.#resolve(prefix));
			return namespace === null ? undefined : { local: test.textContent ?? '', namespace };
		}
		if (test.localName !== 'Wildcard') return undefined;
		const [first, second] = childrenOfAst(test);
		if (first === undefined) return {};
		if (first.localName === 'star' && second?.localName === 'NCName') return { local: second.textContent ?? '' };
		if (first.localName !== 'NCName') return undefined;
		const namespace = this.#resolve(first.textContent ?? '');
		return namespace === null ? undefined : { namespace };
	}
}

function isSelf(ast: Element): boolean {
	const [first, second, third] = childrenOfAst(ast);
	if (first?.localName === 'filterExpr') {
		return second === undefined && childrenOfAst(first)[0]?.localName === 'contextItemExpr';
	}
	return first?.textContent === 'self' && second?.localName === 'anyKindTest' && third === undefined;
}

function isDescendantOrSelf(ast: Element): boolean {
	const [axis, test, predicates] = childrenOfAst(ast);
	const isAxis = axis?.localName === 'xpathAxis' && axis.textContent === 'descendant-or-self';
	return isAxis && test?.localName === 'anyKindTest' && predicates === undefined;
}

/** Returns the names of a predicate `local-name() = 'X'`, `namespace-uri() = 'Y'`, or several joined by `and`. */
function namePredicate(ast: Element): NameTest[] | undefined {
	const [first, second] = ['firstOperand', 'secondOperand'].map((side) => {
		const operand = childOfAst(ast, side);
		return operand === undefined ? undefined : childrenOfAst(operand)[0];
	});
	if (first === undefined || second === undefined) return undefined;
	if (ast.localName === 'andOp') {
		const [left, right] = [namePredicate(first), namePredicate(second)];
		return left && right && [...left, ...right];
	}
	if (ast.localName !== 'equalOp') return undefined;
	const [call, literal] = first.localName === 'functionCallExpr' ? [first, second] : [second, first];
	if (call.localName !== 'functionCallExpr' || literal.localName !== 'stringConstantExpr') return undefined;
	const given = childrenOfAst(childOfAst(call, 'arguments') ?? call);
	if (given.length > 1 || (given.length === 1 && given[0].localName !== 'contextItemExpr')) return undefined;
	const value = literal.textContent ?? '';
	const name = childOfAst(call, 'functionName')?.textContent;
	if (name === 'local-name') return [{ local: value }];
	return name === 'namespace-uri' ? [{ namespace: value }] : undefined;
}
