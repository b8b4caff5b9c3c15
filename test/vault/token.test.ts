import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { holdsCardNumber } from '../../src/base/card/spelling/spelled-number.ts';
import type { SealingKey } from '../../src/base/keys/key-ring.ts';
import { maskCardNumbers } from '../../src/base/log/card-numbers.ts';
import {
	findToken,
	leadsTo,
	looksLikeNumber,
	readHex,
	TOKEN_BYTES,
	TokenCipher,
	writeHex,
} from '../../src/vault/tokens/token.ts';
import { runs } from '../helpers/runs.ts';

function tokenKey(generation: number, secret = randomBytes(32)): SealingKey {
	return {
		id: generation as never,
		purpose: 'token',
		accountId: 0,
		generation,
		createdAt: 0,
		secret: createSecretKey(secret),
	};
}

const places = fc.record({
	id: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
	slot: fc.integer({ min: 0, max: 255 }),
	salt: fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
});

test('any place comes back from its token, whichever of several generations made it', (t) => {
	const keys = [3, 2, 1].map((generation) => tokenKey(generation));
	const cipher = new TokenCipher(keys, keys[1]);
	t.is(cipher.generation, 2);
	fc.assert(
		fc.property(places, fc.constantFrom(1, 2, 3), ({ slot, ...page }, token_generation) => {
			const stored = { ...page, token_generation };
			let pointer = cipher.decode(cipher.tokenOf(stored, slot))[0];
			while (pointer && !leadsTo(pointer, stored)) pointer = pointer.or;
			t.like(pointer, { page: page.id, slot, version: token_generation });
			t.false(leadsTo(pointer!, { ...stored, token_generation: token_generation + 1 }));
		}),
		{ numRuns: runs(2000) },
	);
});

test('a token that looks good under a newer key leads to its page all the same', (t) => {
	// Under a key that did not make it, one token in 256 looks good, so both pages that it may lead to must be given.
	const keys = [tokenKey(2, Buffer.alloc(32, 2)), tokenKey(1, Buffer.alloc(32, 1))];
	const cipher = new TokenCipher(keys);
	const page = { salt: Buffer.alloc(8, 9), token_generation: 1 };
	let twice = 0;
	for (let id = 0; id < 4096; id++) {
		const [pointer] = cipher.decode(cipher.tokenOf({ ...page, id }, 3));
		if (pointer?.or) twice++;
		t.is((pointer?.or ?? pointer)?.page, id);
	}
	t.true(twice > 4 && twice < 40);
});

test('a foreign key decodes a token to nothing or to a wrong salt, and makes none of a generation it has not', (t) => {
	const page = { id: 77, salt: Buffer.alloc(8, 9), token_generation: 1 };
	const token = new TokenCipher([tokenKey(1, Buffer.alloc(32, 1))]).tokenOf(page, 3);
	const stranger = new TokenCipher([tokenKey(1)]);
	const [pointer] = stranger.decode(token);
	t.false(pointer !== undefined && leadsTo(pointer, page));
	t.throws(() => stranger.tokenOf({ ...page, token_generation: 2 }, 3), { message: /generation 2 is not there/ });
});

test('tokens of a new page are those that its slots have once it is stored', (t) => {
	const cipher = new TokenCipher([tokenKey(2), tokenKey(1)]);
	const salt = randomBytes(8);
	const made = Buffer.from(cipher.makeTokens(Buffer.alloc(40 * TOKEN_BYTES), 12, 40, salt));
	const stored = { id: 12, salt, token_generation: cipher.generation };
	for (let slot = 0; slot < 40; slot++) {
		t.deepEqual(cipher.tokenOf(stored, slot), made.subarray(slot * TOKEN_BYTES, (slot + 1) * TOKEN_BYTES));
	}
});

test('twelve decimal digits in a row are found wherever they stand, eleven are not', (t) => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
			t.is(looksLikeNumber(bytes, 0), /\d{12}/.test(Buffer.from(bytes).toString('hex')));
		}),
		{ numRuns: runs(5000) },
	);
});

test('what the vault may give as a token is no card number in a name, and stands whole in the log', (t) => {
	const nibble = fc.constantFrom(...'01234567890123456789abcdef');
	fc.assert(
		fc.property(fc.array(nibble, { minLength: 32, maxLength: 32 }), (nibbles) => {
			const text = nibbles.join('');
			if (looksLikeNumber(Buffer.from(text, 'hex'), 0)) return;
			t.false(holdsCardNumber(`token ${text}`), text);
			t.is(maskCardNumbers(`/paycard/${text}/meta`), `/paycard/${text}/meta`);
		}),
		{ numRuns: runs(20_000) },
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
