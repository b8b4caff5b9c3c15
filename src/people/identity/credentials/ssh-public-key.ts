import { badInput, type ServiceError } from '../../../base/errors.ts';
import type { FailureCode } from '../../../base/failures.ts';
import { maskBeginning } from '../../../base/log/masked-beginning.ts';
import { fingerprintOf } from '../../../base/ssh/fingerprint.ts';

export type SshPublicKey = ReturnType<typeof parseSshPublicKey>;

const ALGORITHMS = ['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'];
const MIN_RSA_BITS = 2048;
const ED25519_BYTES = 32;
const MAX_COMMENT_CHARACTERS = 200;

/**
 * Reads a public key file: lines of OpenSSH public keys, comments and empty lines between.
 * @throws ServiceError that names the line with the problem
 */
export function parseSshPublicKeys(text: string): SshPublicKey[] {
	const lines = text.split(/\r?\n/).map((line) => line.trim());
	const keys = lines.flatMap((line, index) =>
		line === '' || line.startsWith('#') ? [] : [parseSshPublicKey(line, `line ${index + 1}`)],
	);
	if (keys.length === 0) throw refused('public-key-malformed', 'file', 'expected a line with an OpenSSH public key');
	return keys;
}

/**
 * Reads one public key. A private key is refused without being read.
 * @throws ServiceError that says what is wrong
 */
export function parseSshPublicKey(line: string, place = 'key') {
	if (line.includes('PRIVATE KEY'))
		throw refused('private-key-given', place, 'this is a private key; give the .pub file');
	const [, algorithm, encoded, comment] =
		/^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/=]+)(?:[ \t]+(.*))?$/.exec(line.trim()) ?? [];
	if (algorithm === undefined)
		throw refused('public-key-malformed', place, 'expected an OpenSSH public key: algorithm, base64, comment');
	if (!ALGORITHMS.includes(algorithm))
		throw refused(
			'public-key-refused',
			place,
			`${algorithm} is not accepted; expected one of ${ALGORITHMS.join(', ')}`,
		);
	const blob = Buffer.from(encoded, 'base64');
	const parts = findParts(blob);
	if (blob.toString('base64') !== encoded || parts?.[0]?.toString('latin1') !== algorithm)
		throw refused('public-key-malformed', place, 'the key is damaged');
	checkStrength(algorithm, parts, place);
	// The comment is stored in clear and shown to people, so card numbers, line breaks and control characters are
	// removed.
	const shown = maskBeginning((comment ?? '').replace(/\p{Cc}/gu, ' '), MAX_COMMENT_CHARACTERS);
	return { algorithm, blob, fingerprint: fingerprintOf(blob), comment: shown };
}

function checkStrength(algorithm: string, parts: readonly Buffer[], place: string): void {
	if (algorithm === 'ssh-rsa') {
		const modulus = parts.length === 3 ? parts[2] : Buffer.alloc(0);
		if (bitsOf(modulus) < MIN_RSA_BITS)
			throw refused('public-key-refused', place, `RSA keys need at least ${MIN_RSA_BITS} bits`);
		return;
	}
	const isWhole =
		algorithm === 'ssh-ed25519'
			? parts.length === 2 && parts[1].length === ED25519_BYTES
			: parts.length === 3 && algorithm.endsWith(parts[1].toString('latin1')) && parts[2].length > 0;
	if (!isWhole) throw refused('public-key-malformed', place, 'the key is damaged');
}

/** Returns the length-prefixed strings of a key, or undefined if they do not end where the key ends. */
function findParts(blob: Buffer): Buffer[] | undefined {
	const parts: Buffer[] = [];
	let at = 0;
	while (at + 4 <= blob.length) {
		const length = blob.readUInt32BE(at);
		parts.push(blob.subarray(at + 4, at + 4 + length));
		at += 4 + length;
	}
	return at === blob.length ? parts : undefined;
}

function bitsOf(modulus: Buffer): number {
	const first = modulus.findIndex((byte) => byte !== 0);
	return first < 0 ? 0 : (modulus.length - first) * 8 - Math.clz32(modulus[first]) + 24;
}

function refused(code: FailureCode, field: string, problem: string): ServiceError {
	return badInput(field, problem, { code });
}
