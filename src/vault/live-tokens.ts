import { LiveGenerations } from '../keys/generations.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import { TokenCipher } from './token.ts';

/**
 * Makes and reads the tokens of an installation while a process runs. Rotations by other daemons take effect within
 * seconds.
 */
export class LiveTokens {
	readonly #generations: LiveGenerations;
	#made: { readonly all: readonly SealingKey[]; readonly writer: SealingKey; readonly cipher: TokenCipher } | undefined;

	constructor(rooms: ConstructorParameters<typeof LiveGenerations>[0]) {
		this.#generations = new LiveGenerations(rooms, 'token');
	}

	/**
	 * Returns the cipher that makes and reads tokens at this moment. It is valid for one request or one window of a file.
	 */
	async current(): Promise<TokenCipher> {
		const { all, writer } = await this.#generations.of();
		if (this.#made?.all !== all || this.#made.writer !== writer) {
			this.#made = { all, writer, cipher: new TokenCipher(all, writer) };
		}
		return this.#made.cipher;
	}
}
