import test from 'ava';
import fc from 'fast-check';
import { parsePath, RefusedPath } from '../../src/doors/sftp/protocol/path.ts';

const resolves = test.macro({
	exec(t, sent: string, path: string) {
		t.is(parsePath(Buffer.from(sent)), path);
	},
	title: (_, sent, path) => `"${sent}" is ${path}`,
});

test(resolves, '', '/');
test(resolves, '.', '/');
test(resolves, './', '/');
test(resolves, 'tokenize/GBT', '/tokenize/GBT');
test(resolves, '/tokenize//GBT/', '/tokenize/GBT');
test(resolves, '/a/./b/../c', '/a/c');
test(resolves, '/../../etc/passwd', '/etc/passwd');
test(resolves, '/...', '/...');
test(resolves, '/Übung ½.csv', '/Übung ½.csv');

const refuses = test.macro({
	exec(t, sent: Buffer, message: string) {
		t.throws(() => parsePath(sent), { instanceOf: RefusedPath, message });
	},
	title: (title) => `${title} is refused`,
});

test('A name in Latin-1', refuses, Buffer.from('/\xfcbung', 'latin1'), 'file names must be UTF-8');
test('An overlong encoding of a slash', refuses, Buffer.from([0x2f, 0xc0, 0xaf]), 'file names must be UTF-8');
test('A name with NUL', refuses, Buffer.from('/a\0.csv'), 'file names must not contain NUL');
test('A path of 4097 bytes', refuses, Buffer.alloc(4097, 0x61), 'file names may have 4096 bytes at most');

test('any text gives an absolute path with no dots, and the path of that path is itself', (t) => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('/', '.', '..', 'a', 'é', ' ')), (parts) => {
			const path = parsePath(Buffer.from(parts.join('')));
			t.true(path.startsWith('/'));
			t.false(path.split('/').includes('..'));
			t.is(parsePath(Buffer.from(path)), path);
		}),
	);
});
