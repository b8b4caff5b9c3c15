// Passkeys (WebAuthn). The authenticator must check its owner, by a finger, a face or a PIN, and answers only for the
// address of this installation, so that a copied page cannot use it.

import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PasskeyRow } from './factor-store.ts';

/** Says for whom passkeys are made. */
export interface Site {
	/** The public address; passkeys belong to its host. */
	readonly baseUrl: string;
}

type Known = Pick<PasskeyRow, 'credential_id' | 'transports'>;
export type KnownPasskey = Known & Pick<PasskeyRow, 'public_key' | 'counter'>;

/** Ed25519, ECDSA with P-256, RSA: one of them is in every authenticator. */
const ALGORITHMS = [-8, -7, -257];

/** The library is large, and most installations start without anybody using a passkey. */
const library = () => import('@simplewebauthn/server');

/** Tells whether passkeys can be made for an address: browsers make them for the names of hosts only. */
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

/** Returns what the browser needs to make a passkey. */
export async function passkeyCreation(
	site: Site,
	user: { readonly id: number; readonly name: string; readonly known: readonly Known[] },
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
		authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
	});
}

/** Returns the new passkey, or undefined if the answer of the browser is not right. */
export async function readNewPasskey(site: Site, challenge: string, answer: unknown) {
	const { verifyRegistrationResponse } = await library();
	const { rpID, origin } = siteOf(site);
	try {
		const { verified, registrationInfo } = await verifyRegistrationResponse({
			...{ response: answer as RegistrationResponseJSON, expectedChallenge: challenge },
			...{ expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true },
			supportedAlgorithmIDs: ALGORITHMS,
		});
		if (!verified) return undefined;
		const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
		return {
			...{ credential_id: id, public_key: Buffer.from(publicKey), counter },
			transports: transports
				.filter((each) => /^[a-z-]{1,16}$/.test(each))
				.slice(0, 6)
				.join(','),
		};
	} catch {
		// The library throws for every answer that does not fit: it was made up, or belongs to another site.
		return undefined;
	}
}

/** Returns what the browser needs to use one of the passkeys. */
export async function passkeyRequest(site: Site, known: readonly Known[]) {
	const { generateAuthenticationOptions } = await library();
	return generateAuthenticationOptions({
		...{ rpID: siteOf(site).rpID, allowCredentials: described(known), userVerification: 'required' },
	});
}

/** Returns the id of the passkey that an answer names. */
export function passkeyIdOf(answer: unknown): string | undefined {
	const id = (answer as { id?: unknown } | null)?.id;
	return typeof id === 'string' ? id : undefined;
}

/** Returns the new count of signatures, or undefined if the answer is not right. */
export async function checkPasskey(
	site: Site,
	challenge: string,
	answer: unknown,
	known: KnownPasskey,
): Promise<number | undefined> {
	const { verifyAuthenticationResponse } = await library();
	const { rpID, origin } = siteOf(site);
	const credential = { id: known.credential_id, publicKey: new Uint8Array(known.public_key), counter: known.counter };
	try {
		const { verified, authenticationInfo } = await verifyAuthenticationResponse({
			...{ response: answer as AuthenticationResponseJSON, expectedChallenge: challenge, credential },
			...{ expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true },
		});
		return verified ? authenticationInfo.newCounter : undefined;
	} catch {
		return undefined;
	}
}
