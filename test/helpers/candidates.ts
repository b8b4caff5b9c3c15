// What is left to try for somebody who knows the first six and the last four digits of a number from metadata.

/** All numbers of 16 digits that pass Luhn between the first six and the last four of this one, in order: 100,000. */
export function candidatesOf(number: string): string[] {
	return Array.from({ length: 1_000_000 }, (_, middle) => middle).flatMap((middle) => {
		const candidate = number.slice(0, 6) + String(middle).padStart(6, '0') + number.slice(-4);
		return passesLuhn(candidate) ? candidate : [];
	});
}

function passesLuhn(number: string): boolean {
	let sum = 0;
	for (let at = 0; at < 16; at++) {
		const digit = number.charCodeAt(at) - 0x30;
		sum += at % 2 === 1 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
	}
	return sum % 10 === 0;
}
