import { loadShare } from './load.ts';

loadShare('daemons-searched');
