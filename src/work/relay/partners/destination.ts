// Describes a partner's server or bucket that an account has stored, and the rules for its parts. A stored destination and a
// call that names a server itself follow the same rules.

import { ServiceError } from '../../../base/errors.ts';
import { type Why, why } from '../../../base/failures.ts';
import { parseHost } from '../../../base/outbound/addresses.ts';
import { findCertificateFingerprint } from '../../../base/outbound/ftps-partner.ts';
import { findFingerprint } from '../../../base/outbound/sftp/sftp-host-key.ts';

/** The protocols over which destinations are reached. */
export const DESTINATION_KINDS = ['sftp', 'ftps', 's3'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** The parts of a destination that may be shown. */
export type Destination = ServerDestination | BucketDestination;

export interface ServerDestination {
	readonly name: string;
	readonly kind: 'sftp' | 'ftps';
	/** The name or address of the host, as `findHost` spells it. */
	readonly host: string;
	readonly port: number;
	readonly userName: string;
	/** The folder at the partner. If it is empty, files go to the folder in which a login starts. */
	readonly folder: string;
	/** The fingerprints of host keys, such as `SHA256:…`; empty while none is known. */
	readonly hostKeys: readonly string[];
	/** The fingerprints of certificates for FTPS, such as `SHA256:…`; without any, the certificate must be valid for the host. */
	readonly certificates: readonly string[];
}

export interface BucketDestination {
	readonly name: string;
	readonly kind: 's3';
	/** The origin of the server, such as `https://s3.eu-central-1.amazonaws.com`. */
	readonly endpoint: string;
	readonly bucket: string;
	readonly region: string;
	readonly accessKeyId: string;
	/** The beginning of the names of all objects, without its last slash; it may be empty. */
	readonly folder: string;
}

/** The secret parts of a destination: a password, a private key, or both for a server, and the secret key of a bucket. */
export interface DestinationSecrets {
	readonly password?: string;
	readonly privateKey?: string;
	readonly passphrase?: string;
	readonly secretKey?: string;
}

/** Returns the server of a destination, with its port or bucket, as people see it. */
export function addressOf(destination: Destination): string {
	if (destination.kind === 's3') return `${destination.endpoint}/${destination.bucket}`;
	return `${destination.host}:${destination.port}`;
}

/** Returns as whom we log in. */
export function loginNameOf(destination: Destination): string {
	return destination.kind === 's3' ? destination.accessKeyId : destination.userName;
}

/** Returns the fingerprints that the server must show one of, of a key or of a certificate. */
export function pinsOf(destination: Destination): readonly string[] {
	if (destination.kind === 's3') return [];
	return [...destination.hostKeys, ...destination.certificates];
}

export const DEFAULT_SFTP_PORT = 22;
export const DEFAULT_FTPS_PORT = 21;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** A file name has at most so many bytes, as its temporary name is 15 longer and file systems allow 255. */
const MAX_NAME_BYTES = 240;
const MAX_FOLDER_BYTES = 1024;
const MAX_HOST_KEYS = 8;
const TOO_MANY = why(`expected at most ${MAX_HOST_KEYS} fingerprints`, 'too-many', { most: MAX_HOST_KEYS });

/** Returns the rule that a name of a destination breaks, or undefined. */
export function nameProblem(text: string): Why | undefined {
	if (NAME.test(text)) return undefined;
	return why('expected 1 to 64 letters, digits, dots, hyphens and underscores', 'name-malformed', { most: 64 });
}

export const HOST_RULE = why('expected a host name or an address', 'host-malformed');

/** Returns a host in a single spelling: lower case, ASCII, addresses as numbers; undefined if it is none. */
export function findHost(text: string): string | undefined {
	try {
		return parseHost(text).toLowerCase();
	} catch (error) {
		if (error instanceof ServiceError) return undefined;
		throw error;
	}
}

/** Checks the name of a file, which must not contain a path. */
export function fileNameProblem(text: string): Why | undefined {
	const rule = fileNameRule(text) ?? charactersRule(text);
	return rule === undefined ? undefined : why(rule, 'file-name-malformed');
}

/** Checks a folder of the partner; it may be empty. */
export function folderProblem(text: string): Why | undefined {
	const rule = folderRule(text) ?? charactersRule(text);
	return rule === undefined ? undefined : why(rule, 'folder-malformed');
}

function fileNameRule(text: string): string | undefined {
	if (text === '') return 'is required';
	if (Buffer.byteLength(text) > MAX_NAME_BYTES) return `expected at most ${MAX_NAME_BYTES} bytes`;
	return text === '.' || text === '..' || /[/\\]/.test(text) ? 'expected a name without a folder' : undefined;
}

function folderRule(text: string): string | undefined {
	if (Buffer.byteLength(text) > MAX_FOLDER_BYTES) return `expected at most ${MAX_FOLDER_BYTES} bytes`;
	return text.split('/').includes('..') ? "expected a folder without '..'" : undefined;
}

export function userNameProblem(text: string): Why | undefined {
	const isFit = text !== '' && text.length <= 255;
	const rule = isFit ? charactersRule(text) : 'expected 1 to 255 characters';
	return rule === undefined ? undefined : why(rule, 'user-name-malformed');
}

export function portProblem(port: number): Why | undefined {
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return undefined;
	return why('expected a port, 1 to 65535', 'not-in-range', { from: 1, to: 65_535 });
}

/** Returns fingerprints in the form in which they are stored, or the rule that one of them breaks. */
export const readHostKeys = pinReader(findFingerprint, 'ssh-keygen -l shows them: SHA256: and 43 characters');
export const readCertificates = pinReader(
	findCertificateFingerprint,
	'openssl x509 -fingerprint -sha256 shows them, or SHA256: and 43 characters',
);

function pinReader(find: (text: string) => string | undefined, form: string) {
	return (texts: readonly string[]): { pins: string[]; problem?: Why } => {
		const pins = texts.flatMap((text) => find(text) ?? []);
		if (texts.length > MAX_HOST_KEYS) return { pins, problem: TOO_MANY };
		if (pins.length === texts.length) return { pins };
		return { pins, problem: why(`expected fingerprints as ${form}`, 'fingerprints-malformed') };
	};
}

function charactersRule(text: string): string | undefined {
	return CONTROL.test(text) || !text.isWellFormed() ? 'may not hold control characters' : undefined;
}
