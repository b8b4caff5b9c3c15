// The endings that say in the name of a file that it is an OpenPGP message.

const ENDING = /\.(pgp|gpg)$/i;

export function isMessageName(name: string): boolean {
	return ENDING.test(name) && plainName(name) !== '';
}

/** Returns the name of a file without the ending of an OpenPGP message. */
export function plainName(name: string): string {
	return name.replace(ENDING, '');
}

/** Returns the name of a file that was decrypted, encrypted, or both. */
export function nameOfMessage(
	name: string,
	done: { readonly decrypted: boolean; readonly encrypted: boolean },
): string {
	if (done.encrypted) return isMessageName(name) ? name : `${name}.pgp`;
	return done.decrypted && isMessageName(name) ? plainName(name) : name;
}

/** Returns the names that the output of a file may have besides that of the file. */
export function otherOutputName(name: string): string {
	return isMessageName(name) ? plainName(name) : `${name}.pgp`;
}
