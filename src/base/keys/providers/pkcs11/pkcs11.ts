// The root key in an HSM, a smart card or another token of PKCS#11. It wraps and unwraps there, and never leaves it.

import { type RootKey, RootKeyAwayError, RootKeyError } from '../../root-key.ts';
import { insist, LoginRefusedError } from '../insist.ts';
import { readSecretFile } from '../secret-file.ts';
import { markedAs, unmarked } from '../wrapped-form.ts';
import { LibraryProcess } from './library-process.ts';
import type { LibraryQuestion } from './messages.ts';

export interface Pkcs11Place {
	/** The library of the vendor, a path. */
	readonly library: string | null;
	readonly tokenLabel: string | null;
	readonly keyLabel: string | null;
	readonly pinFile: string | null;
}

/** Opens the key that `place` names. `givenPin` takes the place of the file with the PIN. */
export function openPkcs11RootKey({ library, tokenLabel, keyLabel, pinFile }: Pkcs11Place, givenPin?: string): RootKey {
	const description = `PKCS#11 key ${keyLabel} of token ${tokenLabel}`;
	const place = { library: library!, tokenLabel: tokenLabel!, keyLabel: keyLabel! };
	const process = new LibraryProcess(description);
	let refusedPin: string | undefined;
	const ask = (operation: LibraryQuestion['operation'], bytes: Buffer) =>
		insist(async () => {
			const pin = givenPin ?? readSecretFile(pinFile!, `file ${pinFile}`, 'the PIN').trim();
			// A token locks after some wrong PINs, so the same one is never tried twice.
			if (pin === refusedPin) throw new LoginRefusedError(`${description}: the token does not take the PIN`);
			const answer = await process.ask({ operation, place, pin, bytes });
			if (!('failure' in answer)) return Buffer.from(answer.bytes);
			const text = `${description}: ${answer.why}`;
			if (answer.failure === 'login') refusedPin = pin;
			if (answer.failure === 'login') throw new LoginRefusedError(text);
			throw answer.failure === 'refused' ? new RootKeyError(text) : new RootKeyAwayError(text);
		});
	return {
		description,
		wrap: async (plain) => markedAs('pkcs11', await ask('wrap', plain)),
		unwrap: async (wrapped) => ask('unwrap', unmarked('pkcs11', wrapped, description)),
		close: () => process.close(),
	};
}
