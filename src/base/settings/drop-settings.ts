// Declares and checks the settings of the place where sealed files are stored.

import { z } from 'zod';
import { optional, PATH, whole } from './keys.ts';
import { contradiction, type SettingsProblem } from './problems.ts';

const MEBI = 1024 * 1024;
/** S3 allows names of 1024 bytes; what the store appends has 48. */
const MOST_PREFIX_BYTES = 900;

/** A folder of a bucket of S3, as `drops.store` names it. */
export interface BucketAddress {
	/** The origin of the server, without a slash at its end. */
	readonly endpoint: string;
	readonly bucket: string;
	/** Empty, or names of folders with a slash after each. */
	readonly prefix: string;
	readonly region: string;
}

export const DEFAULT_REGION = 'us-east-1';

/** Reads `s3://bucket/prefix?region=…&endpoint=…`. Returns undefined for any other text. */
export function findBucket(text: string): BucketAddress | undefined {
	const url = URL.parse(text);
	if (url === null || url.protocol !== 's3:' || url.username || url.password || url.port || url.hash) return undefined;
	const prefix = findPrefix(url.pathname);
	const { searchParams } = url;
	const region = searchParams.get('region') ?? DEFAULT_REGION;
	const endpoint = findOrigin(searchParams.get('endpoint') ?? endpointOf(region));
	if (!isBucketName(url.hostname) || !isRegion(region)) return undefined;
	if (prefix === undefined || endpoint === undefined) return undefined;
	for (const name of searchParams.keys()) {
		if (!['region', 'endpoint'].includes(name) || searchParams.getAll(name).length > 1) return undefined;
	}
	return { endpoint, bucket: url.hostname, prefix, region };
}

export function isBucketName(text: string): boolean {
	return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text);
}

export function isRegion(text: string): boolean {
	return /^[a-z0-9-]{1,64}$/i.test(text);
}

export function isAccessKeyId(text: string): boolean {
	return /^[\x21-\x7e]{1,128}$/.test(text);
}

/** Returns the origin of Amazon's server for a region. */
export function endpointOf(region: string): string {
	return `https://s3.${region}.amazonaws.com`;
}

function findPrefix(path: string): string | undefined {
	try {
		const names = decodeURIComponent(path.replace(/^\/|\/$/g, ''));
		if (names === '') return '';
		const isUsable = /^[^/\p{Cc}]+(\/[^/\p{Cc}]+)*$/u.test(names) && Buffer.byteLength(names) <= MOST_PREFIX_BYTES;
		// A URL loses folders of these names.
		return isUsable && !names.split('/').some((name) => name === '.' || name === '..') ? `${names}/` : undefined;
	} catch {
		return undefined;
	}
}

/** Returns the origin of a server, without a slash at its end; undefined if the text has more, or is none. */
export function findOrigin(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
	return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
}

export const drops = z.strictObject({
	store: optional(
		z.string().refine((text) => findBucket(text) !== undefined),
		{ none: 'files are stored in drops/ of dataDir' },
		'a bucket of S3 that stores the files, s3://bucket/prefix?region=…, with &endpoint=https://… for a server that is not of AWS',
		's3://tokendrop-files/production?region=eu-central-1',
	),
	accessKeyId: optional(
		z.string().refine(isAccessKeyId),
		{ none: 'only allowed without drops.store' },
		'the id of the access key for the bucket',
		'AKIAIOSFODNN7EXAMPLE',
	),
	secretKeyFile: optional(
		PATH,
		{ none: 'only allowed without drops.store' },
		'a file that contains only the secret access key for the bucket, a path',
		'/run/secrets/s3_secret_key',
	),
	caFile: optional(
		PATH,
		{ none: 'the certificates that Node trusts' },
		'a PEM file with the certificates to check the S3 server with',
		'/etc/tokendrop/s3-ca.pem',
	),
	reservedBytes: whole(0, 1024 ** 4, 'bytes of the disk that files leave to the database', 256 * MEBI),
	maxBytesPerAccount: optional(
		z.int().min(1),
		{ derived: 'half of the disk of dataDir; with drops.store no limit' },
		'bytes of all files of an account together, a whole number',
		'50000000000',
	),
	maxFilesPerAccount: whole(1, 100_000_000, 'files of an account, including results and reports', 100_000),
});

export function dropProblems({ store, accessKeyId, secretKeyFile }: z.infer<typeof drops>): SettingsProblem[] {
	if (store === null) return [];
	return Object.entries({ 'drops.accessKeyId': accessKeyId, 'drops.secretKeyFile': secretKeyFile })
		.filter(([, value]) => value === null)
		.map(([key, value]) => contradiction(key, value, 'a value where drops.store is set'));
}
