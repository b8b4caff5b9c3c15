// What is written down of a file that goes to or comes from a partner: before the first card moves, and at its end.

import type { Audit } from '../audit/audit.ts';
import type { AuditDetails } from '../audit/entry.ts';
import { recordOtherNumbers } from '../audit/other-numbers.ts';
import { transact } from '../database/dialect.ts';
import type { JobId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { Allowance } from '../identity/allowance.ts';
import { actorOf, type Principal } from '../identity/principal.ts';
import type { Logger } from '../log.ts';
import type { PartnerFile } from './partner-choice.ts';

export interface TransferBook {
	begin(): Promise<void>;
	/** In one transaction with what the cards cost. */
	end(details: AuditDetails, cost?: number): Promise<void>;
	/** The same after a failure, which is what the caller is to hear of, whatever comes of this: never fails. */
	endBroken(details: AuditDetails, cost?: number): Promise<void>;
}

/** The book of one transfer: each of its entries names the partner and the file. */
export function openTransferBook(
	rooms: {
		readonly database: Database;
		readonly audit: Pick<Audit, 'record'>;
		readonly allowance: Pick<Allowance, 'count'>;
		readonly logger: Logger;
	},
	transfer: {
		readonly action: 'file.relay' | 'file.capture';
		readonly jobId: JobId;
		readonly principal: Principal;
		readonly filter: string;
		readonly file: PartnerFile;
	},
): TransferBook {
	const { database, audit, allowance, logger } = rooms;
	const { action, jobId, principal, filter, file } = transfer;
	const { host, port } = file.partner;
	const entry = { actor: actorOf(principal), subject: `stream ${jobId}` };
	const place = { filter, host, port, fileName: file.fileName, destination: file.destination ?? null };

	const end = (details: AuditDetails, cost: number) =>
		transact(database, async (transaction) => {
			await allowance.count(principal, cost, transaction);
			await audit.record({ ...entry, action, details: { ...place, ...details } }, transaction);
			const otherNumbers = Number(details.otherNumbers ?? 0);
			await recordOtherNumbers(audit, { ...entry, filter, otherNumbers }, transaction);
		});
	return {
		begin() {
			return audit.record({ ...entry, action: `${action}.begin`, details: place });
		},
		end: (details, cost = 0) => end({ ...details, isWhole: true }, cost),
		endBroken: (details, cost = 0) =>
			end({ ...details, isWhole: false }, cost).catch((err) => {
				logger.error({ err, jobId }, 'the end of a broken transfer is not in the audit trail');
			}),
	};
}
