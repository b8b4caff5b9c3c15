// What reports.test.ts and reports.slow.test.ts share.

import { readPage } from '../helpers/page-examples.ts';

export const page = readPage('reports.md');
