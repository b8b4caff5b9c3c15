// Writes the headers of pages. They define what a page may load and who may show it in a frame, and forbid caching it.

export interface PageHeaderOptions {
	readonly nonce: string;
	/** The origins that may show the page in a frame; by default none. */
	readonly frameAncestors?: readonly string[];
	/** The origins, besides our own, to which the answer to a form of the page may redirect. */
	readonly formAction?: readonly string[];
	/** The origins, besides our own, that scripts of the page may call. */
	readonly connect?: readonly string[];
	/**
	 * True if browsers send the origin of the page as the referrer when it opens another one; by default they send no
	 * referrer.
	 */
	readonly tellsOrigin?: boolean;
	/**
	 * True if browsers send the referrer to our own pages only, so that these know that a request comes from one of
	 * ours.
	 */
	readonly tellsOwnPages?: boolean;
}

/**
 * A source in a policy contains no blanks, commas, semicolons or quotes, because they would begin another source or
 * rule.
 */
const SOURCE = /^[^\s,;']+$/;

/**
 * Returns the headers of a page, which replace those that every answer has. The caller removes `X-Frame-Options` from a
 * page that may be framed, because that header cannot name origins.
 */
export function pageHeaders({
	nonce,
	frameAncestors = [],
	formAction = [],
	connect = [],
	tellsOrigin = false,
	tellsOwnPages = false,
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
		// No script of ours makes markup from text.
		"trusted-types 'none'",
	];
	return {
		'content-security-policy': policy.join('; '),
		'cache-control': 'no-store',
		'referrer-policy': tellsOrigin ? 'origin' : tellsOwnPages ? 'same-origin' : 'no-referrer',
		// If a merchant's page has the header `Cross-Origin-Embedder-Policy`, its frames only show pages that have this
		// header too, and whose `Cross-Origin-Resource-Policy` allows it.
		'cross-origin-resource-policy': frameAncestors.length === 0 ? 'same-origin' : 'cross-origin',
		'cross-origin-embedder-policy': 'require-corp',
		'permissions-policy': PERMISSIONS,
		'x-content-type-options': 'nosniff',
	};
}

/**
 * The browser features that are forbidden to pages, because they never use them. The clipboard is not among them,
 * because a page may have a button that copies.
 */
const PERMISSIONS = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'usb']
	.map((name) => `${name}=()`)
	.join(', ');

function sources(own: readonly string[], others: readonly string[]): string {
	for (const source of others) if (!SOURCE.test(source)) throw new Error('internal error: no source of a policy');
	return [...own, ...new Set(others)].join(' ');
}
