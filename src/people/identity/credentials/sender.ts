import { ServiceError } from '../../../base/errors.ts';
import type { Principal } from '../principal.ts';

/**
 * Checks that the `SenderID` in a body is the user ID of the caller.
 * @throws ServiceError (spec §5.4.4)
 */
export function checkSender(principal: Pick<Principal, 'userId'>, senderId: string): void {
	if (senderId === principal.userId) return;
	throw new ServiceError('sender-mismatch', {
		field: 'SenderID',
		problem: 'expected the user ID that the credential belongs to',
	});
}
