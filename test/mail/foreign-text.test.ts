import test from 'ava';
import fc from 'fast-check';
import { quoteText, tameText } from '../../src/base/mail/foreign-text.ts';

const tamed = test.macro({
	exec: (t, text: string, expected: string) => t.is(tameText(text), expected),
	title: (_, text) => `a text of others in a mail: ${JSON.stringify(text)}`,
});

test(tamed, 'Marie Dupont', 'Marie Dupont');
test(tamed, "Ægir O'Neil-Ström", "Ægir O'Neil-Ström");
test(tamed, 'J.R.R. Tolkien', 'J. R. R. Tolkien');
test(tamed, 'Marie, pay at https://evil.example/x?y now', 'Marie, pay at now');
test(tamed, 'see www.evil.example', 'see');
test(tamed, 'see evil.example/pay', 'see evil. example/pay');
test(tamed, 'see evil。example', 'see evil. example');
test(tamed, 'write to a@evil.example', 'write to a evil. example');
test(tamed, 'tel:+33123 or mailto:a@b.example', 'or');
test(tamed, 'Marie”\r\nBcc: x “ours', 'Marie Bcc: x ours');
test(tamed, 'a\u202eb\u200bc\u2028d', 'a b c d');
test(tamed, '<b>bold</b>', 'b bold /b');
test(tamed, 'x'.repeat(200), `${'x'.repeat(59)}…`);

test('whatever somebody writes stays between its quotation marks, in one short line without a link', (t) => {
	const piece = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.constantFrom('https://', 'a.example', '@', '“', '”', '"', '\r\n', '。', '\u202e', 'www.', 'HTTP://x'),
	);
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const quoted = quoteText(pieces.join(''));
			t.regex(quoted, /^"[^“”"\p{Cc}\p{Cf}]{1,120}"$/u);
			t.true([...quoted].length <= 62);
			t.notRegex(quoted, /:\/\/|@|www\.\S|[.。｡][\p{L}\p{N}]/u);
		}),
		{ numRuns: 1000 },
	);
});
