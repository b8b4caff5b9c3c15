import { loadShare } from './load.ts';

loadShare('pages');
