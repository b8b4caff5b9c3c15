// What failed-sync.test.ts and failed-sync.slow.test.ts share.

import { testNeeding } from '../helpers/test-needing.ts';

export const traceTest = testNeeding('strace, with the right to trace');
