import { loadShare } from './load.ts';

loadShare('connections');
