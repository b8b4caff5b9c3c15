import { loadShare } from './load.ts';

loadShare('outbound');
