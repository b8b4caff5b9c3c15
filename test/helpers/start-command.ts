// Reads the options and variables of `npm start`, so that what is tested and measured is what people run.

import packageJson from '../../package.json' with { type: 'json' };

const WORDS = packageJson.scripts.start.split(' ');

/** The options that `npm start` gives to Node. */
export const startFlags: readonly string[] = WORDS.filter((word) => word.startsWith('--'));

/** The variables of the environment that `npm start` sets. */
export const startVariables: Readonly<Record<string, string>> = Object.fromEntries(
	WORDS.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')),
);
