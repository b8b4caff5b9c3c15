// Divides XPath and JSONPath into steps, to show how much of an expression matches.

const BRACKETS: Readonly<Record<string, number>> = { '[': 1, '(': 1, ']': -1, ')': -1 };

/** Returns each step of an XPath with the separator before it: `//a`, `/b[c/d]`; undefined for a union of paths. */
export function xpathSteps(expression: string): readonly string[] | undefined {
	const isUnion = outsideBrackets(expression).some(({ character }) => character === '|' || character === ',');
	return isUnion ? undefined : stepsOf(expression, '/', '/');
}

/** Returns the steps of a JSONPath, such as `$`, `.a`, `..b` and `[0]`. */
export function jsonPathSteps(expression: string): readonly string[] {
	return stepsOf(expression, '.[', '.');
}

/** Divides an expression before each separator that does not follow `double`, which may begin a step of two separators. */
function stepsOf(expression: string, separators: string, double: '/' | '.'): readonly string[] {
	const steps: string[] = [];
	let from = 0;
	for (const { index, character } of outsideBrackets(expression)) {
		if (!separators.includes(character) || expression[index - 1] === double || index === from) continue;
		steps.push(expression.slice(from, index));
		from = index;
	}
	return [...steps, expression.slice(from)];
}

/** Returns the positions of characters outside strings and brackets; an opening bracket is regarded as outside. */
function* outsideBrackets(expression: string): Generator<{ index: number; character: string }> {
	let depth = 0;
	let quote = '';
	for (let index = 0; index < expression.length; index++) {
		const character = expression[index];
		if (quote !== '') {
			if (character === '\\' && depth > 0) index++;
			else if (character === quote) quote = '';
			continue;
		}
		const change = BRACKETS[character] ?? 0;
		if (depth === 0 && change >= 0) yield { index, character };
		depth = Math.max(0, depth + change);
		if (character === '"' || character === "'") quote = character;
	}
}

const NAME_STEP = /^(\/{0,2})(?:[\p{L}_][\p{L}\p{N}_.-]*:)?([\p{L}_][\p{L}\p{N}_.-]*)$/u;

/** Returns an XPath step that matches the same name in any namespace, or undefined if the step is more than a name. */
export function inAnyNamespace(step: string): string | undefined {
	const [, slashes, name] = NAME_STEP.exec(step) ?? [];
	return name === undefined ? undefined : `${slashes}*[local-name()='${name}']`;
}
