import { loadShare } from './load.ts';

loadShare('daemons-rotated');
