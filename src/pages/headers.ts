// Makes the headers of pages: what a page may load, who may frame it, and that nobody keeps it.

export interface PageHeaderOptions {
	readonly nonce: string;
	/** The origins that may show the page in a frame. Without any, nobody may. */
	readonly frameAncestors?: readonly string[];
	/** The origins, besides our own, to which a form of the page may lead by way of a redirect. */
	readonly formAction?: readonly string[];
	/** The origins, besides our own, that scripts of the page may call. */
	readonly connect?: readonly string[];
	/** True if the page says where it is from when it opens another one; by default it says nothing. */
	readonly tellsOrigin?: boolean;
	/** True if the page says where it is from to our own pages only, so that they know that it is one of ours. */
	readonly tellsOwnPages?: boolean;
	/** The names of the policies by which scripts of the page may make markup. Without any, none may. */
	readonly scriptPolicies?: readonly string[];
}

/** A source list has no blanks, commas or semicolons inside a source, because they would begin another rule. */
const SOURCE = /^[^\s,;']+$/;

/**
 * Returns the headers of a page. They replace those that every answer has; a page that may be framed also loses
 * `X-Frame-Options`, which knows no origins.
 */
export function pageHeaders({
	nonce,
	frameAncestors = [],
	formAction = [],
	connect = [],
	tellsOrigin = false,
	tellsOwnPages = false,
	scriptPolicies = [],
}: PageHeaderOptions): Record<string, string> {
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${nonce}'`,
		`style-src 'nonce-${nonce}'`,
		"img-src 'self' data:",
		`form-action ${sources(["'self'"], formAction)}`,
		`connect-src ${sources(["'self'"], connect)}`,
		"base-uri 'none'",
		`frame-ancestors ${frameAncestors.length === 0 ? "'none'" : sources([], frameAncestors)}`,
		"require-trusted-types-for 'script'",
		`trusted-types ${scriptPolicies.length === 0 ? "'none'" : sources([], scriptPolicies)}`,
	];
	return {
		'content-security-policy': policy.join('; '),
		'cache-control': 'no-store',
		'referrer-policy': tellsOrigin ? 'origin' : tellsOwnPages ? 'same-origin' : 'no-referrer',
		// A page with `Cross-Origin-Embedder-Policy` shows only frames that allow it and have such a policy themselves.
		'cross-origin-resource-policy': frameAncestors.length === 0 ? 'same-origin' : 'cross-origin',
		'cross-origin-embedder-policy': 'require-corp',
		'permissions-policy': PERMISSIONS,
		'x-content-type-options': 'nosniff',
	};
}

/** What pages never ask for. The clipboard is left out, because a page may have a button that copies. */
const PERMISSIONS = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb']
	.map((name) => `${name}=()`)
	.join(', ');

function sources(own: readonly string[], others: readonly string[]): string {
	for (const source of others) if (!SOURCE.test(source)) throw new Error('internal error: no source of a policy');
	return [...own, ...new Set(others)].join(' ');
}
