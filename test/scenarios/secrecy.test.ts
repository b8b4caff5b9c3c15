// No card number and no CVV stands in clear anywhere but in memory: everything runs once, at level trace, and then
// everything that is left of it is searched.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeFolder } from '../helpers/file-parts.ts';
import { findLeaks, sweepFolder } from '../helpers/secrecy.ts';
import { cases, NUMBER, secrets } from './secrecy.setup.ts';

const spellings = {
	digits: NUMBER,
	'digits in a longer run': `00${NUMBER}7`,
	grouped: 'card 4111-1111-1111-1111.',
	'with an expiry': `${NUMBER},12/29`,
	'UTF-16 little-endian': Buffer.from(NUMBER, 'utf16le'),
	'UTF-16 big-endian': Buffer.from(NUMBER, 'utf16le').swap16(),
	hexadecimal: Buffer.from(NUMBER).toString('hex'),
	'hexadecimal in a longer run': Buffer.from(`a ${NUMBER}`).toString('hex').toUpperCase(),
	base64: Buffer.from(NUMBER).toString('base64'),
	'base64 of more': Buffer.from(`"n":"${NUMBER}"`).toString('base64'),
	'a CVV in its place': cases.find(({ filter, name }) => filter === 'SIMPLEJSON' && name === '01-array')!.bytes,
} as const;

for (const [spelling, planted] of Object.entries(spellings)) {
	test(`the sweep finds what is planted: ${spelling}`, (t) => {
		const folder = makeFolder(t);
		mkdirSync(join(folder, 'drops'));
		const noise = Buffer.from('\x01\xff{"level":"info","time":"2026-11-21T12:39:50.457Z"}\n', 'latin1');
		writeFileSync(join(folder, 'drops', 'blob'), noise);
		t.deepEqual(sweepFolder(folder, secrets).leaks, []);
		const bytes = Buffer.concat([noise, Buffer.from(planted as string), noise]);
		writeFileSync(join(folder, 'drops', 'blob'), bytes);
		const { leaks } = sweepFolder(folder, secrets);
		t.true(leaks.length > 0);
		t.is(leaks[0].where, 'drops/blob');
		t.notRegex(JSON.stringify(leaks), /\d{13}/, 'and does not repeat it');
		t.true(findLeaks('a log', bytes, secrets).length > 0);
	});
}

test('the sweep knows a CVV by what stands around it, not by its digits', (t) => {
	const { passages } = secrets;
	t.true(passages.some(({ label }) => label.startsWith('CVV of ')));
	t.deepEqual(findLeaks('a log', Buffer.from('{"count":123,"line":1234}'), secrets), []);
	for (const { bytes } of passages) t.true(findLeaks('a log', bytes, secrets).length > 0);
});
