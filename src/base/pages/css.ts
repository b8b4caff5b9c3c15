// Makes a foreign style sheet harmless for our pages: it can change the look of a form, but it can neither load
// anything, nor read what was typed, nor touch anything outside of the form.

import {
	type Atrule,
	type Block,
	type CssNode,
	type Declaration,
	findAll,
	generate,
	ident,
	parse,
	type Rule,
	type Selector,
	type StyleSheet,
	tokenize,
	tokenTypes,
} from 'css-tree';

/** The class of the element around everything that a foreign style sheet may touch. */
export const SCOPE = 'tokendrop';

/** The limits of a style sheet. What exceeds them takes long to read, and is no style sheet that a person has written. */
export const CSS_LIMITS = {
	characters: 65_536,
	/** The most blocks and brackets within each other. */
	depth: 16,
	/** The most rules, declarations and members of lists together. */
	parts: 8_192,
} as const;

/** What may be used of a style sheet. */
export interface SafeSheet {
	readonly css: string;
	/** Why nothing of the sheet is used; absent if the sheet keeps to the limits. */
	readonly problem?: string;
}

/** These selectors stand for the whole page. They are replaced by the class `SCOPE`, which is on the element around the form. */
const WHOLE_PAGE: ReadonlySet<string> = new Set(['html', 'body', 'root', 'host', 'scope']);

/**
 * Groups of rules with one of these names after the `@` are kept, and so are keyframes. Everything else with `@` is
 * dropped, because it loads something or affects the whole page.
 */
const GROUPS: ReadonlySet<string> = new Set(['media', 'supports', 'container']);
const KEYFRAMES: ReadonlySet<string> = new Set(['keyframes', '-webkit-keyframes']);

/** Returns the harmless part of a style sheet. Every selector of the result begins with the class of the scope. */
export function safeSheet(text: string): SafeSheet {
	const problem = findProblem(text);
	if (problem !== undefined) return { css: '', problem };
	const sheet = parse(text, { parseCustomProperty: true }) as StyleSheet;
	return { css: sheet.children.toArray().map(keptRule).join('') };
}

const OPENING: ReadonlySet<number> = new Set([
	tokenTypes.LeftCurlyBracket,
	tokenTypes.LeftParenthesis,
	tokenTypes.LeftSquareBracket,
	tokenTypes.Function,
]);
const CLOSING: ReadonlySet<number> = new Set([
	tokenTypes.RightCurlyBracket,
	tokenTypes.RightParenthesis,
	tokenTypes.RightSquareBracket,
]);
const PARTS: ReadonlySet<number> = new Set([
	tokenTypes.LeftCurlyBracket,
	tokenTypes.Semicolon,
	tokenTypes.Comma,
	tokenTypes.AtKeyword,
]);

/** Tells which limit a style sheet exceeds, before anything is built of it. */
function findProblem(text: string): string | undefined {
	if (text.length > CSS_LIMITS.characters) return `longer than ${CSS_LIMITS.characters} characters`;
	let depth = 0;
	let deepest = 0;
	let parts = 0;
	tokenize(text, (type) => {
		if (OPENING.has(type)) deepest = Math.max(deepest, ++depth);
		else if (CLOSING.has(type)) depth = Math.max(0, depth - 1);
		if (PARTS.has(type)) parts++;
	});
	if (deepest > CSS_LIMITS.depth) return `nested deeper than ${CSS_LIMITS.depth}`;
	return parts > CSS_LIMITS.parts
		? `more than ${CSS_LIMITS.parts} rules, declarations and members of lists`
		: undefined;
}

function keptRule(node: CssNode): string {
	if (node.type === 'Rule') return keptStyleRule(node);
	return node.type === 'Atrule' ? keptGroup(node) : '';
}

function keptGroup({ name, prelude, block }: Atrule): string {
	const kind = nameOf(name);
	if (!block || (prelude && !isHarmless(prelude))) return '';
	const condition = prelude ? ` ${generate(prelude)}` : '';
	if (GROUPS.has(kind)) return wrapped(`@${kind}${condition}`, block.children.toArray().map(keptRule).join(''));
	if (!KEYFRAMES.has(kind)) return '';
	const steps = block.children
		.toArray()
		.map((step) => (step.type === 'Rule' ? wrapped(generate(step.prelude), keptDeclarations(step.block)) : ''));
	return wrapped(`@${kind}${condition}`, steps.join(''));
}

function keptStyleRule({ prelude, block }: Rule): string {
	if (prelude.type !== 'SelectorList') return '';
	const selectors = prelude.children.toArray().flatMap((selector) => {
		const scoped = selector.type === 'Selector' ? scopedSelector(selector) : undefined;
		return scoped === undefined ? [] : [scoped];
	});
	return selectors.length === 0 ? '' : wrapped(selectors.join(','), keptDeclarations(block));
}

/**
 * Returns the selector with the scope in front, so that it matches only elements within the scope. Returns undefined if
 * it depends on what was typed, or could match elements outside of the scope.
 */
function scopedSelector(selector: Selector): string | undefined {
	const reads = findAll(selector, (node) => {
		if (node.type === 'AttributeSelector') return nameOf(node.name.name) === 'value';
		return node.type === 'Raw' || node.type === 'NestingSelector' || node.type === 'Percentage';
	});
	if (reads.length > 0) return undefined;
	const parts = selector.children.toArray();
	// A selector may begin with a name for the whole page, such as `body`, or with the class `SCOPE`, which authors of
	// style sheets can see in our pages.
	const [first, second] = parts;
	if (first === undefined || first.type === 'Combinator') return undefined;
	const isPage =
		(first.type === 'TypeSelector' || first.type === 'PseudoClassSelector') && WHOLE_PAGE.has(nameOf(first.name));
	const isScope = first.type === 'ClassSelector' && nameOf(first.name) === SCOPE;
	if (!isPage && !isScope) return `.${SCOPE} ${generate(selector)}`;
	const rest = parts.slice(1);
	// A sibling of the element with the class of the scope is outside of the scope, so its selector is dropped.
	if (second?.type === 'Combinator' && second.name !== ' ' && second.name !== '>') return undefined;
	const next = rest.findIndex((node) => node.type === 'Combinator');
	const isSibling = next !== -1 && rest[next].type === 'Combinator' && !/^[ >]$/.test(rest[next].name);
	return isSibling ? undefined : `.${SCOPE}${rest.map((node) => generate(node)).join('')}`;
}

function keptDeclarations(block: Block): string {
	return block.children
		.toArray()
		.flatMap((node) => (node.type === 'Declaration' && isKept(node) ? [generate(node)] : []))
		.join(';');
}

function isKept({ property, value }: Declaration): boolean {
	return !REFUSED_PROPERTIES.has(nameOf(property)) && isHarmless(value);
}

/** Tells whether a value loads nothing, and contains nothing that the parser did not understand. */
function isHarmless(value: CssNode): boolean {
	if (value.type === 'Raw') return false;
	const loads = findAll(value, (node) => {
		if (node.type === 'Url' || node.type === 'Raw') return true;
		return node.type === 'Function' && !FUNCTIONS.has(nameOf(node.name));
	});
	return loads.length === 0;
}

function wrapped(head: string, content: string): string {
	return content === '' ? '' : `${head}{${content}}`;
}

/** Returns a name of a function or property as the browser understands it: without escapes, in lower case. */
function nameOf(written: string): string {
	return ident.decode(written).toLowerCase();
}

/**
 * The CSS functions that only compute something. All others, also future ones, are refused, because they may load
 * something, as `url` and `image-set` do.
 */
const FUNCTIONS: ReadonlySet<string> = new Set([
	...['calc', 'min', 'max', 'clamp', 'round', 'mod', 'rem', 'abs', 'sign', 'var', 'env'],
	...['rgb', 'rgba', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'oklab', 'oklch', 'color', 'color-mix', 'light-dark'],
	...['linear-gradient', 'radial-gradient', 'conic-gradient', 'repeating-linear-gradient', 'repeating-radial-gradient'],
	...[
		'translate',
		'translatex',
		'translatey',
		'scale',
		'scalex',
		'scaley',
		'rotate',
		'skew',
		'skewx',
		'skewy',
		'matrix',
	],
	...['cubic-bezier', 'steps', 'linear', 'minmax', 'repeat', 'fit-content', 'inset', 'circle', 'ellipse', 'polygon'],
	...[
		'blur',
		'brightness',
		'contrast',
		'drop-shadow',
		'grayscale',
		'hue-rotate',
		'invert',
		'opacity',
		'saturate',
		'sepia',
	],
]);

/** These properties are refused: in some browsers they run or load something, or move the content out of the page. */
const REFUSED_PROPERTIES: ReadonlySet<string> = new Set(['behavior', '-moz-binding', '-ms-behavior', 'src']);
