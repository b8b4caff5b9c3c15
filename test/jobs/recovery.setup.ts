// What recovery.test.ts and recovery.slow.test.ts share.

import type { AccountId } from '../../src/base/database/ids.ts';

export const folder = { accountId: 7 as AccountId, area: 'tokenize' as const, filter: 'GBT' };
