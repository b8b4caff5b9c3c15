// The key exchange `mlkem768x25519-sha256` (RFC 10042): ML-KEM-768 and X25519 together. Who records a session today and has a
// quantum computer later still has to break the first of them, and whoever finds a weakness in the first the second.

import {
	createHash,
	createPublicKey,
	decapsulate,
	diffieHellman,
	encapsulate,
	generateKeyPairSync,
	type KeyPairKeyObjectResult,
} from 'node:crypto';

export const ML_KEM_EXCHANGE = 'mlkem768x25519-sha256';

const ENCAPSULATION_KEY_LENGTH = 1184;
const CIPHERTEXT_LENGTH = 1088;
const X25519_LENGTH = 32;

/** What ssh2's key exchanges inherit, as far as it is used here. */
interface KeyExchange {
	readonly _protocol: { readonly _server: boolean };
}
type KeyExchangeClass = new (...given: unknown[]) => KeyExchange;

/** Returns the class of the exchange, which inherits from that of all key exchanges of ssh2 and is constructed as they are. */
export function mlKemExchange(Base: KeyExchangeClass): KeyExchangeClass {
	return class MlKemExchange extends Base {
		readonly type = 'mlkem768x25519';
		readonly hashName = 'sha256';
		#mlKem: KeyPairKeyObjectResult | undefined;
		#x25519: KeyPairKeyObjectResult | undefined;
		/** The answer of the server to the key of the client, once it has that. */
		#ciphertext: Buffer | undefined;

		generateKeys(): void {
			this.#x25519 ??= generateKeyPairSync('x25519');
			if (!this._protocol._server) this.#mlKem ??= generateKeyPairSync('ml-kem-768');
		}

		/** Returns what this side sends: its ML-KEM key, or the ciphertext that answers it, and its X25519 key. */
		getPublicKey(): Buffer {
			this.generateKeys();
			const first = this.#mlKem === undefined ? this.#ciphertext : rawOf(this.#mlKem);
			if (first === undefined)
				throw new Error('internal error: the server answers before it has the key of the client');
			return Buffer.concat([first, rawOf(this.#x25519!)]);
		}

		convertPublicKey(sent: Buffer): Buffer {
			return sent;
		}

		/** Returns the shared secret, of what the other side has sent; an error if that is not valid. */
		computeSecret(sent: Buffer): Buffer | Error {
			this.generateKeys();
			try {
				const length = this._protocol._server ? ENCAPSULATION_KEY_LENGTH : CIPHERTEXT_LENGTH;
				if (sent.length !== length + X25519_LENGTH) throw new Error('the public key has a wrong length');
				const quantum = this.#mlKemSecret(sent.subarray(0, length));
				const classical = diffieHellman({
					privateKey: this.#x25519!.privateKey,
					publicKey: publicKeyOf(sent.subarray(length), 'x25519'),
				});
				return createHash('sha256').update(quantum).update(classical).digest();
			} catch (error) {
				return error as Error;
			}
		}

		#mlKemSecret(sent: Buffer): Buffer {
			if (this.#mlKem !== undefined) return decapsulate(this.#mlKem.privateKey, sent);
			const { sharedKey, ciphertext } = encapsulate(publicKeyOf(sent, 'ml-kem-768'));
			this.#ciphertext = ciphertext;
			return sharedKey;
		}
	};
}

function rawOf({ publicKey }: KeyPairKeyObjectResult): Buffer {
	return publicKey.export({ format: 'raw-public' } as never) as unknown as Buffer;
}

/** @throws Error if the bytes are no key of this type */
function publicKeyOf(key: Buffer, asymmetricKeyType: 'ml-kem-768' | 'x25519') {
	return createPublicKey({ key, format: 'raw-public', asymmetricKeyType } as never);
}
