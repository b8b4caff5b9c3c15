import { ServiceError } from '../errors.ts';
import type { Principal } from './principal.ts';

/**
 * Checks a `SenderID` in a body, if there is one.
 * @throws ServiceError (spec §5.4.4)
 */
export function checkSender(principal: Pick<Principal, 'userId'>, senderId: string): void {
	if (senderId === principal.userId) return;
	throw new ServiceError('sender-mismatch', {
		field: 'SenderID',
		problem: 'expected the user ID that the credential belongs to',
	});
}
