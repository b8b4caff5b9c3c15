import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import type { BlobStore } from './blob-store.ts';
import { diskBlobStore } from './disk.ts';

type Place = Pick<Settings, 'dataDir'> & { readonly drops: Pick<Settings['drops'], 'reservedBytes'> };

/** Opens the store of an installation's sealed files. The daemon, its workers and every command use the same one. */
export function dropBlobs({ dataDir, drops }: Place): BlobStore {
	return diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes);
}
