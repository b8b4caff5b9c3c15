// Checks second factors: codes of an app, recovery codes and passkeys.

import { factorStore } from './factors/factor-store.ts';
import { checkPasskey, passkeyIdOf, passkeyRequest } from './factors/passkeys.ts';
import { hashRecoveryCode } from './factors/recovery-codes.ts';
import { findApp, findStep, openTotpSecret } from './factors/totp.ts';
import { useCode } from './factors/used-codes.ts';
import type { PortalOptions } from './options.ts';
import { sealedPortalPasskeys, sealedPortalRecoveryCodes } from './sealed-rows.ts';
import type { FactorWays } from './sign-in/login.ts';
import { sessionStore } from './sign-in/session-store.ts';
import type { PortalUserRow } from './user-store.ts';

/** A challenge for a passkey is valid for this time. */
export const CHALLENGE_MS = 5 * 60_000;

export type FactorChecks = ReturnType<typeof openFactorChecks>;

export function openFactorChecks(options: PortalOptions) {
	const { database, keyRing, clock, settings } = options;
	const store = factorStore(database.knex);
	const sessions = sessionStore(database.knex);
	const now = () => clock.now().getTime();

	const checks = {
		async waysOf({ id }: Pick<PortalUserRow, 'id'>): Promise<FactorWays> {
			const app = await findApp(options, id);
			const passkeys = await checks.listPasskeys(id);
			return { hasApp: app !== undefined && app.confirmed_at !== null, hasPasskeys: passkeys.length > 0 };
		},
		/** Checks a code of the authenticator app and uses it up; returns false if it is wrong or was used before. */
		async useAppCode({ id }: PortalUserRow, typed: string): Promise<boolean> {
			const row = await findApp(options, id);
			if (!row || row.confirmed_at === null) return false;
			const secret = await openTotpSecret(keyRing, row);
			const step = findStep(secret, typed, now());
			secret.fill(0);
			if (step === undefined) return false;
			return keyRing.seals.transact(database, (transaction, sealer) =>
				useCode({ transaction, sealer, seals: keyRing.seals }, id, step),
			);
		},
		/** Checks a recovery code and uses it up; returns false if it is wrong or was used before. */
		async useRecoveryCode({ id }: PortalUserRow, typed: string): Promise<boolean> {
			const hash = hashRecoveryCode(id, typed);
			if (hash === undefined) return false;
			const row = await keyRing.seals.find(sealedPortalRecoveryCodes, () => store.findCode(id, hash));
			if (!row) return false;
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				if (!(await factorStore(transaction).useCode(id, row.hash))) return false;
				await sealer.end(transaction, sealedPortalRecoveryCodes, row);
				return true;
			});
		},
		/** Returns the options with which the browser uses a passkey, and stores their challenge in the session. */
		async requestPasskey({ id }: Pick<PortalUserRow, 'id'>, sessionId: string): Promise<object> {
			const request = await passkeyRequest(settings, await checks.listPasskeys(id));
			await sessions.putChallenge(sessionId, request.challenge, now() + CHALLENGE_MS);
			return request;
		},
		async usePasskey({ id }: PortalUserRow, sessionId: string, answer: unknown): Promise<boolean> {
			const challenge = (await sessions.findById(sessionId))?.challenge ?? undefined;
			if (challenge === undefined || !(await sessions.takeChallenge(sessionId, challenge, now()))) return false;
			const named = passkeyIdOf(answer);
			const known = (await checks.listPasskeys(id)).find((each) => each.credential_id === named);
			const counter = known && (await checkPasskey(settings, challenge, answer, known));
			if (counter === undefined) return false;
			await store.notePasskey(known!.id, counter, now());
			return true;
		},
		/** Lists the passkeys of a user, except those whose row somebody has altered. */
		listPasskeys: (userId: number) => keyRing.seals.list(sealedPortalPasskeys, () => store.listPasskeys(userId)),
	};
	return checks;
}
