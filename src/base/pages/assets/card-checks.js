// @ts-check
// Says what is wrong with a field, by the same rules as the service, which has the last word.

import { brandOfNumber } from './brands.js';
import { asciiDigits, digitsOf } from './digits.js';

/**
 * @typedef {object} Rules
 * @property {number} month the current month, as `YYYYMM`
 * @property {readonly import('./brands.js').Range[]} [ranges]
 * @property {string} [cvv]
 * @property {string} [brand] the brand of a card whose CVV alone is asked for
 * @property {boolean} [checksName]
 * @property {number} [minExpiry]
 * @property {readonly string[]} [types]
 * @property {boolean} [detectsType]
 */

/** @param {string} digits */
export function passesLuhnCheck(digits) {
	let sum = 0;
	for (let i = 0; i < digits.length; i++) {
		const digit = Number(digits[digits.length - 1 - i]);
		sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
	}
	return sum % 10 === 0;
}

/**
 * @param {string} text
 * @param {Rules} rules
 * @param {string} chosenType
 */
function numberProblem(text, { ranges = [], types, detectsType }, chosenType) {
	const digits = digitsOf(text);
	if (text.trim() === '') return 'required';
	if (/[^\d\s.\-\u00ad\u2010-\u2015\u2060\ufeff\uff0d\uff0e]/.test(asciiDigits(text))) return 'numberWrong';
	if (digits.length < 12) return 'numberShort';
	if (digits.length > 22) return 'numberLong';
	if (!passesLuhnCheck(digits)) return 'numberWrong';
	const type = chosenType || brandOfNumber(ranges, digits);
	return detectsType && types && type !== 'Unspecified' && !types.includes(type) ? 'typeRefused' : undefined;
}

/**
 * Reads a typed expiry as `YYYYMM`; 0 if month or year are missing.
 * @param {string} text
 */
export function expiryIn(text) {
	const [, month, year] = /^(\d{1,2})\s*\/\s*(\d{2}|\d{4})$/.exec(asciiDigits(text).trim()) ?? [];
	if (!month) return 0;
	return (Number(year) + (year.length === 2 ? 2000 : 0)) * 100 + Number(month);
}

/**
 * @param {string} text
 * @param {Rules} rules
 */
function expiryProblem(text, { month, minExpiry = 0 }) {
	if (text.trim() === '') return 'required';
	const expiry = expiryIn(text);
	if (expiry === 0) return 'expiryIncomplete';
	if (expiry % 100 < 1 || expiry % 100 > 12) return 'expiryMonth';
	if (expiry < month) return 'expired';
	return expiry < minExpiry ? 'expiresSoon' : undefined;
}

/**
 * @param {string} text
 * @param {Rules} rules
 * @param {string} number
 */
function cvvProblem(text, { cvv = 'required', brand, ranges = [] }, number) {
	const digits = asciiDigits(text).trim();
	if (digits === '') return cvv === 'required' ? 'required' : undefined;
	const ofCard = brand ?? brandOfNumber(ranges, digitsOf(number));
	const mayBeFour = ofCard === 'AMEX' || ofCard === 'Unspecified';
	if (/^\d{3}$/.test(digits) || (mayBeFour && /^\d{4}$/.test(digits))) return undefined;
	return mayBeFour ? 'cvvThreeOrFour' : 'cvvThree';
}

/**
 * @param {string} text
 * @param {Rules} rules
 */
function nameProblem(text, { checksName }) {
	if (/\d{12}/.test(digitsOf(text))) return 'nameNumber';
	if (!checksName) return undefined;
	if (text.trim() === '') return 'required';
	return /\p{L}/u.test(text) && !/\p{Nd}/u.test(text) ? undefined : 'nameWrong';
}

/**
 * Returns the name of the text that says what is wrong with a field.
 * @param {string} name
 * @param {Record<string, string>} values
 * @param {Rules} rules
 * @returns {string | undefined}
 */
export function problemOf(name, values, rules) {
	const text = values[name] ?? '';
	if (text.length > 255) return 'tooLong';
	switch (name) {
		case 'cardNumber':
			return numberProblem(text, rules, values.cardType ?? '');
		case 'cardType':
			return text === '' && !rules.detectsType ? 'required' : undefined;
		case 'expiry':
			return expiryProblem(text, rules);
		case 'cvv':
			return cvvProblem(text, rules, values.cardNumber ?? '');
		case 'nameOnCard':
			return nameProblem(text, rules);
		default:
			return undefined;
	}
}
