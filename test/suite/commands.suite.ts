import { loadShare } from './load.ts';

loadShare('commands');
