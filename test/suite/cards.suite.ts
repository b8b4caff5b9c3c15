import { loadShare } from './load.ts';

loadShare('cards');
