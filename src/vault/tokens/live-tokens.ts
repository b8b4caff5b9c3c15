import { LiveGenerations } from '../../base/keys/generations.ts';
import type { SealingKey } from '../../base/keys/key-ring.ts';
import { TokenCipher } from './token.ts';

/**
 * Provides the cipher for the tokens of an installation and keeps it up to date. If another daemon rotates the token
 * key, this takes effect here within seconds.
 */
export class LiveTokens {
	readonly #generations: LiveGenerations;
	#made: { readonly all: readonly SealingKey[]; readonly writer: SealingKey; readonly cipher: TokenCipher } | undefined;

	constructor(parts: ConstructorParameters<typeof LiveGenerations>[0]) {
		this.#generations = new LiveGenerations(parts, 'token');
	}

	/**
	 * Returns the cipher that creates and decodes tokens now. Do not keep it for longer than one request or one window of
	 * a file, because the token key may be rotated.
	 */
	async current(): Promise<TokenCipher> {
		const { all, writer } = await this.#generations.of();
		if (this.#made?.all !== all || this.#made.writer !== writer) {
			this.#made = { all, writer, cipher: new TokenCipher(all, writer) };
		}
		return this.#made.cipher;
	}
}
