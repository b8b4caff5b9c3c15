// ssh2 as the whole service uses it. Nothing else loads ssh2, because the exchange of ml-kem-exchange.ts is taken into it when it
// is loaded: ssh2 has a closed list of exchanges (docs/decisions/0017-post-quantum-exchange.md). It is done only to files that we
// know by their hashes: another version of ssh2 is loaded as it is, and offers no more than it has.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type ssh2Module from 'ssh2';
import { ML_KEM_EXCHANGE } from './ml-kem-exchange.ts';

/** A file of a package, and the texts that are taken in, each before another text, which is there once. */
interface KnownFile {
	readonly path: string;
	readonly sha256: string;
	readonly additions: readonly (readonly [before: string, text: string])[];
}

const EXCHANGE = JSON.stringify(fileURLToPath(new URL('ml-kem-exchange.ts', import.meta.url)));

/** The files of ssh2 1.17.0. */
export const SSH2_FILES: readonly KnownFile[] = [
	{
		path: 'ssh2/lib/protocol/constants.js',
		sha256: 'a3894fdd8e294109b55f06fbda69e467741f15a250801b744b6b0487bbf32529',
		additions: [["  'diffie-hellman-group-exchange-sha1',", `  '${ML_KEM_EXCHANGE}',\n`]],
	},
	{
		path: 'ssh2/lib/protocol/kex.js',
		sha256: '054ba4b81801596350f0e2e939746d2966297cffd4303b342c25b2fd5d295755',
		additions: [
			[
				'  class ECDHExchange extends KeyExchange {',
				`  const MlKemExchange = require(${EXCHANGE}).mlKemExchange(KeyExchange);\n`,
			],
			[
				"        case 'ecdh-sha2-nistp256':",
				`        case '${ML_KEM_EXCHANGE}':\n          return new MlKemExchange(...args);\n`,
			],
		],
	},
];

/**
 * Makes the next load of these files take in the additions. Returns false, and changes nothing, if one of them is not the file that
 * is known.
 */
export function takeIn(files: readonly KnownFile[]): boolean {
	const require = createRequire(import.meta.url);
	const sources = new Map<string, string>();
	for (const { path, sha256, additions } of files) {
		const place = require.resolve(path);
		const text = readFileSync(place);
		if (createHash('sha256').update(text).digest('hex') !== sha256) return false;
		const source = additions.reduce((whole, [before, added]) => whole.replace(before, () => added + before), `${text}`);
		sources.set(pathToFileURL(place).href, source);
	}
	registerHooks({
		load(url, context, next) {
			const source = sources.get(url);
			return source === undefined ? next(url, context) : { format: 'commonjs', source, shortCircuit: true };
		},
	});
	return true;
}

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
