// Recognises IBANs, the international numbers of bank accounts. They are not card numbers, but the digits of one German
// IBAN in twenty would pass for a card number.

/** Holds the length of an IBAN by country (SWIFT's IBAN registry). */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
	(
		'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
		'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
		'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
		'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
	)
		.split(' ')
		.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);
const ZERO = 0x30;
const A = 0x41;
const BEGINNING = /(?<![A-Za-z0-9])([A-Z]{2})\d{2}(?= ?[A-Z0-9])/g;

/** Finds the IBANs in a text: they have the length of their country, and correct check digits. */
export function findIbans(text: string): (readonly [start: number, end: number])[] {
	const found: (readonly [number, number])[] = [];
	for (const { index, 1: country } of text.matchAll(BEGINNING)) {
		const end = endOf(text, index, IBAN_LENGTHS.get(country) ?? 0);
		if (end > 0 && passesIbanCheck(Buffer.from(text.slice(index, end).replaceAll(' ', ''), 'latin1')))
			found.push([index, end]);
	}
	return found;
}

/**
 * Returns the offset after `length` letters and digits from `start`, with single blanks allowed between them, or 0 if
 * there are more or fewer.
 */
function endOf(text: string, start: number, length: number): number {
	let count = 0;
	let at = start;
	for (; at < text.length && count < length; at++) {
		if (/[A-Z0-9]/.test(text[at])) count++;
		else if (text[at] !== ' ' || text[at - 1] === ' ') return 0;
	}
	return length > 0 && count === length && !/[A-Za-z0-9]/.test(text[at] ?? '') ? at : 0;
}

/**
 * Checks the two check digits of an IBAN, given by the codes of its ASCII letters and digits, by ISO 13616: the first four
 * characters are moved to the end, letters become 10 to 35, and the remainder by 97 must be 1.
 */
function passesIbanCheck(codes: Buffer): boolean {
	let remainder = 0;
	for (let i = 0; i < codes.length; i++) {
		const code = codes[(i + 4) % codes.length];
		const value = code < A ? code - ZERO : code - A + 10;
		remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
	}
	return remainder === 1;
}
