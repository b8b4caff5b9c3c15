// `node --import` loads this module into a daemon to take away its log of calls, so that the cost of the log can be
// measured. No setting does that.

import { registerHooks } from 'node:module';

registerHooks({
	resolve(specifier, context, next) {
		const found = next(specifier, context);
		const url = new URL('./call-log.ts', import.meta.url).href;
		if (!found.url.endsWith('/src/doors/http/server/call-log.ts') || context.parentURL === url) return found;
		return { ...found, url };
	},
});
