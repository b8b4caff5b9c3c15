import { writeFileSync } from 'node:fs';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';

/** Returns the variables with which a daemon stores its files in a bucket. The secret key is written to `secretFile`. */
export function bucketVariables(
	{ endpoint, bucket, prefix, region, accessKeyId, secretKey }: S3Place,
	secretFile: string,
): Record<string, string> {
	writeFileSync(secretFile, `${secretKey.reveal()}\n`);
	const folders = prefix.slice(0, -1).split('/').map(encodeURIComponent).join('/').replaceAll('%2B', '+');
	return {
		TOKENDROP_DROPS_STORE: `s3://${bucket}/${folders}?region=${region}&endpoint=${endpoint}`,
		TOKENDROP_DROPS_ACCESS_KEY_ID: accessKeyId,
		TOKENDROP_DROPS_SECRET_KEY_FILE: secretFile,
	};
}
