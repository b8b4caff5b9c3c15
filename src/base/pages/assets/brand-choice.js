// @ts-check
// Shows the brand of the number that is typed, and lets the holder of a co-badged card choose one of its brands.

import { brandLabel, choicesOf, coBadgesOf } from './card-rules.js';

const WANTED_DIGITS = 6;

/**
 * @param {{ detectsType?: boolean, types?: readonly string[], texts: Record<string, string> }} data
 * @param {() => void} onChoice called when the holder has chosen
 */
export function openBrandChoice({ detectsType, types, texts }, onChoice) {
	const shown = document.getElementById('brand');
	const hint = document.getElementById('cvv-hint');
	const choice = document.getElementById('brand-choice');
	const place = document.getElementById('brand-choices');
	/** What the page around the form wants to offer, for numbers that begin with the digits of one bank. */
	let wanted = { bin: '', brands: /** @type {readonly string[]} */ ([]) };
	let typed = { digits: '', brand: 'Unspecified' };
	/** @type {readonly string[]} */
	let offered = [];

	/** Offers what the card may bear and the form accepts. The first brand is chosen until the holder chooses. */
	const offer = () => {
		const { digits, brand } = typed;
		const isWanted = wanted.bin !== '' && digits.startsWith(wanted.bin);
		const possible = choicesOf(digits, brand);
		const all = isWanted ? wanted.brands.filter((each) => possible.includes(each)) : coBadgesOf(digits);
		const accepted = detectsType ? all.filter((each) => !types || types.includes(each)) : [];
		if (!choice || !place || accepted.join() === offered.join()) return;
		offered = accepted;
		choice.hidden = offered.length < 2;
		place.replaceChildren(
			...offered.map((type, nth) => {
				const label = document.createElement('label');
				const input = Object.assign(document.createElement('input'), { type: 'radio', name: 'cardType', value: type });
				input.checked = nth === 0;
				input.addEventListener('change', onChoice);
				label.append(input, brandLabel(type));
				return label;
			}),
		);
	};

	return {
		/** The brands that are offered, if there is a choice. */
		get offered() {
			return offered.length < 2 ? [] : offered;
		},
		/** The chosen brand; undefined if nothing but that of the number can be chosen. */
		get chosen() {
			const input = place?.querySelector('input:checked');
			return input instanceof HTMLInputElement ? input.value : undefined;
		},
		/**
		 * @param {string} digits
		 * @param {string} brand
		 */
		show(digits, brand) {
			typed = { digits, brand };
			const label = brand === 'Unspecified' ? '' : brandLabel(brand);
			if (shown && shown.textContent !== label) shown.textContent = label;
			const text = brand === 'AMEX' ? texts.cvvFront : texts.cvvBack;
			if (hint && hint.textContent !== text) hint.textContent = text;
			offer();
		},
		/**
		 * Offers these brands instead of those that the number tells, until the number is one of another bank.
		 * @param {readonly string[]} brands
		 */
		want(brands) {
			wanted = { bin: typed.digits.slice(0, WANTED_DIGITS), brands };
			if (wanted.bin.length < WANTED_DIGITS) wanted.bin = '';
			offer();
		},
	};
}
