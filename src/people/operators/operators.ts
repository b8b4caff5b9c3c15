// Manages the people who run commands. A row is valid only if the trail has an entry for it, so a person who can only
// write the database cannot add an operator, change a role or key, or switch roles off.

import { createHash } from 'node:crypto';
import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isUniqueViolation, transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import { badInput, ServiceError } from '../../base/errors.ts';
import { credentialHasher } from '../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { Secret } from '../../base/settings/secret.ts';
import { fingerprintOf } from '../../base/ssh/fingerprint.ts';
import type { Audit } from '../../trail/audit.ts';
import { findOperatorEntries, type ProvenEntry } from '../../trail/checks/proven-entries.ts';
import type { SshPublicKey } from '../identity/credentials/ssh-public-key.ts';
import { OperatorError } from './operator-error.ts';
import { type OperatorRow, operatorStore } from './operator-store.ts';
import { drawToken } from './proof.ts';
import { covers, type Needed, type Role } from './roles.ts';

export type Operator = ReturnType<typeof operatorOf>;

export interface NewOperator {
	readonly name: string;
	readonly role: Role;
	readonly sshKey?: SshPublicKey;
}

const NAME = /^[a-z][a-z0-9._-]{0,31}$/;

export type Operators = ReturnType<typeof openOperators>;

export function openOperators(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock?: Clock;
}) {
	const { database, audit, clock = systemClock } = options;
	const hasher = credentialHasher(options.keyRing);
	const now = () => clock.now().getTime();
	const refused = (moreInfo: string) => new ServiceError('bad-input-data', { moreInfo });

	const findStanding = async (): Promise<Operator[] | undefined> => {
		const rows = (await operatorStore(database.knex).list()).filter(({ removed_at }) => removed_at === null);
		const entries = await findOperatorEntries(options);
		const expected = entries && standingIn(entries);
		if (!expected || expected.size !== rows.length) return undefined;
		return rows.every((row) => expected.get(row.name) === bornOutBy(row)) ? rows.map(operatorOf) : undefined;
	};

	const operators = {
		hasher,
		/**
		 * Lists the operators who may run commands, oldest first.
		 * @throws OperatorError if the rows of operators do not agree with the trail
		 */
		async standing(): Promise<Operator[]> {
			// The rows and the trail are read by separate queries, and an operator may be added between them. So if they do
			// not agree, both are read once more.
			const found = (await findStanding()) ?? (await findStanding());
			if (found) return found;
			throw new OperatorError(
				'operators-altered',
				'the operators in the database are not those of the audit trail: somebody has changed one of them. ' +
					'`audit verify` goes on; nobody can run anything else until `operator recover` has begun anew',
			);
		},
		async list(): Promise<Operator[]> {
			return (await operatorStore(database.knex).list()).map(operatorOf);
		},
		/**
		 * Adds an operator, with a token if no SSH key is given.
		 * @throws ServiceError
		 */
		async add({ name, role, sshKey }: NewOperator, actor: string) {
			if (!NAME.test(name) || holdsCardNumber(name)) {
				throw badInput(
					'name',
					'expected 1 to 32 of a-z, 0-9 and . _ -, beginning with a letter, that spell no card number',
				);
			}
			const present = await operators.standing();
			if (present.length === 0 && role !== 'keys') {
				throw badInput('role', 'the first operator needs the role keys, or nobody could add another');
			}
			const token = sshKey ? null : drawToken();
			const { hash, keyId } = token === null ? { hash: null, keyId: null } : await hasher.hashNew(token);
			const row = {
				name,
				role,
				token_hash: hash,
				key_id: keyId,
				created_at: now(),
				public_key: sshKey ? `${sshKey.algorithm} ${sshKey.blob.toString('base64')}` : null,
				fingerprint: sshKey?.fingerprint ?? tokenFingerprint(hash!),
			};
			if (present.some(({ fingerprint }) => fingerprint === row.fingerprint)) {
				throw refused('the SSH key belongs to another operator: every operator needs a key of their own');
			}
			try {
				await transact(database, async (transaction) => {
					await operatorStore(transaction).insert(row);
					const details = { role, key: row.fingerprint };
					await audit.record({ actor, action: 'operator.add', subject: `operator ${name}`, details }, transaction);
				});
			} catch (cause) {
				if (!isUniqueViolation(cause)) throw cause;
				throw badInput('name', 'was used before, and names are never used again', undefined, cause);
			}
			const operator = operatorOf({ ...row, id: 0, removed_at: null });
			return { operator, token: token === null ? null : new Secret(token) };
		},
		/** @throws ServiceError for a person who is not an operator, and for the last one with the role `keys` */
		async remove(name: string, actor: string): Promise<void> {
			const present = await operators.standing();
			if (!present.some((each) => each.name === name)) throw badInput('name', `there is no operator ${name}`);
			if (!present.some((each) => each.name !== name && each.role === 'keys')) {
				throw refused('the last operator with the role keys cannot be removed: add another first');
			}
			await transact(database, async (transaction) => {
				if (!(await operatorStore(transaction).remove(name, now())))
					throw badInput('name', `there is no operator ${name}`);
				await audit.record({ actor, action: 'operator.remove', subject: `operator ${name}` }, transaction);
			});
		},
		/** Removes all operators, so that roles are off until one is added, and returns how many there were. */
		recover: (actor: string) =>
			transact(database, async (transaction) => {
				const removed = await operatorStore(transaction).removeAll(now());
				await audit.record(
					{ actor, action: 'operator.recover', subject: 'installation', details: { removed } },
					transaction,
				);
				return removed;
			}),
	};
	return operators;
}

export function countCovering(operators: readonly Operator[], needed: Needed): number {
	return operators.filter(({ role }) => covers(role, needed)).length;
}

/** Returns the current operators according to the trail, with role and key. */
function standingIn(entries: readonly ProvenEntry[]): Map<string, string> {
	const standing = new Map<string, string>();
	for (const { action, subject, details } of entries) {
		const name = subject.replace(/^operator /, '');
		if (action === 'operator.recover') standing.clear();
		else if (action === 'operator.remove') standing.delete(name);
		else standing.set(name, `${details.role} ${details.key}`);
	}
	return standing;
}

/** Returns role and key of a row as text, to compare with the trail; undefined if key and fingerprint differ. */
function bornOutBy({ role, fingerprint, public_key, token_hash }: OperatorRow): string | undefined {
	const blob = Buffer.from(public_key?.split(' ')[1] ?? '', 'base64');
	const actual = public_key === null ? tokenFingerprint(token_hash ?? '') : fingerprintOf(blob);
	return actual === fingerprint ? `${role} ${fingerprint}` : undefined;
}

function tokenFingerprint(hash: string): string {
	return `token:${createHash('sha256').update(hash).digest('base64url')}`;
}

function operatorOf(row: OperatorRow) {
	return {
		name: row.name,
		role: row.role,
		/** The fingerprint of the SSH key; for an operator with a token, the fingerprint of the hash of the token. */
		fingerprint: row.fingerprint,
		/** The public key as a line such as `ssh-ed25519 AAAA…`; null for a token. */
		publicKey: row.public_key,
		tokenHash: row.token_hash,
		createdAt: new Date(row.created_at),
		removedAt: row.removed_at === null ? null : new Date(row.removed_at),
	};
}
