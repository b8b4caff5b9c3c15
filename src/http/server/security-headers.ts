// The headers that tell a browser what not to do with an answer. Helmet says them, once: they are the same for every
// answer, and asking it for each request took as long as reading the credential.

import helmet from 'helmet';

/** Name → value, names in lower case. */
export function securityHeaders(): Readonly<Record<string, string>> {
	const headers: Record<string, string> = {};
	const answer = {
		setHeader: (name: string, value: unknown) => void (headers[name.toLowerCase()] = String(value)),
		removeHeader: () => undefined,
	};
	const add = helmet({
		contentSecurityPolicy: {
			useDefaults: false,
			directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
		},
		frameguard: { action: 'deny' },
	});
	let isDone = false;
	add({} as never, answer as never, (problem) => {
		if (problem) throw problem;
		isDone = true;
	});
	if (!isDone) throw new Error('internal error: the security headers are not known at once');
	return Object.freeze(headers);
}
