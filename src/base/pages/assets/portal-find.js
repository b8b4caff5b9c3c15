// @ts-check
// The search field at the top of every page: `/` leads to it, arrows walk through what was found, and a card number that is
// typed or pasted there is not sent.

/** What is nothing but digits and what separates them, with as many digits as a card number. */
const DIGITS_ALONE = /^[\s\d.,_/•–—-]+$/;

/** @param {string} text */
function looksLikeNumber(text) {
	const { length } = text.replace(/\D/g, '');
	return DIGITS_ALONE.test(text) && length >= 12 && length <= 19;
}

/** @returns {HTMLInputElement | null} */
const findField = () => document.querySelector('#find');

/** @param {EventTarget | null} target */
function isTypedInto(target) {
	return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** @param {KeyboardEvent} event */
function walkFound(event) {
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	const field = findField();
	if (!field) return;
	if (event.key === '/' && !isTypedInto(event.target)) {
		event.preventDefault();
		field.focus();
		field.select();
		return;
	}
	if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
	/** @type {HTMLElement[]} */
	const stops = [field, ...document.querySelectorAll(/** @type {'a'} */ ('.found a'))];
	const here = stops.indexOf(/** @type {HTMLElement} */ (event.target));
	if (here === -1) return;
	event.preventDefault();
	stops[here + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
}

/**
 * Keeps a card number from being sent. Listening before anything else does, it also stops the walk to the next page.
 *
 * @param {SubmitEvent} event
 */
function keepNumber(event) {
	const field = findField();
	const form = field?.form;
	const problem = document.getElementById('find-problem');
	if (!field || !form || !problem || event.target !== form) return;
	problem.hidden = !looksLikeNumber(field.value);
	if (problem.hidden) return;
	event.preventDefault();
	event.stopImmediatePropagation();
	problem.textContent = form.dataset.noNumber ?? '';
	field.value = '';
	field.focus();
}

export function startFinding() {
	document.addEventListener('keydown', walkFound);
	document.addEventListener('submit', keepNumber, { capture: true });
}
