import { MASK } from '../secret.ts';

/** A database URL as it may be shown: the password, in the authority or as a parameter, is masked. */
export function maskUrlPassword(url: string): string {
	return url
		.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):.*@/is, `$1:${MASK}@`)
		.replace(/([?&](?:password|passwd|sslpassword)=)[^&#]*/gi, `$1${MASK}`);
}

/** Whether a database URL carries a password. */
export function hasUrlPassword(url: string): boolean {
	return maskUrlPassword(url) !== url;
}
