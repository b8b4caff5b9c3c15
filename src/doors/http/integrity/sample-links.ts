// Makes the links to samples of our payment pages, through which these pages are compared with what we send. A link looks
// like that of a card request or view, so that nobody between us and a cardholder can tell the two apart. It works for
// an hour or two and shows nothing of anybody.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { CredentialHasher } from '../../../base/keys/credential-hash.ts';

/** The kinds of payment pages, with the path of each to which the secret of a link is added. */
export const SAMPLES = {
	'card-form': { place: '/api/payments/capturecard', kind: 'cr' },
	'cvv-form': { place: '/api/payments/capturecvv', kind: 'cr' },
	'card-request': { place: '/cardrequest', kind: 'cr' },
	'card-view': { place: '/cardview', kind: 'cv' },
} as const;
export type SampleName = keyof typeof SAMPLES;
export const SAMPLE_NAMES = Object.keys(SAMPLES) as SampleName[];

const HOUR_MS = 3_600_000;
/** A secret is random bytes, and as many bytes of their MAC. */
const PART_BYTES = 16;

export async function makeSampleLink(hasher: CredentialHasher, name: SampleName, now: Date): Promise<string> {
	const random = randomBytes(PART_BYTES);
	const { hash } = await hasher.hashNew(labelOf(name, random, hourOf(now)));
	const { place, kind } = SAMPLES[name];
	return `${place}/${kind}_${Buffer.concat([random, macOf(hash)]).toString('base64url')}`;
}

/** Tells whether a secret is that of a link to the sample of a page, made in this hour or the one before. */
export async function isSampleSecret(
	hasher: CredentialHasher,
	name: SampleName,
	{ secret, now }: { readonly secret: string; readonly now: Date },
): Promise<boolean> {
	const [kind, text] = [secret.slice(0, 3), secret.slice(3)];
	if (kind !== `${SAMPLES[name].kind}_` || !/^[A-Za-z0-9_-]{43}$/.test(text)) return false;
	const bytes = Buffer.from(text, 'base64url');
	const [random, mac] = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)];
	let isSample = false;
	for (const hour of [hourOf(now), hourOf(now) - 1]) {
		for (const { hash } of await hasher.hashAll(labelOf(name, random, hour))) {
			if (timingSafeEqual(macOf(hash), mac)) isSample = true;
		}
	}
	return isSample;
}

function labelOf(name: SampleName, random: Buffer, hour: number): string {
	return `sample page ${name} ${hour} ${random.toString('hex')}`;
}

function hourOf(now: Date): number {
	return Math.floor(now.getTime() / HOUR_MS);
}

function macOf(hash: string): Buffer {
	return Buffer.from(hash, 'hex').subarray(0, PART_BYTES);
}
