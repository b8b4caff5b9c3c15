import { loadShare } from './load.ts';

loadShare('assembly');
