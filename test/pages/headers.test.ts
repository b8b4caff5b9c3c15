import test from 'ava';
import { pageHeaders } from '../../src/base/pages/headers.ts';

test('a page runs and looks as we wrote it: nothing without the nonce, nothing of others, no frame', (t) => {
	const headers = pageHeaders({ nonce: 'abc' });
	t.is(
		headers['content-security-policy'],
		"default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'; img-src 'self' data:; form-action 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	);
	t.like(headers, {
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		'cross-origin-resource-policy': 'same-origin',
		'x-content-type-options': 'nosniff',
	});
});

test('a page for frames names the origins that may show it, and fits into pages with an embedder policy', (t) => {
	const shop = 'https://shop.example';
	const headers = pageHeaders({ nonce: 'abc', frameAncestors: [shop, shop, 'http://localhost:*'], formAction: [shop] });
	const policy = headers['content-security-policy'];
	t.true(policy.includes('frame-ancestors https://shop.example http://localhost:*;'));
	t.true(policy.includes("form-action 'self' https://shop.example;"));
	t.like(headers, { 'cross-origin-resource-policy': 'cross-origin', 'cross-origin-embedder-policy': 'require-corp' });
});

test('an origin cannot bring a rule of its own into the policy', (t) => {
	for (const hostile of [
		'https://a.example; script-src *',
		"'unsafe-inline'",
		'https://a.example https://b.example',
		'',
	]) {
		t.throws(() => pageHeaders({ nonce: 'abc', frameAncestors: [hostile] }), { message: /^internal error:/ }, hostile);
	}
});
