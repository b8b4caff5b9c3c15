// Reads and writes amounts of money. They arrive as decimal text and become whole minor units by moving the point.
// Nothing is ever multiplied, because 10.23 has no exact double.

export interface Money {
	/** The amount in major units with all decimals of the currency, however it was written, for example `10.00`. */
	readonly text: string;
	/** The amount in the currency's own minor units (ISO 4217). */
	readonly minor: number;
	readonly currency: string;
}

/** An amount has at most 15 digits, because JSON numbers and databases keep no more exactly. */
const MAX_MINOR = 999_999_999_999_999;

/** Tells why an amount or its currency is invalid; the text says what was expected. */
export type MoneyProblem = { readonly field: 'Amount' | 'Currency'; readonly expectation: string };

/** Reads an amount in major units with at most as many decimals as the currency has. */
export function readMoney(text: string, currency: string): Money | MoneyProblem {
	const exponent = findExponent(currency);
	if (exponent === undefined) {
		return { field: 'Currency', expectation: 'expected a currency code of ISO 4217, three capital letters' };
	}
	if (!/^\d+(\.\d+)?$/.test(text))
		return { field: 'Amount', expectation: 'expected an amount in major units, such as 10.23' };
	const minor = shift(text, exponent);
	if (minor === undefined) return { field: 'Amount', expectation: `expected at most ${exponent} decimals` };
	if (minor > MAX_MINOR) return { field: 'Amount', expectation: 'is too large' };
	return moneyOf(minor, currency);
}

/** Returns an amount from its minor units, the reverse of `readMoney`. */
export function moneyOf(minor: number, currency: string): Money {
	const exponent = findExponent(currency) ?? 0;
	const digits = String(minor).padStart(exponent + 1, '0');
	const text = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
	return { text, minor, currency };
}

/**
 * Returns an amount in the units of a provider, whose numbers of decimals (`exponents`) differ from ISO 4217. Returns
 * undefined if the provider cannot express the amount, or if a JavaScript number cannot hold it exactly.
 */
export function minorUnits(
	{ text, currency }: Money,
	exponents: Readonly<Record<string, number>> = {},
): number | undefined {
	const units = shift(text, exponents[currency] ?? findExponent(currency) ?? 0);
	return Number.isSafeInteger(units) ? units : undefined;
}

/** Moves the decimal point to the right; returns undefined if digits other than zero would remain after it. */
function shift(text: string, places: number): number | undefined {
	const [whole, decimals = ''] = text.split('.', 2);
	const lost = decimals.slice(places);
	if (/[1-9]/.test(lost)) return undefined;
	return Number(whole + decimals.slice(0, places).padEnd(places, '0'));
}

// Lists the currencies of ISO 4217, and how many decimals an amount in each may have.

const TWO_DECIMALS = `
	AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP
	CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
	KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
	NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
	TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`;

const OTHER_DECIMALS: Readonly<Record<number, string>> = {
	0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
	3: 'BHD IQD JOD KWD LYD OMR TND',
	4: 'CLF UYW',
};

const EXPONENTS = new Map<string, number>(codes(TWO_DECIMALS).map((code) => [code, 2]));
for (const [exponent, list] of Object.entries(OTHER_DECIMALS)) {
	for (const code of codes(list)) EXPONENTS.set(code, Number(exponent));
}

function codes(list: string): string[] {
	return list.trim().split(/\s+/);
}

/** Returns the number of decimals of a currency, or undefined if the text is not an ISO 4217 code in capitals. */
export function findExponent(currency: string): number | undefined {
	return EXPONENTS.get(currency);
}

export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];
