import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { DeclarationError } from '../../src/base/settings/declared-file.ts';
import { openDrivers } from '../../src/work/payments/gateway/open-drivers.ts';

const DECLARED = (name: string) => `name: ${name}
baseUrl: https://a.example
answer: { format: json, result: /s, results: { ok: Success } }
operations:
  Charge: { path: /c, body: { form: 'n={{card.number}}' } }
`;

function open(t: ExecutionContext, files: Record<string, string>, environment: 'sandbox' | 'production' = 'sandbox') {
	const driversDir = mkdtempSync(join(tmpdir(), 'tokendrop-gateways-'));
	t.teardown(() => rmSync(driversDir, { recursive: true, force: true }));
	for (const [name, text] of Object.entries(files)) writeFileSync(join(driversDir, name), text);
	const addresses = { stripeBaseUrl: 'https://api.stripe.com', adyenBaseUrl: 'https://checkout-test.adyen.com' };
	const outbound = { call: () => Promise.reject(new Error('not to be called')) };
	return openDrivers({ environment, ...addresses, driversDir, outbound }).map(({ name }) => name);
}

test('built-in gateways stand beside those that are declared', (t) => {
	t.deepEqual(open(t, { 'one.yaml': DECLARED('One'), 'two.yml': DECLARED('Two'), 'notes.txt': 'not one' }), [
		...['Stripe', 'Adyen', 'Sandbox', 'One', 'Two'],
	]);
});

test('production has no gateway that approves everything', (t) => {
	t.deepEqual(open(t, {}, 'production'), ['Stripe', 'Adyen']);
});

test('production takes no gateway that is called in clear, and says where', (t) => {
	const files = { 'a.yaml': DECLARED('Plain').replace('https:', 'http:'), 'b.yaml': DECLARED('Sealed') };
	t.deepEqual(open(t, files), ['Stripe', 'Adyen', 'Sandbox', 'Plain', 'Sealed']);
	const error = t.throws(() => open(t, files, 'production'), { instanceOf: DeclarationError });
	t.regex(error.message, /a\.yaml:2: baseUrl: expected https in production/);
	t.notRegex(error.message, /b\.yaml/);
});

test('everything that is wrong with all files is reported together', (t) => {
	const files = { 'a.yaml': DECLARED('stripe'), 'b.yaml': 'name: Bee', 'c.yaml': DECLARED('Cee') };
	const error = t.throws(() => open(t, files), { instanceOf: DeclarationError });
	t.regex(error.message, /a\.yaml:1: name: another gateway has this name/);
	t.regex(error.message, /b\.yaml:1: baseUrl: /);
	t.regex(error.message, /b\.yaml:1: operations: /);
	t.notRegex(error.message, /c\.yaml/);
});
