// Takes the place of the vault in a dry run, which shows what would happen to a file but stores nothing.

import { createSecretKey, randomBytes } from 'node:crypto';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { CardWriter } from '../cards/card-writer.ts';
import type { Placement } from '../pages/page-builder.ts';
import { foreignTokenStore } from './foreign-token-store.ts';
import { TOKEN_BYTES, TokenCipher } from './token.ts';

/** The part of a card writer that a tokenizing pass uses. */
export type CardStore = Omit<
	CardWriter,
	'accountId' | 'fingerprintKeys' | 'from' | 'addFingerprint' | 'addAssociation' | 'addRemoval'
>;

/**
 * Returns the cipher that recognises the installation's tokens. If the installation has no token key yet, the cipher
 * gets a random key that is not stored.
 */
export async function findTokenCipher({
	database: { knex, dialect },
	keyRing,
}: {
	database: Database;
	keyRing: Pick<KeyRing, 'list' | 'all'>;
}): Promise<TokenCipher> {
	const hasForeign = await foreignTokenStore(knex, dialect).isAny();
	const isMade = (await keyRing.list()).some(({ purpose }) => purpose === 'token');
	if (isMade) return new TokenCipher(await keyRing.all('token'), undefined, hasForeign);
	const secret = createSecretKey(randomBytes(32));
	const key = { id: 0 as never, purpose: 'token', accountId: 0, generation: 1, createdAt: 0, secret } as const;
	return new TokenCipher([key], key, hasForeign);
}

/**
 * Returns a store that stores nothing. It cannot look up duplicates, because every look-up counts against the daily
 * limit.
 */
export function trialStore(tokens: TokenCipher): CardStore {
	const placement: Placement = { page: 0, slot: 0, tokens: Buffer.alloc(TOKEN_BYTES), offset: 0, isNew: true };
	return {
		tokens,
		duplicates: null,
		async reserve() {},
		place: () => placement,
		addReference() {},
		addCvv() {},
		async drain() {},
		flush: async () => 0,
		async settle() {},
		settleInTurn: (work) => work(),
		wipe() {},
	};
}
