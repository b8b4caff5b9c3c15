import type { AccountId } from '../../base/database/ids.ts';
import type { RecordLine } from './record-line.ts';

/** A record that can be stored, with the accounts that it names as they are known here. */
export interface Candidate {
	readonly line: number;
	readonly record: RecordLine;
	readonly ownerId: AccountId;
	readonly creatorId: AccountId;
	readonly merchantIds: readonly AccountId[];
}
