// @ts-check
// Tells the page around the form what happens in it, once that page has sent `listen`: never a number or a CVV.

import { openToldDigits } from './told-digits.js';

/** @typedef {{ readonly reason: string, readonly text: string }} Problem */
/** @typedef {{ readonly value: string, readonly problem: Problem | null, readonly isRight: boolean }} FieldState */

/**
 * @param {ReturnType<typeof import('./parent-messages.js').openMessages>} messages
 */
export function openFormEvents(messages) {
	const digitsToTell = openToldDigits();
	let isHeard = false;
	let lastBrand = '';
	/**
	 * @param {string} event
	 * @param {Readonly<Record<string, unknown>>} detail
	 */
	const tell = (event, detail) => {
		if (isHeard) messages.tellEvent(event, detail);
	};
	return {
		get isHeard() {
			return isHeard;
		},
		listen() {
			isHeard = true;
		},
		/** @param {'focus' | 'blur'} event @param {string} field */
		tellFocus: (event, field) => tell(event, { field }),
		/** @param {string} field @param {FieldState} state */
		tellChange: (field, { value, problem, isRight }) =>
			tell('change', { field, empty: value.trim() === '', complete: isRight, problem }),
		/**
		 * Tells the brand of the number, if anything of it has changed.
		 * @param {string} digits
		 * @param {{ brand: string, brands: readonly string[], isRight: boolean, isSure: boolean }} about
		 */
		tellBrand(digits, { brand, brands, isRight, isSure }) {
			if (!isHeard) return;
			const detail = { brand, brands, ...digitsToTell(digits, isRight && isSure), complete: isRight };
			const text = JSON.stringify(detail);
			if (text !== lastBrand) tell('brand', detail);
			lastBrand = text;
		},
	};
}
