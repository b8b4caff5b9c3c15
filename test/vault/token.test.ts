import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import type { SealingKey } from '../../src/keys/key-ring.ts';
import {
	findToken,
	hasSalt,
	looksLikeNumber,
	readHex,
	TOKEN_BYTES,
	TokenCipher,
	writeHex,
	writePointer,
} from '../../src/vault/token.ts';

function tokenKey(generation: number, secret = randomBytes(32)): SealingKey {
	return {
		id: generation as never,
		purpose: 'token',
		accountId: 0,
		generation,
		secret: createSecretKey(secret),
	};
}

test('any pointer comes back from its token', (t) => {
	const cipher = new TokenCipher([tokenKey(1)]);
	const pointers = fc.tuple(
		fc.integer({ min: 0, max: 2 ** 48 - 1 }),
		fc.integer({ min: 0, max: 255 }),
		fc.uint8Array({ minLength: 8, maxLength: 8 }),
	);
	fc.assert(
		fc.property(pointers, ([page, slot, salt]) => {
			const block = Buffer.alloc(TOKEN_BYTES);
			writePointer(block, 0, page, slot, cipher.version, Buffer.from(salt));
			const [pointer] = cipher.decode(cipher.encrypt(block));
			t.like(pointer, { page, slot });
			t.true(hasSalt(pointer!, Buffer.from(salt)));
		}),
		{ numRuns: 300 },
	);
});

test('an older generation still decodes, a foreign key decodes to nothing or to a wrong salt', (t) => {
	// Fixed keys: one in 256 others shows a foreign block the version it looks for.
	const old = tokenKey(1, Buffer.alloc(32, 1));
	const block = Buffer.alloc(TOKEN_BYTES);
	writePointer(block, 0, 77, 3, 1, Buffer.alloc(8, 9));
	const token = new TokenCipher([old]).encrypt(block);
	t.is(new TokenCipher([tokenKey(2, Buffer.alloc(32, 2)), old]).decode(token)[0]?.page, 77);
	const stranger = new TokenCipher([tokenKey(1)]).decode(token)[0];
	t.false(stranger !== undefined && hasSalt(stranger, Buffer.alloc(8, 9)));
});

test('twelve decimal digits in a row are found wherever they stand, eleven are not', (t) => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
			t.is(looksLikeNumber(bytes, 0), /\d{12}/.test(Buffer.from(bytes).toString('hex')));
		}),
		{ numRuns: 5000 },
	);
});

test('hexadecimal is written in either case and read in both', (t) => {
	const token = randomBytes(16);
	for (const tokenCase of ['lower', 'upper'] as const) {
		const text = Buffer.alloc(32);
		t.is(writeHex(token, 0, text, 0, tokenCase), 32);
		const expected = token.toString('hex');
		t.is(text.toString(), tokenCase === 'lower' ? expected : expected.toUpperCase());
		const back = Buffer.alloc(16);
		readHex(text, 0, back, 0);
		t.deepEqual(back, token);
		t.is(findToken(text.toString()), expected as never);
	}
	t.is(findToken('9e107d9d372bb6826bd81d3542a419d'), undefined);
	t.is(findToken('9e107d9d372bb6826bd81d3542a419dg'), undefined);
});
