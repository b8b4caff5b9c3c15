import { loadShare } from './load.ts';

loadShare('relay');
