/**
 * These headers tell browsers not to run, load or frame anything from an answer, not to guess its type, and not to
 * reveal where a reader came from. Names are in lower case. `strict-transport-security` makes browsers use only TLS for
 * a year after a visit over TLS (RFC 6797); without TLS they ignore it.
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
	// The value 0 switches off a filter in old browsers, because attackers can use the filter to read data from pages.
	'x-xss-protection': '0',
});
