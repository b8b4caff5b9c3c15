import { loadShare } from './load.ts';

loadShare('specification');
