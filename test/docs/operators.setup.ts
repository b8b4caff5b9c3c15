// What operators.test.ts and operators.slow.test.ts share.

import { readPage } from '../helpers/page-examples.ts';

export const page = readPage('operators.md');
