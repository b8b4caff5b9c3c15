import { MASK } from './secret.ts';

/**
 * Returns a database URL in the form that may be shown: its password, in the authority or as a parameter, is masked.
 */
export function maskUrlPassword(url: string): string {
	return url
		.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):.*@/is, `$1:${MASK}@`)
		.replace(/([?&](?:password|passwd|sslpassword)=)[^&#]*/gi, `$1${MASK}`);
}

/** Tells whether a database URL contains a password. */
export function hasUrlPassword(url: string): boolean {
	return maskUrlPassword(url) !== url;
}
