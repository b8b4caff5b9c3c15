import type { Clock } from '../../base/clock.ts';
import { shared } from '../../base/database/gather.ts';
import type { Database } from '../../base/database/open.ts';
import { type LiveGenerations, liveGenerations } from '../../base/keys/generations.ts';
import type { KeyRing, SealingKey } from '../../base/keys/key-ring.ts';
import { foreignTokenStore } from './foreign-token-store.ts';
import { findToken, TokenCipher } from './token.ts';

/** Whether there are foreign tokens is asked again after this time, until there are some. */
const ASKED_FOR_MS = 5_000;

/**
 * Provides the cipher for the tokens of an installation and keeps it up to date. If another process rotates the token
 * key or stores the first foreign token, this takes effect here within seconds.
 */
export class LiveTokens {
	readonly #generations: LiveGenerations;
	readonly #clock: Clock;
	readonly #ask: (what: 'foreign') => Promise<boolean>;
	#asked: { readonly hasForeign: boolean; readonly at: number } | undefined;
	#made: { readonly all: readonly SealingKey[]; readonly writer: SealingKey; readonly cipher: TokenCipher } | undefined;

	constructor(parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock }) {
		const { knex, dialect } = parts.database;
		this.#clock = parts.clock;
		this.#generations = liveGenerations(parts, 'token');
		this.#ask = shared(() => foreignTokenStore(knex, dialect).isAny());
	}

	/**
	 * Returns the cipher that creates and decodes tokens now. Do not keep it for longer than one request or one window of
	 * a file, because the token key may be rotated.
	 */
	async current(): Promise<TokenCipher> {
		const { all, writer } = await this.#generations.of();
		const hasForeign = await this.#hasForeign();
		if (this.#made?.all !== all || this.#made.writer !== writer || this.#made.cipher.hasForeign !== hasForeign) {
			this.#made = { all, writer, cipher: new TokenCipher(all, writer, hasForeign) };
		}
		return this.#made.cipher;
	}

	/** Returns the pages to which a text may point: none if it is no token of ours, and two for one token in 256. */
	async pagesOf(text: string): Promise<number[]> {
		const token = findToken(text);
		const pages: number[] = [];
		if (!token) return pages;
		for (let pointer = (await this.current()).decodeOne(token); pointer; pointer = pointer.or) pages.push(pointer.page);
		return pages;
	}

	async #hasForeign(): Promise<boolean> {
		const now = this.#clock.now().getTime();
		if (this.#asked && (this.#asked.hasForeign || Math.abs(now - this.#asked.at) < ASKED_FOR_MS)) {
			return this.#asked.hasForeign;
		}
		this.#asked = { hasForeign: await this.#ask('foreign'), at: now };
		return this.#asked.hasForeign;
	}
}
