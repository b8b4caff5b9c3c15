import { loadShare } from './load.ts';

loadShare('portal');
