// Reads and writes amounts of money. They arrive as decimal text and become whole minor units by moving the point.
// Nothing is ever multiplied, because 10.23 has no exact double.

import { findExponent } from './currency.ts';

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
