// Decides whether an error means that one of our stores is away or full, so that the same work may succeed later. HTTP,
// sFTP and jobs all ask here.

import { isUnavailable } from '../database/dialect.ts';
import { RootKeyError } from '../keys/root-key.ts';
import { isOutOfSpace, StoreAwayError } from './blob-store.ts';

export type Outage = 'database-unavailable' | 'key-store-unavailable' | 'drop-store-unavailable';

/** Returns which store is away; undefined if the error has another cause. */
export function findOutage(error: unknown): Outage | undefined {
	if (error instanceof RootKeyError) return 'key-store-unavailable';
	if (isUnavailable(error)) return 'database-unavailable';
	return isOutOfSpace(error) || error instanceof StoreAwayError ? 'drop-store-unavailable' : undefined;
}
