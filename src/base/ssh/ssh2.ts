// ssh2 as the whole service uses it: with the post-quantum exchange, where that fits. Nothing else loads ssh2, because it has
// to be taken in before.

import { createRequire } from 'node:module';
import type ssh2Module from 'ssh2';
import { ML_KEM_EXCHANGE } from './ml-kem-exchange.ts';
import { SSH2_FILES, takeIn } from './take-in.ts';

const isTakenIn = takeIn(SSH2_FILES);
// ssh2 makes a buffer for each packet. From 4 KiB on they are to have memory of their own, which is freed once the packet is
// sent or read. Node's own pool of 64 KiB would have two packets of 31 KiB share theirs.
Buffer.poolSize = 8 * 1024;
const require = createRequire(import.meta.url);
export const ssh2 = require('ssh2') as typeof ssh2Module;

const { SUPPORTED_KEX } = require('ssh2/lib/protocol/constants.js') as { SUPPORTED_KEX: readonly string[] };
/** True if this ssh2 has the exchange. The daemon says when it has not. */
export const hasPostQuantumExchange: boolean = isTakenIn && SUPPORTED_KEX.includes(ML_KEM_EXCHANGE);

/**
 * Tells whether ssh2 uses its compiled cryptography. Without it ssh2 uses slower code and says nothing. Only
 * `crypto.js`, an internal module of ssh2, shows which of the two is used.
 */
export function hasNativeBinding(): boolean {
	return (require('ssh2/lib/protocol/crypto.js') as { bindingAvailable: boolean }).bindingAvailable;
}
