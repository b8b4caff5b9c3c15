// The root key in AWS Key Management Service. It wraps and unwraps there, and never leaves it.

import { createHash } from 'node:crypto';
import type { HeaderPair } from '../../outbound/headers.ts';
import { signV4 } from '../../outbound/sigv4.ts';
import type { Settings } from '../../settings/settings.ts';
import { type RootKey, RootKeyAwayError, RootKeyError } from '../root-key.ts';
import { type Credentials, credentialsOfFile, credentialsOfMachine } from './aws-credentials.ts';
import { insist, LoginRefusedError } from './insist.ts';
import { bytesOf, type ServiceReply, saidBy, serviceClient } from './service-client.ts';
import { markedAs, unmarked } from './wrapped-form.ts';

export type KmsPlace = Settings['keys']['awsKms'];

/** What is wrapped is bound to this text: it opens with it only, and AWS writes it into its own trail. */
const CONTEXT = { tokendrop: 'root key v1' };

const REFUSED: Readonly<Record<string, string>> = {
	DisabledException: 'the key is disabled; enable it',
	KMSInvalidStateException: 'the key cannot be used in its state; cancel its deletion, or see why it is not available',
	NotFoundException: 'there is no such key; look at keys.awsKms.keyId and keys.awsKms.region',
	IncorrectKeyException: 'this is not the master key that the database was made with',
	InvalidCiphertextException: 'this is not the master key that the database was made with',
	InvalidKeyUsageException: 'the key is not one that encrypts and decrypts',
};
const LOGIN =
	/^(AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|ExpiredToken|InvalidClientTokenId|OptInRequired|NotAuthorized)/;
const BUSY =
	/^(Throttling|TooManyRequests|RequestLimitExceeded|LimitExceeded|KeyUnavailable|DependencyTimeout|KMSInternal|ServiceUnavailable)/;

/** Opens the key that `place` names. `given` are credentials that take the place of those in the settings. */
export function openKmsRootKey(place: KmsPlace, given?: Credentials): RootKey {
	const { keyId, region, credentialsFile } = place;
	const description = `AWS KMS key ${keyId} in ${region}`;
	const url = new URL(place.endpoint ?? `https://kms.${region}.amazonaws.com/`);
	const client = serviceClient(description);
	const ofSettings = () =>
		credentialsFile === null ? credentialsOfMachine(client, description) : credentialsOfFile(credentialsFile);
	const credentials = given ?? ofSettings();

	const ask = (operation: 'Encrypt' | 'Decrypt', members: Record<string, string>) =>
		insist(async () => {
			const body = JSON.stringify({ KeyId: keyId, EncryptionContext: CONTEXT, ...members });
			const { accessKeyId, secretKey, sessionToken } = await credentials.find();
			const headers: HeaderPair[] = [
				['content-type', 'application/x-amz-json-1.1'],
				['x-amz-target', `TrentService.${operation}`],
			];
			if (sessionToken !== undefined) headers.push(['x-amz-security-token', sessionToken]);
			const payload = createHash('sha256').update(body).digest('hex');
			const key = { accessKeyId, secretKey, region: region!, service: 'kms' };
			const signed = signV4({ method: 'POST', url, headers, payload }, key, new Date());
			const reply = await client.call({ method: 'POST', url, headers: signed, body });
			if (reply.status === 200) return reply.json;
			const error = failureOf(reply, description);
			if (error instanceof LoginRefusedError) credentials.forget();
			throw error;
		});

	return {
		description,
		async wrap(plain) {
			const { CiphertextBlob } = await ask('Encrypt', { Plaintext: plain.toString('base64') });
			return markedAs('aws-kms', bytesOf(CiphertextBlob, description));
		},
		async unwrap(wrapped) {
			const blob = unmarked('aws-kms', wrapped, description);
			const { Plaintext } = await ask('Decrypt', { CiphertextBlob: blob.toString('base64') });
			return bytesOf(Plaintext, description);
		},
		close: () => client.close(),
	};
}

function failureOf({ status, json }: ServiceReply, description: string): RootKeyError {
	// The type may have a namespace before it, and an address behind it.
	const type = String(json.__type ?? '')
		.replace(/^.*#/, '')
		.replace(/:.*$/, '');
	const words = saidBy(json.message ?? json.Message);
	const answer = `${status} ${saidBy(type)}${words === '' ? '' : `: ${words}`}`.trim();
	if (Object.hasOwn(REFUSED, type)) return new RootKeyError(`${description}: ${REFUSED[type]} (${answer})`);
	if (LOGIN.test(type)) {
		const todo = "look at the credentials, at the policy of the key and at this machine's clock";
		return new LoginRefusedError(`${description}: our login is refused; ${todo} (${answer})`);
	}
	if (status >= 500 || status === 429 || BUSY.test(type)) {
		return new RootKeyAwayError(`${description}: it does not serve at the moment; try again later (${answer})`);
	}
	return new RootKeyError(`${description}: it refuses the call (${answer})`);
}
