// Checks second factors: codes of an app, recovery codes and passkeys.

import { factorStore, type PasskeyRow } from './factors/factor-store.ts';
import { checkPasskey, passkeyIdOf, passkeyRequest } from './factors/passkeys.ts';
import { hashRecoveryCode } from './factors/recovery-codes.ts';
import { findStep } from './factors/totp.ts';
import { findApp, openTotpSecret } from './factors/totp-secret.ts';
import { useCode } from './factors/used-codes.ts';
import type { PortalOptions } from './options.ts';
import { sealedPortalPasskeys, sealedPortalRecoveryCodes } from './sealed-rows.ts';
import type { FactorWays } from './sign-in/login.ts';
import { sessionStore } from './sign-in/session-store.ts';
import type { PortalUserRow } from './user-store.ts';

/** A challenge for a passkey is valid for this time. */
export const CHALLENGE_MS = 5 * 60_000;

export interface FactorChecks {
	waysOf(user: Pick<PortalUserRow, 'id'>): Promise<FactorWays>;
	/** Checks a code of the authenticator app and uses it up; returns false if it is wrong or was used before. */
	useAppCode(user: PortalUserRow, typed: string): Promise<boolean>;
	/** Checks a recovery code and uses it up; returns false if it is wrong or was used before. */
	useRecoveryCode(user: PortalUserRow, typed: string): Promise<boolean>;
	/** Returns the options with which the browser uses a passkey, and stores their challenge in the session. */
	requestPasskey(user: Pick<PortalUserRow, 'id'>, sessionId: string): Promise<object>;
	usePasskey(user: PortalUserRow, sessionId: string, answer: unknown): Promise<boolean>;
	/** Lists the passkeys of a user, except those whose row somebody has altered. */
	listPasskeys(userId: number): Promise<PasskeyRow[]>;
}

export function openFactorChecks(options: PortalOptions): FactorChecks {
	const { database, keyRing, clock, settings } = options;
	const store = factorStore(database.knex);
	const sessions = sessionStore(database.knex);
	const now = () => clock.now().getTime();

	const checks: FactorChecks = {
		async waysOf({ id }) {
			const app = await findApp(options, id);
			const passkeys = await checks.listPasskeys(id);
			return { hasApp: app !== undefined && app.confirmed_at !== null, hasPasskeys: passkeys.length > 0 };
		},
		async useAppCode({ id }, typed) {
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
		async useRecoveryCode({ id }, typed) {
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
		async requestPasskey({ id }, sessionId) {
			const request = await passkeyRequest(settings, await checks.listPasskeys(id));
			await sessions.putChallenge(sessionId, request.challenge, now() + CHALLENGE_MS);
			return request;
		},
		async usePasskey({ id }, sessionId, answer) {
			const challenge = (await sessions.findById(sessionId))?.challenge ?? undefined;
			if (challenge === undefined || !(await sessions.takeChallenge(sessionId, challenge, now()))) return false;
			const named = passkeyIdOf(answer);
			const known = (await checks.listPasskeys(id)).find((each) => each.credential_id === named);
			const counter = known && (await checkPasskey(settings, challenge, answer, known));
			if (counter === undefined) return false;
			await store.notePasskey(known!.id, counter, now());
			return true;
		},
		listPasskeys: (userId) => keyRing.seals.list(sealedPortalPasskeys, () => store.listPasskeys(userId)),
	};
	return checks;
}
