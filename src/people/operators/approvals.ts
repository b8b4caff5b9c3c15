// Manages the approval of one command by a second person. The person who wants to run the command requests the
// approval, another person gives it, and it is used once. The trail records all three steps, and an approval is valid
// only if the trail contains them. Which commands need one is in roles.ts (`isForTwo`).

import { randomInt } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Audit } from '../../trail/audit.ts';
import { findApprovalEntries } from '../../trail/checks/proven-entries.ts';
import { type ApprovalRow, approvalStore } from './approval-store.ts';
import { OperatorError } from './operator-error.ts';
import type { Operator } from './operators.ts';
import { covers, type Role } from './roles.ts';

/** A request waits this long for approval, and an approval this long to be used. */
export const APPROVAL_MS = 10 * 60_000;
/** Ids have no digits, because the trail would mask a long run of them as a card number. */
const ID_LETTERS = 'bcdfghjkmnpqrstvwxz';
const ID_LENGTH = 12;

export interface AskedCommand {
	/** The command as text for people, with card numbers masked. */
	readonly text: string;
	readonly hash: string;
	readonly role: Role;
}

export type Approval = ReturnType<typeof approvalOf>;

export type Approvals = ReturnType<typeof openApprovals>;

export function openApprovals(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock?: Clock;
}) {
	const { database, audit, clock = systemClock } = options;
	const now = () => clock.now().getTime();
	const refused = (message: string) => new OperatorError('operator-refused', message);
	const subjectOf = (id: string) => `approval ${id}`;

	/**
	 * Returns the times at which an approval was requested and given according to the trail, if the trail agrees with
	 * the row and records no use; otherwise undefined. The times in the row are only for display.
	 */
	const findTimes = async (row: ApprovalRow): Promise<{ asked: number; given: number | undefined } | undefined> => {
		const entries = await findApprovalEntries(options, subjectOf(row.id));
		const [request, give, ...more] = entries ?? [];
		if (!request || more.length > 0 || request.action !== 'approval.request') return undefined;
		const { hash, role } = request.details;
		if (request.actor !== `operator ${row.requested_by}` || hash !== row.hash || role !== row.role) return undefined;
		if (row.approved_by === null) return give === undefined ? { asked: request.at, given: undefined } : undefined;
		const isGiven = give?.action === 'approval.give' && give.actor === `operator ${row.approved_by}`;
		return isGiven && give.actor !== request.actor ? { asked: request.at, given: give.at } : undefined;
	};

	return {
		async request({ text, hash, role }: AskedCommand, by: Operator): Promise<Approval> {
			const id = Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
			const row = { id, command: text, hash, role, requested_by: by.name };
			await transact(database, async (transaction) => {
				const requested_at = now();
				await approvalStore(transaction).insert({ ...row, requested_at });
				const entry = { actor: `operator ${by.name}`, action: 'approval.request', subject: subjectOf(row.id) };
				await audit.record({ ...entry, details: { command: text, hash, role } }, transaction);
			});
			return approvalOf((await approvalStore(database.knex).find(row.id))!);
		},
		/**
		 * @throws OperatorError if the request does not exist, has expired, was made by the operator who approves, or needs
		 * a higher role
		 */
		async give(id: string, by: Operator): Promise<Approval> {
			const row = await approvalStore(database.knex).find(id);
			const isOver = row && (row.used_at !== null || row.requested_at + APPROVAL_MS <= now());
			if (!row || isOver) throw refused(`there is no request ${id}, or its ten minutes are over`);
			if (row.approved_at !== null) throw refused(`request ${id} is approved already`);
			if (row.requested_by === by.name) throw refused('operators cannot approve their own requests');
			if (!covers(by.role, row.role)) throw refused(`to approve this, an operator needs the role ${row.role}`);
			const times = await findTimes(row);
			if (!times || times.asked + APPROVAL_MS <= now()) {
				throw new OperatorError('operators-altered', `request ${id} does not agree with the audit trail`);
			}
			await transact(database, async (transaction) => {
				const isGiven = await approvalStore(transaction).approve(id, by.name, now());
				if (!isGiven) throw refused(`request ${id} is approved already`);
				const entry = { actor: `operator ${by.name}`, action: 'approval.give', subject: subjectOf(id) };
				await audit.record({ ...entry, details: { command: row.command, hash: row.hash } }, transaction);
			});
			return approvalOf((await approvalStore(database.knex).find(id))!);
		},
		async list(): Promise<Approval[]> {
			return (await approvalStore(database.knex).listSince(now() - APPROVAL_MS)).map(approvalOf);
		},
		/** @throws OperatorError if there is none */
		async use({ text, hash }: AskedCommand, by: Operator): Promise<Approval> {
			const rows = await approvalStore(database.knex).listUsable(by.name, hash, now() - APPROVAL_MS);
			for (const row of rows) {
				const given = (await findTimes(row))?.given;
				if (given === undefined || given + APPROVAL_MS <= now()) continue;
				const isUsed = await transact(database, async (transaction) => {
					if (!(await approvalStore(transaction).use(row.id, now()))) return false;
					const entry = { actor: `operator ${by.name}`, action: 'approval.use', subject: subjectOf(row.id) };
					const details = { command: text, hash, approvedBy: row.approved_by };
					await audit.record({ ...entry, details }, transaction);
					return true;
				});
				if (isUsed) return approvalOf(row);
			}
			throw new OperatorError(
				'approval-required',
				'a second operator has to approve this: run it with --request, have them run `approve` with the id it prints, ' +
					'then run it again, word for word and in the same folder',
			);
		},
	};
}

function approvalOf(row: ApprovalRow) {
	return {
		id: row.id,
		command: row.command,
		requestedBy: row.requested_by,
		approvedBy: row.approved_by,
		requestedAt: new Date(row.requested_at),
		/** The time until which the request can be approved or, if it was approved, the approval can be used. */
		endsAt: new Date((row.approved_at ?? row.requested_at) + APPROVAL_MS),
	};
}
