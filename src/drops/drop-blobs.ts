import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import type { BlobStore } from './blob-store.ts';
import { diskBlobStore } from './disk.ts';

/** Where an installation keeps its sealed files: the same for the daemon, its workers and every command. */
export function dropBlobs({ dataDir, drops }: Pick<Settings, 'dataDir' | 'drops'>): BlobStore {
	return diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes);
}
