/**
 * What an answer tells browsers not to do with it: run, load or frame anything, guess its type, tell where a reader came
 * from. Names in lower case. Nothing is spoken in clear for a year once TLS was (RFC 6797); browsers heed that over TLS alone.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = Object.freeze({
	'content-security-policy': "default-src 'none';frame-ancestors 'none'",
	'cross-origin-opener-policy': 'same-origin',
	'cross-origin-resource-policy': 'same-origin',
	'origin-agent-cluster': '?1',
	'referrer-policy': 'no-referrer',
	'strict-transport-security': 'max-age=31536000; includeSubDomains',
	'x-content-type-options': 'nosniff',
	'x-dns-prefetch-control': 'off',
	'x-download-options': 'noopen',
	'x-frame-options': 'DENY',
	'x-permitted-cross-domain-policies': 'none',
	// On, it let pages be made to leak.
	'x-xss-protection': '0',
});
