import { join } from 'node:path';
import type { Database } from '../database/open.ts';
import type { Settings } from '../settings.ts';
import type { BlobStore } from './blob-store.ts';
import { diskBlobStore } from './disk.ts';
import { smallBlobStore } from './small-blobs.ts';

type Place = Pick<Settings, 'dataDir'> & { readonly drops: Pick<Settings['drops'], 'reservedBytes'> };

/** Opens the store of an installation's sealed files. The daemon, its workers and every command use the same one. */
export function dropBlobs({ dataDir, drops }: Place, database: Database): BlobStore {
	return smallBlobStore(database, diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes));
}
