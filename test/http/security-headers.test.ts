import test from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';

const OTHERS = {
	'cross-origin-opener-policy': 'same-origin',
	'cross-origin-resource-policy': 'same-origin',
	'origin-agent-cluster': '?1',
	'referrer-policy': 'no-referrer',
	'x-dns-prefetch-control': 'off',
	'x-download-options': 'noopen',
	'x-permitted-cross-domain-policies': 'none',
	'x-xss-protection': '0',
};

for (const [what, path, status] of [
	['a public answer', '/api', 200],
	['a refused login', '/api/payments/paycard/meta', 401],
	['a path of nobody', '/nothing', 404],
] as const) {
	test(`${what} tells browsers to load, frame and guess nothing`, async (t) => {
		const { app } = await openHttpApp(t);
		const { headers, statusCode } = await app.inject(path);
		t.is(statusCode, status);
		t.is(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
		t.is(headers['x-frame-options'], 'DENY');
		t.is(headers['x-content-type-options'], 'nosniff');
		t.regex(String(headers['strict-transport-security']), /max-age=\d{8}/);
		for (const [name, value] of Object.entries(OTHERS)) t.is(headers[name], value, name);
		t.is(headers['x-powered-by'], undefined);
	});
}
