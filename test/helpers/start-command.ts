// Of `npm start`: what is tested and measured is what people run.

import packageJson from '../../package.json' with { type: 'json' };

const WORDS = packageJson.scripts.start.split(' ');

/** Options of Node. */
export const startFlags: readonly string[] = WORDS.filter((word) => word.startsWith('--'));

/** Variables of the environment. */
export const startVariables: Readonly<Record<string, string>> = Object.fromEntries(
	WORDS.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')),
);
