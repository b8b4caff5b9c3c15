// Lets people in who have a passkey and no password. Their device verifies them by a finger, a face or a PIN, so that
// the passkey is something that they have and something that they know or are.

import { createHash, randomBytes } from 'node:crypto';
import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { Client } from '../client.ts';
import { factorStore } from '../factors/factor-store.ts';
import {
	canHavePasskeys,
	challengeIn,
	checkPasskey,
	passkeyCreation,
	passkeyIdOf,
	putPasskey,
	readNewPasskey,
} from '../factors/passkeys.ts';
import type { PortalOptions } from '../options.ts';
import { sealedPortalPasskeys } from '../sealed-rows.ts';
import { CHALLENGE_MS } from '../second-factors.ts';
import type { UserRows } from '../users.ts';
import { type Entry, REFUSED } from './entry.ts';
import type { LinkRows } from './links.ts';
import type { LoginAnswer } from './login.ts';

/** A challenge is a row that the browser keeps instead of the database. It ends when it is used. */
const challenges: RowShape = {
	table: 'portal_challenges',
	id: ['id'],
	columns: ['valid_until'],
	freshness: { by: 'ended-rows', until: 'valid_until' },
};
const CHALLENGE = /^([\w-]{22})\.(\d{13})\.(\d{1,9})\.([\w-]{43})$/;

export function openPasskeyLogin(
	options: PortalOptions,
	{ users, links, entry }: { readonly users: UserRows; readonly links: LinkRows; readonly entry: Entry },
) {
	const { database, keyRing, clock, settings } = options;
	const store = factorStore(database.knex);
	const now = () => clock.now().getTime();
	const findLink = async (secret: string) => {
		const found = canHavePasskeys(settings) ? await links.find(secret) : undefined;
		const isNew = found?.user.password_hash === null && !found.user.has_factor;
		return isNew && (await entry.mayEnter(found.user)) ? found : undefined;
	};
	/** Reads a challenge of ours and uses it up; returns false if it is none, is too old, or was used before. */
	const takeChallenge = async (challenge: string): Promise<boolean> => {
		const [, id, until, key, seal] = CHALLENGE.exec(Buffer.from(challenge, 'base64url').toString()) ?? [];
		if (id === undefined || Number(until) <= now()) return false;
		const row = { id, valid_until: Number(until), seal_key: Number(key), seal: Buffer.from(seal, 'base64url') };
		if (!(await keyRing.seals.find(challenges, async () => row))) return false;
		return keyRing.seals.transact(database, async (transaction, sealer) => {
			if (!keyRing.seals.isCurrent({ shape: challenges, row })) return false;
			await sealer.end(transaction, challenges, row);
			return true;
		});
	};

	return {
		/**
		 * Returns the options with which the browser makes a passkey for the user of a link. Undefined if the link no longer
		 * works, if passkeys cannot be made here, or if the user has a password or a second factor, which a link must not pass by.
		 */
		async creation(secret: string): Promise<object | undefined> {
			const found = await findLink(secret);
			if (!found) return undefined;
			return passkeyCreation(settings, { ...found.user, known: [] }, challengeOf(secret));
		},
		/** Sets up the passkey of the user of a link, which is then used up, and lets them in. */
		async byLink(secret: string, answer: unknown, label: string, client: Client): Promise<LoginAnswer> {
			const found = await findLink(secret);
			const made = found && (await readNewPasskey(settings, challengeOf(secret).toString('base64url'), answer));
			if (!made) return REFUSED;
			const { id, account_id } = found.user;
			const passkey = { ...made, user_id: id, account_id, label, created_at: now() };
			try {
				const user = await links.use(found, await entry.actorIn(found.user, client), {
					action: 'portal-user.factor-add',
					details: { factor: 'passkey', by: 'link' },
					change: { has_factor: true },
					work: (transaction, sealer) => putPasskey(transaction, sealer, passkey),
				});
				return user ? entry.letIn(user, client, { way: 'passkey', hasSecondFactor: true }) : REFUSED;
			} catch (error) {
				if (!isUniqueViolation(error)) throw error;
				return REFUSED;
			}
		},
		/** Tells whether there can be passkeys here, which needs a host name in the public URL. */
		isOpen: () => canHavePasskeys(settings),
		async request(): Promise<object> {
			const row = { id: randomBytes(16).toString('base64url'), valid_until: now() + CHALLENGE_MS };
			const { seal_key, seal } = (await keyRing.seals.sealer()).seal(challenges, row);
			const text = `${row.id}.${row.valid_until}.${seal_key}.${seal.toString('base64url')}`;
			return {
				challenge: Buffer.from(text).toString('base64url'),
				rpId: new URL(settings.baseUrl).hostname,
				userVerification: 'required',
				timeout: CHALLENGE_MS,
			};
		},
		/** Lets somebody in who has no password. */
		async byPasskey(answer: unknown, client: Client): Promise<LoginAnswer> {
			const named = passkeyIdOf(answer);
			const known =
				named === undefined
					? undefined
					: await keyRing.seals.find(sealedPortalPasskeys, () => store.findPasskey(named));
			const user = known && (await users.findById(known.user_id));
			const tried = { name: user?.name ?? '', secret: '', way: 'passkey' } as const;
			if (!entry.mayTry(tried.name, client)) return entry.failed(user, tried, client, 'locked');
			const challenge = challengeIn(answer);
			const isOurs = challenge !== undefined && (await takeChallenge(challenge));
			const counter = isOurs && known ? await checkPasskey(settings, challenge, answer, known) : undefined;
			if (!user || counter === undefined || user.password_hash !== null)
				return entry.failed(user, tried, client, 'wrong');
			if (!(await entry.mayEnter(user))) return entry.failed(user, tried, client, 'blocked');
			await store.notePasskey(known.id, counter, now());
			return entry.letIn(user, client, { way: 'passkey', hasSecondFactor: true });
		},
	};
}

/** Returns the challenge for the passkey of a link. It serves once, because the link does, and only whoever has the link knows it. */
function challengeOf(secret: string): Buffer {
	return createHash('sha256').update(`tokendrop portal passkey ${secret}`).digest();
}
