import { isDigit } from './ascii.ts';

/** The kinds of content that a CVV field can have. */
export type CvvReading = 'absent' | 'starred' | 'readable' | 'malformed';

/**
 * Returns the kind of content of a CVV field (spec §2.4). The field may be empty; otherwise a CVV must have exactly 3
 * or 4 digits, for every brand. Stars are not an error, because this service writes them in place of a CVV.
 */
export function readCvv(bytes: Uint8Array, start: number, end: number): CvvReading {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return 'absent';
	let digits = 0;
	let stars = 0;
	for (let i = start; i < end; i++) {
		if (bytes[i] === 0x2a) stars++;
		else if (isDigit(bytes[i])) digits++;
	}
	const length = end - start;
	if (stars === length) return 'starred';
	return digits === length && length >= 3 && length <= 4 ? 'readable' : 'malformed';
}
