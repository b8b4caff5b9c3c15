// Checks docs/routes.md: its documents are valid, and its commands exist.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { parseRoute } from '../../src/work/routes/document/read-route.ts';
import { routeDocument } from '../../src/work/routes/document/route-document.ts';

const page = readFileSync(new URL('../../docs/routes.md', import.meta.url), 'utf8');
const documents = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);

test('every document of the page is one of a route or a destination, and none has a fault', (t) => {
	const routes = documents.filter((text) => text.includes('\nfrom:'));
	t.is(routes.length, 5);
	for (const text of routes) t.notThrows(() => parseRoute(text), text.slice(0, 60));
	const [ftps, s3] = documents.filter((text) => !text.includes('\nfrom:'));
	const whole = ftps.replace('AB:CD:…', Array.from({ length: 32 }, () => 'AB').join(':'));
	t.is(parseDestination(whole, { password: 'p' }).destination.kind, 'ftps');
	t.is(parseDestination(s3, { secretKey: 's' }).destination.kind, 's3');
});

test('the page says the defaults that a document with the least members has', (t) => {
	const least = 'name: n\nfrom: { destination: a }\ndo: { operation: none }\nto: { destination: b }\n';
	const { from, to, retry } = routeDocument(parseRoute(least));
	t.true(page.includes(`${from.ready.unchanged} by default`));
	t.true(page.includes(`retry: { tries: ${retry.tries}, first: ${retry.first}, longest: ${retry.longest} }`));
	t.true(page.includes(`temporaryName: '${to.temporaryName}'`));
	for (const [name, value] of Object.entries({ again: from.again, exists: to.exists, checksum: to.checksum })) {
		t.regex(page, new RegExp(`^  ${name}: ${value} `, 'm'));
	}
});

test('the page shows every command for routes, and no others', (t) => {
	const shown = new Set([...page.matchAll(/^tokendrop route (\w+)/gm)].map(([, verb]) => `route ${verb}`));
	const known = Object.keys(commandRules).filter((name) => name.startsWith('route '));
	t.deepEqual([...shown].sort(), known.sort());
});
