import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import type { BlobStore } from './blob-store.ts';
import { diskBlobStore } from './disk.ts';

type Place = Pick<Settings, 'dataDir'> & { readonly drops: Pick<Settings['drops'], 'reservedBytes'> };

/** Where an installation keeps its sealed files: the same for the daemon, its workers and every command. */
export function dropBlobs({ dataDir, drops }: Place): BlobStore {
	return diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes);
}
