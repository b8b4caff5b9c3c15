// Creates and checks passkeys (WebAuthn). The authenticator must verify its owner, by a finger, a face or a PIN. It
// answers only for the host of this installation, so that a copy of our pages on another host cannot use it.

import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Knex } from 'knex';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { sealedPortalPasskeys } from '../sealed-rows.ts';
import { factorStore, type PasskeyRow } from './factor-store.ts';

export interface Site {
	/** The public URL; passkeys are bound to its host. */
	readonly baseUrl: string;
}

type Known = Pick<PasskeyRow, 'credential_id' | 'transports'>;
export type KnownPasskey = Known & Pick<PasskeyRow, 'public_key' | 'counter'>;

/** Ed25519, ECDSA with P-256, and RSA, by their numbers in WebAuthn. Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257];

/** The answer of a browser has a few kilobytes. To read one of this size takes some milliseconds, whatever it holds. */
const MAX_ANSWER_CHARACTERS = 65_536;

/** Loads the library when it is first needed, because it is large and many installations never use a passkey. */
const library = () => import('@simplewebauthn/server');

/** Tells whether passkeys can be created for a site. Browsers create them only for host names, not for IP addresses. */
export function canHavePasskeys({ baseUrl }: Site): boolean {
	const { hostname } = new URL(baseUrl);
	return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

const siteOf = ({ baseUrl }: Site) => {
	const url = new URL(baseUrl);
	return { rpID: url.hostname, origin: url.origin };
};
const described = (known: readonly Known[]) =>
	known.map(({ credential_id: id, transports }) => ({ id, transports: transports.split(',').filter(Boolean) }));

/** Returns the options with which the browser creates a passkey. */
export async function passkeyCreation(
	site: Site,
	user: { readonly id: number; readonly name: string; readonly known: readonly Known[] },
	/** Given for a passkey that is to let its owner in without anything else; by default a random one. */
	challenge?: Uint8Array,
) {
	const { generateRegistrationOptions } = await library();
	return generateRegistrationOptions({
		rpName: 'Tokendrop',
		rpID: siteOf(site).rpID,
		userName: user.name,
		userID: new Uint8Array(Buffer.from(`tokendrop portal user ${user.id}`)),
		attestationType: 'none',
		supportedAlgorithmIDs: ALGORITHMS,
		excludeCredentials: described(user.known),
		// Without a name that was typed before, only a passkey that the device finds by itself lets anybody in.
		authenticatorSelection: { residentKey: challenge ? 'required' : 'preferred', userVerification: 'required' },
		...(challenge && { challenge: new Uint8Array(challenge) }),
	});
}

/** Returns the new passkey, or undefined if the answer of the browser is not valid. */
export async function readNewPasskey(site: Site, challenge: string, answer: unknown) {
	if (isTooLong(answer)) return undefined;
	const { verifyRegistrationResponse } = await library();
	const { rpID, origin } = siteOf(site);
	try {
		const { verified, registrationInfo } = await verifyRegistrationResponse({
			response: answer as RegistrationResponseJSON,
			expectedChallenge: challenge,
			expectedOrigin: origin,
			expectedRPID: rpID,
			requireUserVerification: true,
			supportedAlgorithmIDs: ALGORITHMS,
		});
		if (!verified) return undefined;
		const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
		return {
			credential_id: id,
			public_key: Buffer.from(publicKey),
			counter,
			transports: transports
				.filter((each) => /^[a-z-]{1,16}$/.test(each))
				.slice(0, 6)
				.join(','),
		};
	} catch {
		// The library throws for every answer that is not valid, such as one that was forged or belongs to another site.
		return undefined;
	}
}

export async function passkeyRequest(site: Site, known: readonly Known[]) {
	const { generateAuthenticationOptions } = await library();
	return generateAuthenticationOptions({
		rpID: siteOf(site).rpID,
		allowCredentials: described(known),
		userVerification: 'required',
	});
}

export function passkeyIdOf(answer: unknown): string | undefined {
	const id = (answer as { id?: unknown } | null)?.id;
	return typeof id === 'string' ? id : undefined;
}

/** Returns the challenge to which an answer of a browser says that it belongs. */
export function challengeIn(answer: unknown): string | undefined {
	if (isTooLong(answer)) return undefined;
	try {
		const { clientDataJSON } = (answer as { response: { clientDataJSON: string } }).response;
		const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
		return typeof challenge === 'string' ? challenge : undefined;
	} catch {
		return undefined;
	}
}

/** Returns the new signature counter of the passkey, or undefined if the answer is not valid. */
export async function checkPasskey(
	site: Site,
	challenge: string,
	answer: unknown,
	known: KnownPasskey,
): Promise<number | undefined> {
	if (isTooLong(answer)) return undefined;
	const { verifyAuthenticationResponse } = await library();
	const { rpID, origin } = siteOf(site);
	const credential = { id: known.credential_id, publicKey: new Uint8Array(known.public_key), counter: known.counter };
	try {
		const { verified, authenticationInfo } = await verifyAuthenticationResponse({
			response: answer as AuthenticationResponseJSON,
			expectedChallenge: challenge,
			credential,
			expectedOrigin: origin,
			expectedRPID: rpID,
			requireUserVerification: true,
		});
		return verified ? authenticationInfo.newCounter : undefined;
	} catch {
		return undefined;
	}
}

function isTooLong(answer: unknown): boolean {
	return (JSON.stringify(answer) ?? '').length > MAX_ANSWER_CHARACTERS;
}

type NewPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>;

/** Stores a passkey of a user under a label that the user has typed. A card number in it is masked. */
export async function putPasskey(
	transaction: Knex.Transaction,
	sealer: RowSealer,
	passkey: NewPasskey & Pick<PasskeyRow, 'user_id' | 'account_id' | 'created_at'> & { readonly label: string },
): Promise<void> {
	const written = [...passkey.label.normalize('NFC').replace(/\p{C}/gu, '').trim()].slice(0, 60).join('');
	const label = maskCardNumbers(written) || 'passkey';
	const row = { ...passkey, label, used_at: null };
	await factorStore(transaction).insertPasskey(await sealer.renew(transaction, sealedPortalPasskeys, row));
}
