// `node --import` takes this: a daemon without the log of calls, for the measure of what that costs. No setting does so.

import { registerHooks } from 'node:module';

registerHooks({
	resolve(specifier, context, next) {
		const found = next(specifier, context);
		if (!found.url.endsWith('/src/http/server/call-log.ts')) return found;
		return { ...found, url: new URL('./call-log.ts', import.meta.url).href };
	},
});
