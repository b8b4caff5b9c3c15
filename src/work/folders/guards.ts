// The ladder of guards between a principal and the files of an account, for every door: does the credential still stand,
// does a permission open the area, may a file have this name, has the account units left, and is what leaves recorded.

import type { JobId } from '../../base/database/ids.ts';
import type { Standing } from '../../people/identity/accounts/standing.ts';
import { actorOf, type Principal } from '../../people/identity/principal.ts';
import type { Audit } from '../../trail/audit.ts';
import { type Area, type InputArea, isPartialName } from '../drops/drop-names.ts';

export type FilePermission = 'FileTokenize' | 'FileDetokenize';

/** The permissions that open each area; one of those listed is enough. The folders themselves are always listed. */
const PERMISSIONS = {
	tokenize: ['FileTokenize'],
	tokenized: ['FileTokenize'],
	detokenize: ['FileDetokenize'],
	detokenized: ['FileDetokenize'],
	reports: ['FileTokenize', 'FileDetokenize'],
} as const satisfies Record<Area, readonly FilePermission[]>;

export function findMissingPermission(
	{ permissions }: { readonly permissions: { has(permission: FilePermission): boolean } },
	area: Area,
): FilePermission | undefined {
	const needed = PERMISSIONS[area];
	return needed.some((name) => permissions.has(name)) ? undefined : needed[0];
}

export type UploadRefusal =
	| { readonly guard: 'permission'; readonly permission: FilePermission }
	| { readonly guard: 'partial-name'; readonly message: string };

/**
 * Tells why a file that is sent in one piece is not taken, as over HTTP and in the portal. Over sFTP only the permission
 * counts, because files under names of unfinished uploads are kept there until they are renamed.
 */
export function findUploadRefusal(
	principal: Pick<Principal, 'permissions'>,
	{ area, name }: { readonly area: InputArea; readonly name: string },
): UploadRefusal | undefined {
	const permission = findMissingPermission(principal, area);
	if (permission !== undefined) return { guard: 'permission', permission };
	if (isPartialName(name)) {
		return { guard: 'partial-name', message: 'a name like this one stands for an unfinished upload' };
	}
	return undefined;
}

/**
 * Checks that an account has units left for a file, where it can be told before the file comes.
 * @throws ServiceError if tokenizing would cost units that the account does not have
 */
export async function requireUnits(
	principal: Principal,
	area: InputArea,
	allowance: { check(principal: Principal): Promise<void> },
): Promise<void> {
	if (area === 'tokenize') await allowance.check(principal);
}

/** What guards the files of one session beyond its permissions. */
export type SessionGuards = ReturnType<typeof sessionGuards>;

/** Returns the guards of a session that a principal opened from an address. */
export function sessionGuards(
	principal: Principal,
	options: {
		readonly standing: Pick<Standing, 'check' | 'release'>;
		readonly audit: Pick<Audit, 'record'>;
		readonly address: string;
		readonly noteFetch: (fetch: { readonly jobId: JobId; readonly userId: string }) => Promise<void>;
	},
) {
	const { standing, audit, address, noteFetch } = options;
	const { userId } = principal;
	return {
		/**
		 * Checks that the credential of the session still stands, or did so `maxAgeMs` ago.
		 * @throws CredentialEndedError
		 */
		check: (maxAgeMs?: number) => standing.check(maxAgeMs),
		noteFetch: (jobId: JobId) => noteFetch({ jobId, userId }),
		/** Records a download of clear card numbers in the audit trail, before the first byte is sent. */
		async recordDownload(subject: string): Promise<void> {
			await audit.record({ actor: { ...actorOf(principal), address }, action: 'file.download', subject });
		},
		/** Ends the watch over the credential, because the session is closed. */
		release: () => standing.release(),
	};
}
