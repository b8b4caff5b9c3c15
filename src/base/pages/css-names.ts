// Lists the CSS functions and properties that a foreign style sheet may use. Names can contain escapes, so they are
// compared after decoding.

import { ident } from 'css-tree';

/** Returns a name as the browser understands it: without escapes, in lower case. */
export function nameOf(written: string): string {
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

export function isAllowedFunction(name: string): boolean {
	return FUNCTIONS.has(name);
}

export function isAllowedProperty(name: string): boolean {
	return !REFUSED_PROPERTIES.has(name);
}
