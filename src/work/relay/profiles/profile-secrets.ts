// Seals the secrets of a profile separately from its document, which has stars in their place.

import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { KeyRing, SealingKey } from '../../../base/keys/key-ring.ts';
import { secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { findValue, sealValue } from '../../../base/keys/rows/sealed-values.ts';
import { MASK } from '../../../base/settings/secret.ts';
import type { Profile } from './profile.ts';
import { sealedProfiles } from './profile-store.ts';

type Secrets = Pick<Profile, 'authorization' | 'clientCertificate'>;

/** Returns a profile with stars in place of its secrets, as it may be shown and stored in clear. */
export function shownProfile(profile: Profile): Profile {
	const { authorization, clientCertificate } = profile;
	const certificate = clientCertificate && {
		certificate: MASK,
		key: MASK,
		...(clientCertificate.passphrase !== undefined && { passphrase: MASK }),
	};
	return {
		...profile,
		...(authorization !== undefined && { authorization: MASK }),
		...(certificate !== undefined && { clientCertificate: certificate }),
	};
}

export function sealSecrets(profile: Profile, accountId: AccountId, key: SealingKey) {
	const { name, authorization, clientCertificate } = profile;
	if (authorization === undefined && clientCertificate === undefined) return { key_id: null, sealed: null };
	const secrets: Secrets = { authorization, clientCertificate };
	return sealValue(key, sealedProfileSecrets, { account_id: accountId, name }, secrets);
}

/**
 * Returns a stored profile with its secrets.
 * @throws SealError if the sealed secrets belong to another profile or were altered.
 */
export async function unsealProfile(
	row: { account_id: AccountId; name: string; document: string; key_id: KeyId | null; sealed: Buffer | null },
	keyRing: KeyRing,
): Promise<Profile> {
	const shown = JSON.parse(row.document) as Profile;
	return { ...shown, ...(await findValue<Secrets>(keyRing, sealedProfileSecrets, row)) };
}

/**
 * Replaces the stars in the new text of a profile by the secrets of the stored profile. The stars stay if the new text
 * would send calls elsewhere than the stored profile does, because a secret must not be sent to a target that its owner
 * did not choose.
 */
export function withStoredSecrets(value: unknown, stored: Profile | undefined): unknown {
	if (!stored || typeof value !== 'object' || value === null) return value;
	const tree = value as Readonly<Record<string, unknown>>;
	if (!isSameTarget(tree, stored)) return value;
	const { authorization, clientCertificate } = stored;
	return Object.assign(
		Object.create(null),
		tree,
		authorization !== undefined && tree.authorization === MASK && { authorization },
		clientCertificate && isStarred(tree.clientCertificate) && { clientCertificate },
	);
}

function isSameTarget(tree: Readonly<Record<string, unknown>>, { targetUri, hosts, authorities }: Profile): boolean {
	const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
	return isSame(tree.targetUri, targetUri) && isSame(tree.hosts ?? [], hosts) && isSame(tree.authorities, authorities);
}

function isStarred(certificate: unknown): boolean {
	return (
		typeof certificate === 'object' && certificate !== null && Object.values(certificate).every((part) => part === MASK)
	);
}

/** Names the table and columns with the secrets of profiles, so that they can be sealed again under a new key. */
export const sealedProfileSecrets = secretsIn(sealedProfiles, ({ account_id, name }) =>
	Buffer.from(`tokendrop profile ${account_id}/${name}`),
);
