import { keys } from './0001-keys.ts';
import { vault } from './0003-vault.ts';
import type { Migration } from './migration.ts';

/** Every step, oldest first, written out. */
export const migrations: Migration[] = [keys, vault];
