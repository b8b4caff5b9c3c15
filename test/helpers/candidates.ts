// Lists the numbers that a person has to try who knows the first six and the last four digits from metadata.

/**
 * Returns all numbers of 16 digits that pass Luhn and have the first six and last four digits of this one, in order.
 * There are 100,000.
 */
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
