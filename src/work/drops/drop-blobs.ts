import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStore } from '../../base/blobs/blob-store.ts';
import { diskBlobStore } from '../../base/blobs/disk.ts';
import { s3BlobStore } from '../../base/blobs/s3/s3-store.ts';
import { smallBlobStore } from '../../base/blobs/small-blobs.ts';
import type { Database } from '../../base/database/open.ts';
import type { S3Place } from '../../base/outbound/s3/s3-calls.ts';
import { findBucket } from '../../base/settings/drop-settings.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { dropStore } from './drop-store.ts';

type DropSettings = Settings['drops'];
type InBucket = Pick<DropSettings, 'store' | 'accessKeyId' | 'secretKeyFile' | 'caFile'>;
type Place = Pick<Settings, 'dataDir'> & { readonly drops: Pick<DropSettings, 'reservedBytes'> & Partial<InBucket> };

/**
 * Opens the store of an installation's sealed files. The daemon, its workers and every command use the same one.
 * @throws Error if a file with a key or certificates for the bucket cannot be read
 */
export function dropBlobs({ dataDir, drops }: Place, database: Database): BlobStore {
	const place = findS3Place(drops);
	const large = place ? s3BlobStore(place) : diskBlobStore(join(dataDir, 'drops'), drops.reservedBytes);
	return smallBlobStore(database, large);
}

/** Returns the place in a bucket where files are stored; undefined if they are on the disk. */
export function findS3Place({ store, accessKeyId, secretKeyFile, caFile }: Partial<InBucket>): S3Place | undefined {
	const address = store ? findBucket(store) : undefined;
	if (address === undefined) return undefined;
	const secret = read('secretKeyFile', secretKeyFile!).replace(/\r?\n$/, '');
	const authorities = caFile ? read('caFile', caFile) : undefined;
	return { ...address, accessKeyId: accessKeyId!, secretKey: new Secret(secret), authorities };
}

function read(name: string, path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch (cause) {
		throw new Error(`drops.${name}: ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
	}
}

/**
 * Removes blobs whose file was removed, and returns how many. Call it after the commit. A blob that another file also names
 * is kept, for example that of a report with two names. It never fails: blobs left behind are removed later as orphans.
 */
export async function removeUnnamedBlobs(
	{ database, blobs }: { readonly database: Database; readonly blobs: BlobStore },
	ids: readonly string[],
): Promise<number> {
	if (ids.length === 0) return 0;
	try {
		const named = await dropStore(database.knex).findKnownBlobs(ids);
		const unnamed = ids.filter((id) => !named.has(id));
		for (const id of unnamed) await blobs.remove(id);
		return unnamed.length;
	} catch {
		return 0;
	}
}
