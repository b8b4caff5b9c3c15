import { defendedAddress } from '../../base/defender/defender.ts';
import type { HashParty } from './sign-in/hash-turns.ts';

/** The IP address and the browser of somebody who uses the portal. */
export interface Client {
	readonly address: string | undefined;
	/** The browser as it describes itself in the header `User-Agent`. */
	readonly agent: string | undefined;
}

/** Returns whose turn it is to have a password hashed, for a user at the address of a client. */
export function partyOf(user: string, { address }: Client): HashParty {
	return { address: address === undefined ? '' : defendedAddress(address), user };
}
