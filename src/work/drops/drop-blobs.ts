import { join } from 'node:path';
import type { BlobStore } from '../../base/blobs/blob-store.ts';
import { diskBlobStore } from '../../base/blobs/disk.ts';
import { smallBlobStore } from '../../base/blobs/small-blobs.ts';
import type { Database } from '../../base/database/open.ts';
import type { Settings } from '../../base/settings/settings.ts';

type Place = Pick<Settings, 'dataDir'> & { readonly drops: Pick<Settings['drops'], 'reservedBytes'> };

/** Opens the store of an installation's sealed files. The daemon, its workers and every command use the same one. */
export function dropBlobs({ dataDir, drops }: Place, database: Database): BlobStore {
	return smallBlobStore(database, diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes));
}
