import { loadShare } from './load.ts';

loadShare('jobs');
