import { loadShare } from './load.ts';

loadShare('keys');
