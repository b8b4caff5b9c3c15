import { loadShare } from './load.ts';

loadShare('http');
