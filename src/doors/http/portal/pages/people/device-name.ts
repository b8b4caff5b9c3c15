// Names the device of a session, in the words that people use for it.

import type { Say } from '../../texts.ts';

/** The browsers by what only they, or what only they among those further down, say of themselves. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
	['Edge', /\bEdg(?:A|iOS)?\//],
	['Opera', /\bOPR\//],
	['Samsung Internet', /\bSamsungBrowser\//],
	['Firefox', /\b(?:Firefox|FxiOS)\//],
	['Chrome', /(?:Chrome|CriOS)\//],
	['Safari', /\bVersion\/.*\bSafari\//],
];
const SYSTEMS: typeof BROWSERS = [
	['iPhone', /\biPhone\b/],
	['iPad', /\biPad\b/],
	['Android', /\bAndroid\b/],
	['Windows', /\bWindows NT\b/],
	['ChromeOS', /\bCrOS\b/],
	['macOS', /\bMac OS X\b/],
	['Linux', /\bLinux\b/],
];

/** Returns the name of a device by the header `User-Agent` that it sent, or this header if it names no browser. */
export function deviceName(agent: string, say: Say): string {
	const nameIn = (names: typeof BROWSERS) => names.find(([, sign]) => sign.test(agent))?.[0];
	const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
	if (browser === undefined) return agent;
	return system === undefined ? browser : say('me.device', { browser, system });
}
