import test from 'ava';
import fc from 'fast-check';
import { loggable } from '../../src/doors/sftp/session/loggable.ts';

const shows = test.macro({
	exec(t, text: string, line: string) {
		t.is(loggable(text), line);
	},
	title: (_, text: string, line: string) => `"${text.slice(0, 40)}" is logged as "${line.slice(0, 40)}"`,
});
test(shows, '/tokenize/GBT/may 2026.csv', '/tokenize/GBT/may 2026.csv');
test(shows, '/in/4111111111111111.csv', '/in/****************.csv');
test(shows, '4111 1111-1111 1111', '*******************');
test(shows, '20261121-0830.csv', '*************.csv');
test(shows, 'x'.repeat(600), `${'x'.repeat(512)}…`);

test('no text leaves twelve digits in a row, blanks and hyphens aside', (t) => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('4', '1', '0', ' ', '-', 'a', '/')), (parts) => {
			t.notRegex(loggable(parts.join('')), /\d(?:[ -]?\d){11}/);
		}),
	);
});
